from __future__ import annotations

import random
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

import pytest

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.gate import GATE_VERSION
from pytest_benchbed.runs.metrics import build_metrics
from tests.unit.runs.builders import error
from tests.unit.runs.builders import record
from tests.unit.runs.builders import record_json
from tests.unit.runs.builders import result
from tests.unit.runs.builders import wrong


class Tables(Benchmark):
    id = "table-separators"
    profiles = ("logical", "geometric")
    headline = ("exact", "geometric.offset")


def built(rows: Sequence[Mapping[str, Any]], benchmark: Any = None, **more: Any) -> dict[str, Any]:
    """Build metrics of a run; ``run`` are changes of its record."""
    run = record(**more.pop("run", {}))
    return build_metrics(run, rows, benchmark or Tables(), more.pop("gates", {}), **more)


ROWS = [
    result("a"),
    wrong("b", "merged", category="dense"),
    result("c", state="technical", quality=None),
    result("d", state="skipped", quality=None),
]
BASE = {row["case"]: row for row in [result("a"), result("b"), wrong("z", "merged")]}


@pytest.mark.req("ENV-097")
def test_the_whole_has_the_shape_of_the_format() -> None:
    metrics = built(ROWS, baseline_rows=BASE)

    logical = {"value": 0.5, "counts": [1, 2], "n": 2}
    assert metrics == {
        "schema": "benchbed.metrics.v1",
        "run": "base",
        "scoring_version": "benchbed.table-separators.scores.v1",
        "gate_version": GATE_VERSION,
        "profiles": {
            "logical": {
                "summary": {"exact": logical},
                "by_category": {
                    "dense": {"exact": {"value": 0.0, "counts": [0, 1], "n": 1}},
                    "ruled": {"exact": {"value": 1.0, "counts": [1, 1], "n": 1}},
                },
                "n": {"scored": 2, "technical": 1, "skipped": 1},
                "gate": None,
            },
            "geometric": {
                "summary": {"offset": {"value": 1.5, "counts": None, "n": 2}},
                "by_category": {
                    "dense": {"offset": {"value": 2.5, "counts": None, "n": 1}},
                    "ruled": {"offset": {"value": 0.5, "counts": None, "n": 1}},
                },
                "n": {"scored": 2, "technical": 1, "skipped": 1},
                "gate": None,
            },
        },
        "headline": [
            {
                "profile": "logical",
                "metric": "exact",
                "value": 0.5,
                "baseline": 1.0,
                "change": -0.5,
                # Of two cases nothing can be said: from none to both.
                "interval": [0.0, 1.0],
                "standard_error": pytest.approx(0.5),
                "change_interval": [-1.0, 0.0],
                "relabelling_p": None,
            },
            {
                "profile": "geometric",
                "metric": "offset",
                "value": 1.5,
                "baseline": 0.5,
                "change": 1.0,
                "interval": [0.5, 2.5],
                "standard_error": pytest.approx(1.0),
                "change_interval": [0.0, 2.0],
                "relabelling_p": None,
            },
        ],
        "units": {"all": {"exact": logical}},
        "quality": {"mean": 0.5, "n": 2},
        "latency_s": {"p50": 1.0, "p95": 1.0, "n": 2},
        "cost_usd": {"sum": 0.2, "n": 2},
        "deltas": None,
    }


def test_the_order_of_the_rows_does_not_matter() -> None:
    rows = [
        result(
            f"c-{n}",
            quality=0.1 * n,
            metrics={"logical": {"exact": 0.1 * n}, "geometric": {"offset": 10.0 ** (n - 9)}},
            x={"latency_s": 0.1 * n},
        )
        for n in range(9)
    ]
    shuffled = random.Random(5).sample(rows, len(rows))

    assert canonical(built(rows)) == canonical(built(shuffled))


def test_a_run_without_rows_has_nulls() -> None:
    metrics = built([])

    assert metrics["profiles"]["logical"]["summary"] == {}
    assert metrics["profiles"]["logical"]["n"] == {"scored": 0, "technical": 0, "skipped": 0}
    assert metrics["units"] == {}
    assert metrics["quality"] == {"mean": None, "n": 0}
    assert [line["value"] for line in metrics["headline"]] == [None, None]


@pytest.mark.req("ENV-051")
def test_technical_and_skipped_cases_are_in_no_sum() -> None:
    bad = wrong("c", "merged", state="technical"), wrong("d", "merged", state="skipped")

    metrics = built([result("a"), *bad])

    assert metrics["profiles"]["logical"]["summary"]["exact"] == {
        "value": 1.0,
        "counts": [1, 1],
        "n": 1,
    }


def test_a_declined_case_is_scored_but_never_reaches_the_formula() -> None:
    class Careful(Tables):
        def summarise(self, profile: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
            return {"least": min(row["offset"] for row in rows)} if profile == "geometric" else {}

    declined = result(
        "b",
        errors={name: [error("no-answer")] for name in Tables.profiles},
        metrics={name: {} for name in Tables.profiles},
        quality=0.0,
    )

    metrics = built([result("a"), declined], Careful())

    geometric = metrics["profiles"]["geometric"]
    assert geometric["summary"] == {"least": {"value": 0.5, "counts": None, "n": 1}}
    assert geometric["n"]["scored"] == 2
    assert metrics["quality"] == {"mean": 0.5, "n": 2}


def test_a_ratio_over_nothing_is_null_and_counts_no_case() -> None:
    rows = [result("a", metrics={"logical": {"exact": [0, 0], "f1": None}, "geometric": {}})]

    summary = built(rows)["profiles"]["logical"]["summary"]

    assert summary["exact"] == {"value": None, "counts": None, "n": 0}
    assert summary["f1"] == {"value": None, "counts": None, "n": 0}


def test_a_measure_of_the_whole_counts_the_answered_cases() -> None:
    class Derived(Tables):
        def summarise(self, profile: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
            return {"spread": 0.25, "empty": (0, 0)}

    summary = built([result("a"), result("b")], Derived())["profiles"]["logical"]["summary"]

    assert summary["spread"] == {"value": 0.25, "counts": None, "n": 2}
    assert summary["empty"] == {"value": None, "counts": [0, 0], "n": 2}


def test_cases_without_a_category_are_in_no_group() -> None:
    metrics = built([result("a", category=None), result("b")])

    assert list(metrics["profiles"]["logical"]["by_category"]) == ["ruled"]


@pytest.mark.parametrize("value", ["good", float("nan"), True, (1, 2, 3), (0.5, 1), object()])
def test_a_summary_that_is_no_number_is_a_failure_of_the_scorer(value: Any) -> None:
    class Broken(Tables):
        def summarise(self, profile: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
            return {"exact": value}

    with pytest.raises(TechnicalFailure, match="profile logical, metric exact") as caught:
        built([result("a")], Broken())

    assert caught.value.whose == "scorer"


def test_a_formula_that_breaks_is_a_failure_of_the_scorer() -> None:
    class Broken(Tables):
        def summarise(self, profile: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
            raise KeyError("offset")

    with pytest.raises(TechnicalFailure, match="profile logical: summarise raised KeyError") as got:
        built([result("a")], Broken())

    assert got.value.whose == "scorer"


@pytest.mark.req("ENV-075")
def test_the_change_is_taken_over_the_cases_both_runs_scored() -> None:
    """One re-run case must not be compared with a baseline of all."""
    base = {case: wrong(case, "merged") for case in "abcdefgh"}
    base["z"] = result("z")

    [exact, _] = built([result("a"), result("new")], baseline_rows=base)["headline"]

    assert (exact["value"], exact["baseline"], exact["change"]) == (1.0, 0.0, 1.0)


def test_a_case_the_baseline_could_not_score_takes_no_part_in_the_change() -> None:
    base = {"a": result("a"), "b": wrong("b", "merged", state="technical")}

    [exact, _] = built([result("a"), wrong("b", "merged")], baseline_rows=base)["headline"]

    assert (exact["value"], exact["baseline"], exact["change"]) == (0.5, 1.0, 0.0)


@pytest.mark.parametrize("base", [None, {}])
def test_without_a_baseline_there_is_no_change(base: Any) -> None:
    for line in built(ROWS, baseline_rows=base)["headline"]:
        assert line["baseline"] is None
        assert line["change"] is None


def test_a_headline_is_found_in_the_first_profile_that_has_it() -> None:
    class Wide(Tables):
        headline = ("offset", "logical.offset", "nowhere")

    lines = built([result("a")], Wide())["headline"]

    assert [(line["profile"], line["metric"], line["value"]) for line in lines] == [
        ("geometric", "offset", 0.5),
        ("logical", "offset", None),
        ("logical", "nowhere", None),
    ]


def test_a_fallen_headline_changes_no_gate() -> None:
    """The gate is what it was given; sums stand beside it."""
    metrics = built([wrong("a", "merged")], baseline_rows={"a": result("a")})

    assert metrics["headline"][0]["change"] == -1.0
    assert metrics["profiles"]["logical"]["gate"] is None


def test_units_part_the_cases_under_the_first_profile() -> None:
    metrics = built([result("a"), wrong("b", "merged")], units={"a": "u1", "b": "u2"})

    assert {unit: part["exact"]["value"] for unit, part in metrics["units"].items()} == {
        "u1": 1.0,
        "u2": 0.0,
    }


def attempt(number: int, exact: list[int] | None) -> dict[str, Any]:
    metrics = None if exact is None else {"logical": {"exact": exact}, "geometric": {}}
    return {"attempt": number, "errors": None, "metrics": metrics}


def test_repeats_have_mean_least_and_most_of_the_attempts_sums() -> None:
    rows = [
        result("a", repeats=[attempt(2, [1, 1]), attempt(3, [0, 1])]),
        wrong("b", "merged", repeats=[attempt(2, [1, 1]), attempt(3, [0, 1])]),
    ]

    logical = built(rows, run={"repeats": 3})["profiles"]["logical"]

    assert logical["repeats"] == {"exact": {"mean": 0.5, "min": 0.0, "max": 1.0}}
    assert logical["summary"]["exact"]["value"] == 0.5


@pytest.mark.req("ENV-035")
def test_the_range_of_repeats_is_that_of_the_cases() -> None:
    """Right in turn: each attempt sums up to a half, and no case is steady."""
    rows = [
        result("a", repeats=[attempt(2, [0, 1])]),
        wrong("b", "merged", repeats=[attempt(2, [1, 1])]),
        result("c", repeats=[attempt(2, [1, 1])]),
    ]

    logical = built(rows, run={"repeats": 2})["profiles"]["logical"]

    spread = logical["repeats"]["exact"]
    assert spread == {"mean": pytest.approx(2 / 3), "min": pytest.approx(1 / 3), "max": 1.0}


def test_re_asks_and_failed_repeats_widen_no_sum() -> None:
    rows = [result("a", repeats=[attempt(1, [0, 1]), attempt(2, None), attempt(3, [0, 1])])]

    logical = built(rows, run={"repeats": 2})["profiles"]["logical"]

    assert logical["repeats"] == {"exact": {"mean": 1.0, "min": 1.0, "max": 1.0}}


def test_a_repeated_ratio_over_nothing_is_null() -> None:
    rows = [result("a", metrics={"logical": {"exact": [0, 0]}, "geometric": {}})]

    logical = built(rows, run={"repeats": 2})["profiles"]["logical"]

    assert logical["repeats"] == {"exact": {"mean": None, "min": None, "max": None}}


def test_without_repeats_there_is_no_such_key() -> None:
    assert "repeats" not in built(ROWS)["profiles"]["logical"]


def test_an_unknown_spend_stays_unknown() -> None:
    spend = record_json()["spend"] | {"spent_usd": None}
    x = {"latency_s": None, "cost_usd": None, "usage": None}

    metrics = built([result("a", x=x)], run={"spend": spend})

    assert metrics["cost_usd"] == {"sum": None, "n": 0}
    assert metrics["latency_s"] == {"p50": None, "p95": None, "n": 0}
