"""What must hold for every table and every prediction, on the cases that ship."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.benchmarks.table_separators import TablePrediction
from pytest_benchbed.benchmarks.table_separators import TableSeparators
from pytest_benchbed.generators.table_crop import Table
from pytest_benchbed.generators.table_mistakes import MISTAKES
from pytest_benchbed.generators.table_plan import case_plans
from pytest_benchbed.generators.table_plan import table
from pytest_benchbed.generators.tables import answer
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.error import Error
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.model.error import error_key
from pytest_benchbed.scoring.grid import Grid

KIND = TableSeparators()
PLANS = {plan.id: plan for plan in case_plans()}
IDS = list(PLANS)
CASES = st.sampled_from(IDS)
SEEDS = st.integers(min_value=0, max_value=2**32)
Prediction = dict[str, Any]


@cache
def crop_of(case: str) -> Table:
    return table(PLANS[case])


def score(case: str, prediction: Prediction) -> dict[str, ProfileScore]:
    TablePrediction.from_json(prediction)
    crop = crop_of(case)
    shown = Case(case, "table-separators", crop.inputs("a", "b"))
    return KIND.score_case(shown, answer(crop), prediction)


def right(case: str) -> Prediction:
    return crop_of(case).prediction()


def mistaken(case: str, seed: int) -> Prediction:
    """Return a prediction with a few random faults, in the shape of a prediction."""
    chance = random.Random(seed)
    crop, prediction = crop_of(case), right(case)
    for axis, size in (("rows", crop.height), ("columns", crop.width)):
        kept = [value for value in prediction[axis] if chance.random() > 0.1]
        moved = [
            value + chance.uniform(-40, 40) if chance.random() < 0.1 else value for value in kept
        ]
        added = [chance.uniform(-50, size + 50) for _ in range(chance.randrange(3))]
        prediction[axis] = sorted(moved + added)
    limits = len(prediction["rows"]) + 2, len(prediction["columns"]) + 2
    prediction["spans"] = [span for span in prediction["spans"] if chance.random() > 0.2]
    for _ in range(chance.randrange(2)):
        prediction["spans"].append(
            {
                "row": chance.randrange(limits[0]),
                "column": chance.randrange(limits[1]),
                "rows": chance.randint(1, 3),
                "columns": chance.randint(1, 3),
            }
        )
    return prediction


def sets_every_word_right(case: str, prediction: Prediction) -> bool:
    """Say from the definition alone whether the profile ``logical`` must pass."""
    crop = crop_of(case)
    wanted = Grid.from_json(right(case))
    got = Grid.from_json(prediction)
    spans = {span for span in got.spans if span.rows * span.columns > 1}
    if got.size != wanted.size or spans != set(wanted.spans):
        return False
    for word in crop.words:
        x, y = (word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2
        place = sum(edge < y for edge in got.rows), sum(edge < x for edge in got.columns)
        inside = [span for span in spans if span.covers(place)]
        if (word.row, word.column) != ((inside[0].row, inside[0].column) if inside else place):
            return False
    return True


@pytest.mark.parametrize("case", IDS)
def test_the_answer_scores_perfect_in_both_profiles(case: str) -> None:
    scores = score(case, right(case))

    assert [profile.errors for profile in scores.values()] == [(), ()]
    assert scores["logical"].metrics["exact"] == (1, 1)
    hits, cells = scores["logical"].metrics["cell_f1"]
    assert hits == cells > 0
    assert scores["geometric"].metrics["mean_offset_px"] == 0
    assert KIND.quality(scores) == 1


@pytest.mark.parametrize("case", IDS)
def test_an_empty_prediction_passes_nowhere(case: str) -> None:
    scores = score(case, {"rows": [], "columns": [], "spans": []})

    assert all(profile.errors for profile in scores.values())
    assert scores["geometric"].metrics["separator_precision"] is None
    assert scores["geometric"].metrics["mean_offset_px"] is None
    assert KIND.quality(scores) == 0


@pytest.mark.parametrize("case", IDS[::5])
def test_losing_any_separator_is_an_error_in_both_profiles(case: str) -> None:
    for axis in ("rows", "columns"):
        for number in range(len(right(case)[axis])):
            prediction = right(case)
            del prediction[axis][number]
            assert all(profile.errors for profile in score(case, prediction).values())


@pytest.mark.parametrize("case", IDS)
def test_losing_any_span_is_an_error(case: str) -> None:
    for number in range(len(right(case)["spans"])):
        prediction = right(case)
        del prediction["spans"][number]
        assert score(case, prediction)["logical"].errors


@settings(max_examples=80, deadline=None)
@given(case=CASES, seed=SEEDS)
def test_moving_separators_inside_their_gaps_keeps_both_profiles(case: str, seed: int) -> None:
    chance = random.Random(seed)
    crop, prediction = crop_of(case), right(case)
    prediction["rows"] = [chance.uniform(low, high) for low, high in crop.row_gaps]
    prediction["columns"] = [chance.uniform(low, high) for low, high in crop.column_gaps]

    scores = score(case, prediction)

    assert [profile.errors for profile in scores.values()] == [(), ()]


@settings(max_examples=120, deadline=None)
@given(case=CASES, seed=SEEDS)
def test_logical_passes_exactly_if_every_word_is_in_the_right_cell_of_the_right_grid(
    case: str, seed: int
) -> None:
    prediction = mistaken(case, seed)

    passed = not score(case, prediction)["logical"].errors

    assert passed == sets_every_word_right(case, prediction)


@settings(max_examples=80, deadline=None)
@given(case=CASES, seed=SEEDS)
def test_geometric_passes_exactly_if_each_gap_holds_one_separator(case: str, seed: int) -> None:
    prediction = mistaken(case, seed)
    crop = crop_of(case)
    fits = all(
        len(prediction[axis]) == len(gaps)
        and all(
            low - 2 <= position <= high + 2
            for position, (low, high) in zip(prediction[axis], gaps, strict=True)
        )
        for axis, gaps in (("rows", crop.row_gaps), ("columns", crop.column_gaps))
    )

    assert (not score(case, prediction)["geometric"].errors) == fits


def ratio(value: Any) -> float:
    return value[0] / value[1] if value and value[1] else 0.0


@settings(max_examples=60, deadline=None)
@given(case=CASES, seed=SEEDS)
def test_a_doubled_separator_never_helps(case: str, seed: int) -> None:
    chance = random.Random(seed)
    # Spans are named by number, so a further separator would give them other rows.
    prediction = mistaken(case, seed) | {"spans": []}
    axis = chance.choice([axis for axis in ("rows", "columns") if prediction[axis]] or ["rows"])
    doubles = [chance.choice(prediction[axis])] if prediction[axis] else [1.0, 1.0]
    doubled = prediction | {axis: sorted([*prediction[axis], *doubles])}

    before, after = score(case, prediction), score(case, doubled)

    for profile in KIND.profiles:
        assert after[profile].errors
        assert len(after[profile].errors) >= len(before[profile].errors)
        assert after[profile].metrics["exact"] == (0, 1)
    old, new = before["geometric"].metrics, after["geometric"].metrics
    assert ratio(new["separator_precision"]) <= ratio(old["separator_precision"])
    assert new["separator_recall"] == old["separator_recall"]
    assert new["mean_offset_px"] == old["mean_offset_px"]
    assert ratio(after["logical"].metrics["cell_f1"]) <= ratio(before["logical"].metrics["cell_f1"])


@settings(max_examples=40, deadline=None)
@given(case=CASES, seed=SEEDS)
def test_a_doubled_span_changes_nothing(case: str, seed: int) -> None:
    prediction = mistaken(case, seed)
    doubled = prediction | {"spans": prediction["spans"] * 2}

    assert score(case, doubled) == score(case, prediction)


@settings(max_examples=60, deadline=None)
@given(case=CASES, seed=SEEDS)
def test_a_further_separator_in_a_gap_that_is_found_never_improves_the_offset(
    case: str, seed: int
) -> None:
    chance = random.Random(seed)
    crop, prediction = crop_of(case), right(case)
    prediction["columns"] = [chance.uniform(low, high) for low, high in crop.column_gaps]
    low, high = chance.choice(crop.column_gaps)
    more = prediction | {"columns": sorted([*prediction["columns"], chance.uniform(low, high)])}

    before, after = score(case, prediction)["geometric"], score(case, more)["geometric"]

    assert after.metrics["mean_offset_px"] >= before.metrics["mean_offset_px"]
    assert after.errors


@settings(max_examples=60, deadline=None)
@given(case=CASES, seed=SEEDS)
def test_order_of_separators_and_spans_plays_no_part(case: str, seed: int) -> None:
    prediction = mistaken(case, seed)
    shuffled = {
        name: random.Random(seed).sample(values, len(values)) for name, values in prediction.items()
    }
    crop = crop_of(case)
    shown = Case(case, "table-separators", crop.inputs("a", "b"))

    assert KIND.score_case(shown, answer(crop), shuffled) == score(case, prediction)


@pytest.mark.req("ENV-008")
@settings(max_examples=60, deadline=None)
@given(case=CASES, seed=SEEDS)
def test_the_identity_of_an_error_survives_json_and_a_second_scoring(case: str, seed: int) -> None:
    prediction = mistaken(case, seed)
    reread = json.loads(json.dumps(prediction))

    for first, second in zip(
        score(case, prediction).values(), score(case, reread).values(), strict=True
    ):
        rows = [json.loads(json.dumps(error.to_json())) for error in first.errors]
        assert [error_key(row) for row in rows] == [error.key for error in second.errors]
        assert {Error.from_json(row) for row in rows} == set(second.errors)


@settings(max_examples=60, deadline=None)
@given(case=CASES, seed=SEEDS, shift=st.floats(min_value=-0.4, max_value=0.4))
def test_a_hair_of_difference_leaves_the_errors_as_they_are(
    case: str, seed: int, shift: float
) -> None:
    """A system that is off by a fraction of a pixel made no other mistake."""
    crop = crop_of(case)
    name = random.Random(seed).choice(["lost-row", "lost-column", "empty-row", "no-grid"])
    prediction = MISTAKES[name](crop, right(case))
    moved = prediction | {
        "rows": [value + shift for value in prediction["rows"]],
        "columns": [value + shift for value in prediction["columns"]],
    }

    before, after = score(case, prediction), score(case, moved)

    assert before["logical"].keys == after["logical"].keys
    assert before["geometric"].keys == after["geometric"].keys


@settings(max_examples=60, deadline=None)
@given(case=CASES, seed=SEEDS)
def test_mending_one_of_several_lost_rows_is_no_new_error(case: str, seed: int) -> None:
    chance = random.Random(seed)
    count = len(right(case)["rows"])
    lost = chance.sample(range(count), min(3, count))

    def without(numbers: list[int]) -> frozenset[str]:
        rows = [row for number, row in enumerate(right(case)["rows"]) if number not in numbers]
        return score(case, right(case) | {"rows": rows, "spans": []})["geometric"].keys

    assert without(lost[1:]) < without(lost)


@settings(max_examples=80, deadline=None)
@given(case=CASES, seed=SEEDS)
def test_a_random_prediction_loses(case: str, seed: int) -> None:
    chance = random.Random(seed)
    crop = crop_of(case)
    prediction = {
        "rows": sorted(chance.uniform(0, crop.height) for _ in crop.rows),
        "columns": sorted(chance.uniform(0, crop.width) for _ in crop.columns),
        "spans": [],
    }

    scores = score(case, prediction)

    assert scores["logical"].errors
    assert scores["geometric"].errors
    assert ratio(scores["logical"].metrics["cell_f1"]) < 1


@pytest.mark.parametrize(
    "swap",
    [
        lambda prediction: (
            prediction | {"rows": prediction["columns"], "columns": prediction["rows"]}
        ),
        lambda prediction: prediction | {"columns": [x / 2 for x in prediction["columns"]]},
        lambda prediction: prediction | {"rows": [y * 72 / 108 for y in prediction["rows"]]},
    ],
    ids=["axes-swapped", "half-scale", "points-not-pixels"],
)
def test_typical_confusions_lose_in_both_profiles(swap: Callable[[Prediction], Prediction]) -> None:
    for case in IDS[:26]:
        assert all(profile.errors for profile in score(case, swap(right(case))).values())


def test_the_prediction_for_another_table_loses() -> None:
    for case, other in zip(IDS[:40], IDS[13:53], strict=True):
        assert all(profile.errors for profile in score(case, right(other)).values())
