from __future__ import annotations

import pytest

from pytest_benchbed.data.tier import tier_fault


@pytest.mark.req("ENV-013")
@pytest.mark.parametrize(
    ("tier", "files"),
    [
        ("component", []),
        ("component", ["a.png"]),
        ("component", ["a.pdf"]),
        ("component", ["assets/a.PNG", "assets/a.pdf"]),
        ("document", ["a.pdf"]),
        ("site", ["a.pdf", "b.pdf", "c.csv"]),
        (None, ["a.docx", "b.wav"]),
    ],
)
def test_the_files_of_a_tier_are_accepted(tier, files):
    assert tier_fault(tier, files) is None


@pytest.mark.req("ENV-013")
@pytest.mark.parametrize(
    ("tier", "files", "reason"),
    [
        ("component", ["a.png", "b.jpg"], "one crop or page; the case has 2 images and 0 PDFs"),
        ("component", ["a.pdf", "b.pdf"], "one crop or page"),
        ("component", ["a.png", "a.json"], "a file has the suffix .json"),
        ("component", ["a"], "a file has the suffix none"),
        ("document", [], "one PDF; the case has 0 files"),
        ("document", ["a.png"], "one PDF; the case has 1 files, 0 of them PDFs"),
        ("document", ["a.pdf", "b.pdf"], "one PDF"),
        ("document", ["a.pdf", "a.png"], "one PDF"),
        ("site", [], "the case has no file"),
    ],
)
def test_other_files_are_told(tier, files, reason):
    assert reason in tier_fault(tier, files)
