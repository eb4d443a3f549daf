from __future__ import annotations

import pytest

from pytest_benchbed.benchmarks.table_separators import TablePrediction
from pytest_benchbed.benchmarks.table_separators import TableSeparators
from pytest_benchbed.generators.table_crop import Table
from pytest_benchbed.generators.table_mistakes import MISTAKES
from pytest_benchbed.generators.table_mistakes import wrong
from pytest_benchbed.generators.table_plan import case_plans
from pytest_benchbed.generators.table_plan import table
from pytest_benchbed.generators.table_variants import BASELINE
from pytest_benchbed.generators.table_variants import FLAKY
from pytest_benchbed.generators.tables import answer
from pytest_benchbed.model.case import Case

PLANS = {plan.id: plan for plan in case_plans()}
USES = [
    *BASELINE.items(),
    *((case, name) for case, names in FLAKY.items() for name in names),
]


def errors(case: str, crop: Table, *names: str) -> dict[str, int]:
    """Return the number of errors per profile."""
    prediction = wrong(crop, *names)
    TablePrediction.from_json(prediction)
    shown = Case(case, "table-separators", crop.inputs("a", "b"))
    scores = TableSeparators().score_case(shown, answer(crop), prediction)
    return {profile: len(score.errors) for profile, score in scores.items()}


@pytest.mark.parametrize(("case", "name"), USES, ids=[f"{case}-{name}" for case, name in USES])
def test_every_mistake_that_is_used_is_one(case: str, name: str) -> None:
    assert sum(errors(case, table(PLANS[case]), name).values()) > 0


def test_every_mistake_is_used_by_the_baseline_variant() -> None:
    assert set(BASELINE.values()) == set(MISTAKES)


def test_no_mistake_changes_the_table_or_the_right_prediction() -> None:
    crop = table(PLANS["sep-004"])
    right = crop.prediction()

    for make in MISTAKES.values():
        make(crop, right)

    assert right == crop.prediction()


def test_spans_keep_to_their_columns_when_a_separator_goes_or_comes() -> None:
    """A system that loses a column numbers the ones behind it anew."""
    crop = table(PLANS["sep-004"])
    (first, second) = [span for span in crop.prediction()["spans"] if span["columns"] > 1][:2]
    lost = wrong(crop, "lost-column")["spans"]
    cut = wrong(crop, "cut-column")["spans"]

    assert first in lost
    assert {**second, "column": second["column"] + 1} in cut


def test_cutting_ink_is_seen_by_the_geometric_profile_only() -> None:
    assert errors("sep-067", table(PLANS["sep-067"]), "cut-ink") == {
        "logical": 0,
        "geometric": len(table(PLANS["sep-067"]).columns),
    }


@pytest.mark.parametrize("name", ["lost-span", "short-span"])
def test_a_table_without_spans_has_none_to_lose(name: str) -> None:
    crop = table(PLANS["sep-001"])

    assert wrong(crop, name) == crop.prediction()


def test_mistakes_add_up() -> None:
    crop = table(PLANS["sep-007"])

    both = errors("sep-007", crop, "lost-span", "lost-row")["logical"]

    assert both > errors("sep-007", crop, "lost-span")["logical"]


def test_an_unknown_mistake_is_refused() -> None:
    with pytest.raises(KeyError):
        wrong(table(PLANS["sep-001"]), "lost-mind")
