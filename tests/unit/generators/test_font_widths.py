from __future__ import annotations

import pytest

from pytest_benchbed.generators.font_widths import CHARACTERS
from pytest_benchbed.generators.font_widths import WIDTHS
from pytest_benchbed.generators.font_widths import text_width


@pytest.mark.parametrize("font", sorted(WIDTHS))
def test_widths_are_those_the_pdf_writer_uses(font: str) -> None:
    metrics = pytest.importorskip("reportlab.pdfbase.pdfmetrics")

    for character in CHARACTERS:
        expected = metrics.stringWidth(character, font, 1000)
        assert text_width(character, font, 1000) == pytest.approx(expected)


def test_a_text_is_as_wide_as_its_characters() -> None:
    assert text_width("<0.5 µg/L", "Helvetica", 10) == pytest.approx(
        sum(text_width(character, "Helvetica", 10) for character in "<0.5 µg/L")
    )
    assert text_width("", "Times-Bold", 10) == 0


def test_a_character_without_a_width_is_refused() -> None:
    with pytest.raises(KeyError):
        text_width("≤", "Helvetica", 10)
