from __future__ import annotations

from collections import Counter
from collections import defaultdict

import pytest

from pytest_benchbed.generators.font_widths import CHARACTERS
from pytest_benchbed.generators.table_crop import Table
from pytest_benchbed.generators.table_layouts import LAYOUTS
from pytest_benchbed.generators.table_plan import CasePlan
from pytest_benchbed.generators.table_plan import case_plans
from pytest_benchbed.generators.table_plan import document
from pytest_benchbed.generators.table_plan import table


@pytest.fixture(scope="module")
def crops() -> dict[str, tuple[CasePlan, Table]]:
    return {plan.id: (plan, table(plan)) for plan in case_plans()}


def of(crops: dict[str, tuple[CasePlan, Table]], category: str) -> list[Table]:
    return [crop for plan, crop in crops.values() if plan.category == category]


def test_every_layout_has_twelve_cases_and_the_first_thirteen_show_one_of_each() -> None:
    plans = case_plans()

    assert Counter(plan.category for plan in plans) == dict.fromkeys(LAYOUTS, 12)
    assert [plan.category for plan in plans[:13]] == list(LAYOUTS)
    assert [plan.id for plan in plans[::155]] == ["sep-001", "sep-156"]


def test_crops_of_one_document_look_alike(crops: dict[str, tuple[CasePlan, Table]]) -> None:
    looks = defaultdict(set)
    for plan, crop in crops.values():
        looks[plan.document].add((crop.dpi, crop.noise, crop.runs[0].font.split("-")[0]))

    assert all(len(look) == 1 for look in looks.values())
    assert 2 <= max(Counter(plan.document for plan, _ in crops.values()).values()) <= 3


def test_a_case_is_made_from_its_id_alone(crops: dict[str, tuple[CasePlan, Table]]) -> None:
    plan = case_plans()[77]

    assert table(plan) == crops[plan.id][1]


def test_no_table_is_a_single_cell(crops: dict[str, tuple[CasePlan, Table]]) -> None:
    assert all(len(crop.rows) > 3 and len(crop.columns) > 2 for _, crop in crops.values())


def test_every_separator_lies_in_its_gap_and_gaps_do_not_overlap(
    crops: dict[str, tuple[CasePlan, Table]],
) -> None:
    for _, crop in crops.values():
        for positions, gaps in (
            (crop.rows, crop.row_gaps),
            (crop.columns, crop.column_gaps),
        ):
            ends = [end for gap in gaps for end in gap]
            assert ends == sorted(ends)
            for position, (low, high) in zip(positions, gaps, strict=True):
                assert low <= position <= high
                assert high - low >= 2


def test_every_word_lies_in_its_cell_or_span(crops: dict[str, tuple[CasePlan, Table]]) -> None:
    for plan, crop in crops.values():
        rows = (0.0, *crop.rows, float(crop.height))
        columns = (0.0, *crop.columns, float(crop.width))
        for word in crop.words:
            x0, y0, x1, y1 = word.box
            assert columns[word.column] <= x0 < x1 <= columns[word.column + word.columns], plan.id
            assert rows[word.row] <= y0 < y1 <= rows[word.row + word.rows], plan.id


def test_words_stand_by_position_so_that_their_order_says_nothing_about_cells(
    crops: dict[str, tuple[CasePlan, Table]],
) -> None:
    for _, crop in crops.values():
        tops = [(word.box[1], word.box[0]) for word in crop.words]
        assert tops == sorted(tops)


def test_texts_use_characters_with_a_known_width(
    crops: dict[str, tuple[CasePlan, Table]],
) -> None:
    used = {
        character for _, crop in crops.values() for word in crop.words for character in word.text
    }

    assert used <= set(CHARACTERS) - {" "}


def test_crops_are_whole_pixels_and_whole_points(
    crops: dict[str, tuple[CasePlan, Table]],
) -> None:
    for _, crop in crops.values():
        assert crop.width * 72 % crop.dpi == 0
        assert crop.height * 72 % crop.dpi == 0


def test_ruled_tables_have_their_lines_and_unruled_ones_none(
    crops: dict[str, tuple[CasePlan, Table]],
) -> None:
    for crop in of(crops, "ruled"):
        assert len(crop.lines) == len(crop.rows) + len(crop.columns) + 4
    assert not any(crop.lines for crop in of(crops, "unruled"))
    assert {crop.rules for crop in of(crops, "partly-ruled")} >= {"booktabs", "vertical", "frame"}


def test_a_ruled_separator_is_where_its_line_is(
    crops: dict[str, tuple[CasePlan, Table]],
) -> None:
    for crop in of(crops, "ruled"):
        assert set(crop.rows) <= {line[1] for line in crop.lines if line[1] == line[3]}
        assert set(crop.columns) <= {line[0] for line in crop.lines if line[0] == line[2]}


def test_no_line_runs_through_a_spanning_cell(
    crops: dict[str, tuple[CasePlan, Table]],
) -> None:
    checked = 0
    for _, crop in crops.values():
        if crop.rules != "full" or crop.skew:
            continue
        # The outer lines are the border of the table.
        rows = (
            min(line[1] for line in crop.lines),
            *crop.rows,
            max(line[3] for line in crop.lines),
        )
        columns = (
            min(line[0] for line in crop.lines),
            *crop.columns,
            max(line[2] for line in crop.lines),
        )
        for row, column, high, wide in crop.spans:
            top, bottom = rows[row], rows[row + high]
            left, right = columns[column], columns[column + wide]
            for x0, y0, x1, y1 in crop.lines:
                crosses = left < x0 < right and y0 < bottom and y1 > top
                assert not (x0 == x1 and crosses)
                crosses = top < y0 < bottom and x0 < right and x1 > left
                assert not (y0 == y1 and crosses)
            checked += 1
    assert checked > 20


def test_layouts_show_what_their_name_says(crops: dict[str, tuple[CasePlan, Table]]) -> None:
    assert all(any(span[3] > 1 for span in crop.spans) for crop in of(crops, "spanning-headers"))
    assert all(crop.spans[-1][0] == len(crop.rows) for crop in of(crops, "footnote-rows"))
    assert all(len(crop.rows) == 40 for crop in of(crops, "dense-40-rows"))
    for crop in of(crops, "rotated-headers"):
        assert sum(run.is_rotated for run in crop.runs) == len(crop.columns)
    for crop in of(crops, "qualifiers"):
        assert any(word.text.startswith("<") or word.text in "UJB" for word in crop.words)
    for crop in of(crops, "multi-line-cells"):
        assert max(Counter((word.row, word.column) for word in crop.words).values()) > 3
    for crop in of(crops, "units-rows"):
        assert sum("/" in word.text or "°" in word.text for word in crop.words if word.row == 1) > 1


def test_empty_columns_have_no_value_in_the_body(
    crops: dict[str, tuple[CasePlan, Table]],
) -> None:
    entirely = 0
    for crop in of(crops, "empty-columns"):
        count = len(crop.columns) + 1
        body = {word.column for word in crop.words if word.row > 0}
        assert len(body) < count
        bare = count - len({word.column for word in crop.words})
        assert not bare or crop.rules == "full"
        entirely += bare > 0
    assert entirely > 1


def test_scanned_crops_are_turned_by_less_than_a_degree_and_noisy(
    crops: dict[str, tuple[CasePlan, Table]],
) -> None:
    scanned = of(crops, "scanned")

    assert all(0 < abs(crop.skew) < 100 and crop.noise != "none" for crop in scanned)
    assert {crop.skew > 0 for crop in scanned} == {True, False}
    assert all(
        crop.skew == 0 and crop.noise == "none"
        for plan, crop in crops.values()
        if plan.category != "scanned"
    )


def test_spanish_tables_are_spanish_with_a_decimal_comma(
    crops: dict[str, tuple[CasePlan, Table]],
) -> None:
    spanish = of(crops, "spanish-headers")
    texts = [word.text for crop in spanish for word in crop.words]

    assert any("ó" in text or "á" in text for text in texts)
    assert any(text.replace(",", "").isdigit() and "," in text for text in texts)
    assert not any(text.startswith("0.") for text in texts)


def test_documents_are_invented_with_a_year() -> None:
    assert document("doc-es-01").language == "es"
    assert document("doc-scan-01").noise != "none"
    assert document("doc-01").title[-4:].isdigit()
