"""The pictures of docs/noise.md show the stored figures, and these what is published."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from tests.arch import tree
from tests.simulation import pictures
from tests.simulation.measured import stored
from tests.simulation.published import RUNS
from tests.simulation.published import TABLE

PAGE = (tree.ROOT / "docs" / "noise.md").read_text(encoding="utf-8")


def test_the_stored_figures_are_where_they_were_published():
    """That some of them are what is measured, the test of the simulation holds."""
    every = stored()

    assert set(every) == set(TABLE)
    assert {one.runs for one in every.values()} == {RUNS}
    assert {one.setting.name: one.far_off() for one in every.values() if one.far_off()} == {}


@pytest.mark.parametrize("name", pictures.pictures(stored()))
def test_a_picture_is_what_the_command_draws(name, tmp_path):
    (drawn,) = [path for path in pictures.draw(tmp_path) if path.name == name]
    kept = pictures.FOLDER / name

    assert kept.read_bytes() == drawn.read_bytes(), "python -m tests.simulation --pictures"
    assert f"](images/{name})" in PAGE
    ET.fromstring(drawn.read_text("utf-8"))


def test_a_bar_is_as_high_as_its_number_says():
    series = (pictures.Series("one", "#111111"), pictures.Series("two", "#222222"))
    text = pictures.Picture("a < b", "below", series, [("left\nlow", (50.0, 3.25))]).svg()

    bars = re.findall(r'height="([\d.]+)" fill="#(?:1|2){6}"', text)
    assert [float(bar) for bar in bars if float(bar) != 11] == [104.0, 6.8]
    assert ">50</text>" in text
    assert ">3.2</text>" in text
    assert "<title>a &lt; b</title>" in text


@pytest.mark.parametrize(
    ("value", "expected"), [(0.0, "0"), (0.04, "0"), (4.25, "4.2"), (9.96, "10"), (99.6, "100")]
)
def test_a_share_has_one_digit_below_ten(value, expected):
    assert pictures.shown(value) == expected
