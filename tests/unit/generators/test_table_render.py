from __future__ import annotations

import io

import pytest

from pytest_benchbed.generators import table_render
from pytest_benchbed.generators.table_crop import Table
from pytest_benchbed.generators.table_plan import case_plans
from pytest_benchbed.generators.table_plan import table
from pytest_benchbed.generators.table_render import GREYS
from pytest_benchbed.generators.table_render import render

numpy = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")
pdfplumber = pytest.importorskip("pdfplumber")
pytest.importorskip("pypdfium2")

CLEAN = ("sep-002", "sep-005", "sep-008", "sep-010", "sep-012")
PLANS = {plan.id: plan for plan in case_plans()}
DARK = 160


def crop_of(case: str) -> Table:
    return table(PLANS[case])


def image_of(case: str, seed: int = 1) -> numpy.ndarray:
    return numpy.asarray(Image.open(io.BytesIO(render(crop_of(case), seed)[0])))


@pytest.mark.parametrize("case", CLEAN)
def test_every_word_box_holds_ink_and_almost_none_lies_outside(case: str) -> None:
    """The boxes are computed from font widths; the image is painted by a PDF renderer."""
    crop = crop_of(case)
    ink = image_of(case) < DARK
    for x0, y0, x1, y1 in crop.lines:
        ink[int(y0) - 2 : int(y1) + 3, int(x0) - 2 : int(x1) + 3] = False
    left = ink.copy()
    for word in crop.words:
        x0, y0, x1, y1 = word.box
        assert ink[int(y0) : int(y1) + 1, int(x0) : int(x1) + 1].any(), word
        left[int(y0) - 1 : int(y1) + 2, int(x0) - 1 : int(x1) + 2] = False

    assert left.sum() <= 0.002 * ink.sum()


@pytest.mark.parametrize("case", ["sep-002", "sep-005", "sep-012"])
def test_the_pdf_has_the_words_where_the_inputs_say(case: str) -> None:
    crop = crop_of(case)
    scale = crop.dpi / 72
    with pdfplumber.open(io.BytesIO(render(crop, 1)[1])) as pdf:
        (page,) = pdf.pages
        size = (round(page.width * scale), round(page.height * scale))
        there = [
            (word["text"], word["x0"] * scale, word["x1"] * scale, word["bottom"] * scale)
            for word in page.extract_words(x_tolerance=1.2)
        ]

    assert size == (crop.width, crop.height)
    for word in crop.words:
        assert any(
            text == word.text
            and abs(left - word.box[0]) < 0.3
            and abs(right - word.box[2]) < 0.3
            and abs(bottom - word.box[3]) < 2
            for text, left, right, bottom in there
        ), word


def test_lines_are_painted_where_the_crop_says() -> None:
    crop, image = crop_of("sep-001"), image_of("sep-001")

    assert crop.rules == "full"
    for y in crop.rows:
        row = image[int(y) - 1 : int(y) + 2, int(crop.lines[0][0]) + 2 : int(crop.lines[0][2]) - 2]
        assert (row.min(axis=0) < DARK).mean() > 0.98


def test_an_image_is_grey_with_few_greys_and_has_the_size_of_the_crop() -> None:
    crop, image = crop_of("sep-013"), image_of("sep-013")

    assert image.shape == (crop.height, crop.width)
    assert len(numpy.unique(image)) <= GREYS


def test_a_scan_has_no_text_layer_but_the_image_as_its_page() -> None:
    crop = crop_of("sep-013")
    with pdfplumber.open(io.BytesIO(render(crop, 1)[1])) as pdf:
        (page,) = pdf.pages
        assert page.chars == []
        assert page.edges == []
        assert len(page.images) == 1


def test_a_scan_is_noisy_by_its_seed() -> None:
    assert (image_of("sep-013", 1) == image_of("sep-013", 1)).all()
    assert (image_of("sep-013", 1) != image_of("sep-013", 2)).mean() > 0.1


@pytest.mark.parametrize("case", ["sep-078", "sep-104"])
def test_word_boxes_are_turned_with_the_image(case: str) -> None:
    crop = crop_of(case)
    assert (crop.rules, abs(crop.skew) > 50) == ("none", True)
    # Averaging four neighbours takes the noise out; what stays dark is ink.
    grey = image_of(case).astype(float)
    soft = (grey[:-1, :-1] + grey[1:, :-1] + grey[:-1, 1:] + grey[1:, 1:]) / 4
    ink = soft < 130

    left = ink.copy()
    for word in crop.words:
        x0, y0, x1, y1 = word.box
        assert soft[int(y0) : int(y1), int(x0) : int(x1)].min() < 170, word
        left[int(y0) - 1 : int(y1) + 1, int(x0) - 1 : int(x1) + 1] = False

    assert left.sum() < 0.005 * ink.sum()


def test_the_renderer_gets_no_fonts_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed Helvetica would be painted instead of the built-in one."""
    given: list[object] = []
    monkeypatch.setattr("pypdfium2.raw.FPDF_SetSystemFontInfo", given.append)

    source = table_render._use_builtin_fonts.__wrapped__()

    assert given == [source]
    assert not source.MapFont
    assert not source.EnumFonts


def test_fonts_are_settled_before_a_page_is_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(table_render, "_use_builtin_fonts", lambda: asked.append(True))

    render(crop_of("sep-001"), 1)

    assert asked == [True]
