"""Which runs may be promoted, and what the bench file says afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.judge import ErrorsDecide
from pytest_benchbed.compare.refuse import Planned
from pytest_benchbed.compare.refuse import Saved
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.runs.promote import Candidates
from pytest_benchbed.runs.promote import check_promotable
from pytest_benchbed.runs.promote import fresh_entry
from pytest_benchbed.runs.promote import kept_entry
from pytest_benchbed.runs.promote import noise_lines
from pytest_benchbed.runs.promote import promoted_entry
from pytest_benchbed.runs.promote import warnings_of_promotion
from tests.unit.runs.builders import record
from tests.unit.runs.builders import record_json
from tests.unit.runs.builders import result
from tests.unit.runs.builders import wrong

CASES = [f"c{number}" for number in range(10)]


def saved(run_id: str, bad: dict[str, Any] | None = None, **changes: Any) -> Saved:
    """A run of ten cases; ``bad``: kinds of errors by case."""
    rows = {case: wrong(case, *(bad or {}).get(case, ())) for case in CASES}
    for case in CASES:
        if case not in (bad or {}):
            rows[case] = result(case)
    counts = record_json()["counts"] | {"scope": 10, "selected": 10, "scored": 10}
    hour = {"base": 10, "c1": 12, "c2": 14, "c3": 16}.get(run_id, 18)
    fields = {"counts": counts, "started_at": f"2026-03-02T{hour}:00:00Z"} | changes
    return Saved(f"/runs/{run_id}", RunFacts(record(run_id, **fields), rows), run_id)


def candidates(baseline: Saved, *controls: Saved) -> Candidates:
    return Candidates(baseline, controls, "logical", ErrorsDecide())


def present(**changes: Any) -> Planned:
    facts = record(dataset=record_json()["dataset"] | changes.pop("dataset", {}))
    fields = {
        "id": "",
        "path": "",
        "benchmark": "table-separators",
        "scoring_version": facts.benchmark.scoring_version,
        "dataset": facts.dataset,
        "judge": None,
        "selected": CASES,
        "called": "what is registered now",
        "remedy": "Score it again.",
    }
    return Planned(**fields | changes)


def refusal(runs: Candidates, now: Planned | None = None, *, strict: bool = False) -> str:
    with pytest.raises(UsageProblem) as refused:
        check_promotable(runs, now or present(), is_strict=strict, is_reasoned=False)
    return str(refused.value)


def part(name: str, **changes: Any) -> dict[str, Any]:
    return {name: record_json()[name] | changes}


GATE = record_json()["gate"]
UNFIT = [
    ({"status": "interrupted"}, "not completed"),
    ({"shard": "1/3"}, "shard 1/3"),
    ({"partial": ["-k x"]}, "is partial: 10 of 10 cases (-k x)"),
    (part("counts", scope=11, selected=10, scored=10), "is partial: 10 of 11"),
    (part("counts", scope=10, selected=10, scored=9, holes=1), "1 case without a result"),
    ({"holes": [{"case": "c1", "reason": "crash"}]}, "1 case without a result"),
    ({"technical": [{"case": None, "whose": "adapter", "kind": "crash", "detail": "x"}]},
     "1 technical failure"),
    (part("spend", unpriced_attempts=2), "2 unpriced calls"),
    (part("spend", budget_usd=0.1), "blocked (spent $0.25, over the budget"),
    (part("adapter", code_sha256=""), "no digest of the adapter's code"),
    (part("dataset", verified="stat"), "checked by stat only"),
    ({"gate": GATE | {"status": "unavailable", "reason": "r"}}, "its gate says unavailable (r)"),
    (part("dataset", version="0.9"), "another dataset version"),
    (part("dataset", identity="e" * 64), "another dataset identity"),
    (part("benchmark", scoring_version="x.v0"), "another scoring version"),
]  # fmt: skip


@pytest.mark.req("ENV-101")
@pytest.mark.parametrize(("changes", "words"), UNFIT, ids=[words for _, words in UNFIT])
@pytest.mark.parametrize("role", ["baseline", "control"])
def test_a_run_that_is_no_whole_measurement_of_the_present_dataset_is_refused(
    role: str, changes: dict[str, Any], words: str
) -> None:
    unfit = saved("x", **changes)
    runs = candidates(unfit) if role == "baseline" else candidates(saved("base"), unfit)

    text = refusal(runs)

    assert text.startswith(f"{role} 'x' ")
    assert words in text


def test_a_whole_run_with_its_controls_is_fit() -> None:
    runs = candidates(saved("base", {"c0": ["a"]}), saved("c1"), saved("c2"))

    check_promotable(runs, present(), is_strict=True, is_reasoned=False)


@pytest.mark.req("ENV-101")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (part("adapter", identity="9" * 64, model="m"), "another system than baseline 'base': mod"),
        (
            part("adapter", identity="9" * 64) | {"isolation": {"level": "off"}},
            "isolation level 'off' against 'process'",
        ),
        (
            {"history": [{"at": "now", "what": "reused", "from": "base", "to": None}]},
            "took outcomes over from run",
        ),
    ],
)
def test_a_control_is_a_new_draw_of_the_same_system(changes: dict[str, Any], words: str) -> None:
    assert words in refusal(candidates(saved("base"), saved("c1", **changes))).replace('"', "'")


def test_a_run_is_named_once_and_a_copy_is_no_control() -> None:
    base = saved("base")
    copy = saved("copy", started_at=base.record.started_at)

    assert "named twice" in refusal(candidates(base, base))
    same = Saved(copy.path, copy.facts, base.results_sha256)
    assert "is a copy of baseline" in refusal(candidates(base, same))


def test_a_control_covers_every_scored_case() -> None:
    control = saved("c1")
    rows = {**control.facts.rows, "c3": result("c3", state="skipped", errors={}, metrics={})}
    short = Saved(control.path, RunFacts(control.record, rows), "c1")

    assert "no scored result for 1 of the cases" in refusal(candidates(saved("base"), short))


@pytest.mark.req("ENV-101")
def test_a_dirty_tree_and_an_unknown_system_warn_and_strict_refuses_the_tree() -> None:
    source = record_json()["adapter"]["source"] | {"dirty": True}
    runs = candidates(saved("base"), saved("c1", **part("adapter", source=source)))
    vague = candidates(saved("base", **part("adapter", identified=False)))

    check_promotable(runs, present(), is_strict=False, is_reasoned=False)

    [dirty] = warnings_of_promotion(runs)
    assert "control c1 was made in a changed working tree" in dirty
    assert "its working tree was changed" in refusal(runs, strict=True)
    assert warnings_of_promotion(vague) == [
        "system not identified (run base): report a version, or watch the product's files"
    ]
    check_promotable(vague, present(), is_strict=True, is_reasoned=False)


def test_a_narrow_scope_warns() -> None:
    runs = candidates(saved("base", scope={"category": ["ruled"]}))

    assert "scope category=ruled alone" in warnings_of_promotion(runs)[0]


def test_a_failed_gate_of_the_baseline_needs_a_reason() -> None:
    failed = {"gate": GATE | {"status": "failed", "reason": "1 regression"}}
    base = saved("base", **failed)

    assert "--reason=TEXT" in refusal(candidates(base))
    check_promotable(candidates(base), present(), is_strict=False, is_reasoned=True)
    check_promotable(
        candidates(saved("base"), saved("c1", **failed)),
        present(),
        is_strict=False,
        is_reasoned=False,
    )


def test_noise_is_told_in_figures() -> None:
    base = saved("base", {"c0": ["a"]})

    alone = noise_lines(candidates(base))
    both = noise_lines(candidates(base, saved("c1", {"c0": ["a"], "c1": ["b"]}), saved("c2")))

    assert alone == [
        "controls 0 · unstable 0 of 10 · unjudged 0 % · noise unknown: no control run · r 0",
        "smallest change seen: 1 case broken every time; spread-out: 1 of 10 judged cases",
    ]
    # The system declares itself deterministic; shown to be none, it would be asked again.
    # F = 2 (2 + 2) / 2 = 4 flaky cases, B(4, 4) = 1/140 each: 1 - exp(-4/140).
    # Of 0, 1 and 0 suspects among the runs 2 are allowed: 5 worse cases are seen.
    # c1 against base and c2: its b is new on a stable case; c2 has nothing of its own.
    assert both == [
        "controls 2 · unstable 2 of 10 · unjudged 20 % · false alarm est. 2.8 % · r 2",
        "smallest change seen: 1 case broken every time; spread-out: 5 of 8 judged cases "
        "(80 % of the time)",
        "A/A, each control as if it were a change: strict red 1 of 2",
    ]


def test_more_than_a_fifth_unstable_is_called_unreliable() -> None:
    noisy = saved("c1", {"c0": ["a"], "c1": ["a"], "c2": ["a"]})

    assert noise_lines(candidates(saved("base"), noisy))[-1] == (
        "warning: unreliable baseline: 3 of 10 cases are unstable"
    )


@pytest.mark.req("ENV-101", "ENV-102")
def test_a_former_baseline_becomes_history() -> None:
    entry = {"entry": "m:f", "baseline": "old", "controls": ["oc"], "history": [{"at": "0"}]}

    changed = promoted_entry(entry, "new", ["nc"], at="2026", reason="better")

    assert changed == {
        "entry": "m:f",
        "baseline": "new",
        "controls": ["nc"],
        "history": [
            {"at": "0"},
            {"at": "2026", "baseline": "old", "controls": ["oc"], "reason": "better"},
        ],
    }
    assert list(changed) == list(entry)


def test_without_a_former_baseline_there_is_no_history_unless_a_reason_stands_in_it() -> None:
    assert promoted_entry({}, "new", [], at="2026", reason=None) == {
        "baseline": "new",
        "controls": [],
    }
    assert promoted_entry({}, "new", [], at="2026", reason="r")["history"] == [
        {"at": "2026", "baseline": None, "controls": [], "reason": "r"}
    ]


def test_what_is_promoted_already_changes_nothing() -> None:
    entry = {"baseline": "base", "controls": ["c1"]}

    assert promoted_entry(entry, "base", ["c1"], at="2026", reason="again") == entry
    assert "history" not in promoted_entry(entry, "base", ["c1", "c2"], at="2026", reason=None)


def test_a_new_entry_has_options_and_model_but_no_secret() -> None:
    adapter = {"options": {"n": 3, "key": "[API_KEY]"}, "model": "m-1"}

    entry, notes = fresh_entry(record(**part("adapter", **adapter)), "tools/x.py:f")

    assert entry == {"entry": "tools/x.py:f", "options": {"n": 3}, "model": "m-1"}
    assert notes == [
        "option key is secret and not written: give it with --bench-adapter-option=key=VALUE"
    ]
    assert fresh_entry(record(), None) == ({}, [])


def test_an_entry_that_asks_otherwise_stays_with_a_note() -> None:
    made = record(**part("adapter", options={"n": 3}, model="m"))

    assert kept_entry(made, {"options": {"n": 3}, "model": "m"}) == []
    assert [note.split()[3] for note in kept_entry(made, {})] == ["options", "model"]
