"""What stands beside a verdict: complete, and honest about what is not known."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.gate import with_holm
from pytest_benchbed.report.facts import facts
from pytest_benchbed.report.facts import headline_sentence
from pytest_benchbed.report.facts import isolation_text
from pytest_benchbed.report.facts import limits
from pytest_benchbed.report.facts import spend_text
from pytest_benchbed.report.provenance import how_it_was_run
from pytest_benchbed.report.provenance import identity
from tests.unit.compare.builders import reask
from tests.unit.report.builders import Made
from tests.unit.report.builders import error
from tests.unit.report.builders import load
from tests.unit.report.builders import record
from tests.unit.report.builders import write_run

X = error("x")


def of(run_dir) -> dict[str, str]:
    view = load(run_dir)
    return {fact.name: fact.text for fact in facts(view.record, view.gate)}


def test_a_verdict_with_a_control_shows_its_noise(tmp_path) -> None:
    cases = [Made("a", repeats=[[X]]), *[Made(f"b{n}") for n in range(9)]]

    shown = of(write_run(tmp_path / "runs", cases))

    assert shown == {
        "Rule": "strict (auto)",
        "What the rule did": "No stable case is worse than the old code.",
        "Suspects": "0",
        "Coverage": "compared 10 of 10, unstable 1 (10 %), retired 0, skipped 0",
        "Noise": "1 control (2 d old); flaky cases estimated at 3; false alarm estimated at 22 %",
        "System": "acme-extract 2.3.1, identified",
        "Smallest visible change": "1 case broken every time; spread-out: 1 of 9 judged cases; "
        "nothing can be seen in 1 case (unstable, retired or skipped)",
        "Direction": "against the baseline alone 0 worse, 0 better, 0 both; sign test p 1 "
        "(by case); information only",
    }


def test_what_asking_again_showed_and_took_stands_in_every_verdict(tmp_path) -> None:
    again = {"reasks": [reask("", 2)]}
    noisy = [Made(f"b{n}", repeats=[[X], [], []] if n == 0 else [[], [], []]) for n in range(9)]
    cases = [Made("a", now=[X], repeats=[[], [], []], extra=again), *noisy]
    spend = {**record("x").to_json()["spend"], "reask_usd": 0.004}

    view = load(write_run(tmp_path / "runs", cases, rule="confirm", spend=spend))
    shown = {fact.name: fact.text for fact in facts(view.record, view.gate)}

    assert shown["Suspects"] == (
        "1 of 2 allowed; confirmed 0; wobbled 1; unconfirmed 0; 1 re-ask call, $0.004"
    )
    # As in the terminal, not rounded to a whole number of cases.
    assert shown["Noise"] == (
        "3 controls (2 d, 3 d, 4 d old); flaky cases estimated at 1.7; a suspect is asked again "
        "up to once; false alarm estimated at 1.6 %"
    )


def test_p_by_holm_stands_beside_the_sign_test_of_several_profiles(tmp_path) -> None:
    view = load(write_run(tmp_path / "runs", [Made("a", now=[X]), Made("b", now=[X])]))
    gate = with_holm({"logical": view.gate, "geometric": view.gate})["logical"]

    shown = {fact.name: fact.text for fact in facts(view.record, gate)}

    assert shown["Direction"] == (
        "against the baseline alone 2 worse, 0 better, 0 both; sign test p 0.25 (by case), by Holm "
        "over all profiles 0.5; information only"
    )


def test_controls_that_agree_prove_little_and_the_limit_is_shown(tmp_path) -> None:
    shown = of(write_run(tmp_path / "runs", [Made("a", repeats=[[], []])]))

    assert shown["Noise"] == (
        "2 controls (2 d, 3 d old); flaky cases estimated at 0; false alarm estimated at 0 % "
        "(at most 26 % with 95 % confidence)"
    )


def test_without_a_control_the_noise_is_unknown(tmp_path) -> None:
    shown = of(write_run(tmp_path / "runs", [Made("a")]))

    assert shown["Noise"].startswith("unknown: no control run.")


def test_a_first_run_says_that_no_change_could_be_seen(tmp_path) -> None:
    shown = of(write_run(tmp_path / "runs", [Made("a")], paired=False))

    assert shown["Smallest visible change"] == "nothing was compared, so no change could be seen"
    assert "Direction" not in shown


def test_retired_cases_are_counted_without_a_comparison_too(tmp_path) -> None:
    counts = {"scope": 1, "selected": 1, "scored": 1, "technical": 0, "skipped": 0, "retired": 2,
              "holes": 0}  # fmt: skip

    shown = of(write_run(tmp_path / "runs", [Made("a")], paired=False, counts=counts))

    assert "retired 2" in shown["Coverage"]


def test_what_was_not_judged_is_counted(tmp_path) -> None:
    cases = [Made("a", now=[error("no-answer")]), Made("b", state="skipped"), Made("c")]

    shown = of(write_run(tmp_path / "runs", cases, holes={"d": "crash"}, targets=["c"]))

    assert "no answer 1" in shown["Coverage"]
    assert "skipped 1" in shown["Coverage"]
    assert "without a result 1" in shown["Coverage"]
    assert shown["Targets"] == "1 of 1 without an error"


def test_a_system_that_is_not_identified_is_named(tmp_path) -> None:
    adapter = record("x").to_json()["adapter"] | {"identified": False, "version": ""}

    shown = of(write_run(tmp_path / "runs", [Made("a")], adapter=adapter))

    assert shown["System"].startswith("acme-extract, not identified (after): neither a version")


def test_a_fall_that_was_justified_is_told_with_its_reason(tmp_path) -> None:
    view = load(write_run(tmp_path / "runs", [Made("a"), Made("b", before=[X])]))
    gate = view.gate.model_copy(update={"justification": "the old ruler was wrong"})

    shown = {fact.name: fact.text for fact in facts(view.record, gate)}

    assert shown["Justification"] == "the old ruler was wrong"
    assert headline_sentence(view.record, gate, view.counts, "passed") == (
        "Compared with baseline base, no stable case got worse and 1 got better. "
        "A reason was given for the fall."
    )
    assert headline_sentence(view.record, gate, {}, "failed") == (
        "Compared with baseline base, nothing changed. A reason was given for the fall."
    )


@pytest.mark.parametrize(
    ("isolation", "text"),
    [
        ({"level": "process", "network": "none"},
         "process (a process of its own, not confined), no network declared"),
        ({"level": "bwrap", "network": "none"}, "bwrap (confined in a container), no network"),
        ({"level": "off", "network": "all"}, "off (no confinement, no limits), network open"),
        ({}, "not recorded, network not recorded"),
    ],
)  # fmt: skip
def test_isolation_is_called_what_it_is(isolation, text: str) -> None:
    """``none`` is a promise of the adapter as long as nothing enforces it."""
    assert isolation_text(record("a", isolation=isolation)) == text


@pytest.mark.req("ENV-049")
@pytest.mark.parametrize(
    ("spend", "text"),
    [
        ({"spent_usd": 0}, "$0.00"),
        ({"spent_usd": None}, "not reported"),
        ({"spent_usd": None, "unpriced_attempts": 2}, "unknown: 2 calls without a price"),
        ({"spent_usd": 1.5, "budget_usd": 2, "reask_usd": 0.25, "judge_usd": 0.1},
         "$1.50, of it $0.25 for asking again; judge $0.10; budget $2.00"),
    ],
)  # fmt: skip
def test_spend_that_is_not_known_is_not_zero(spend, text: str) -> None:
    assert spend_text(record("a", spend=spend)) == text


def test_limits_are_stated(tmp_path) -> None:
    base = record("x").to_json()
    run = record(
        "a",
        isolation={"level": "off", "network": "all"},
        partial=["-k x"],
        shard="1/2",
        dataset=base["dataset"] | {"verified": "stat", "canary": "absent"},
        adapter=base["adapter"] | {"source": {"commit": "c", "branch": None, "dirty": True}},
    )

    text = " ".join(limits(run, None))

    for part in ("without confinement", "network access", "in no commit", "No control run",
                 "-k x", "shard 1/2", "size and date only", "no canary"):  # fmt: skip
        assert part in text
    confined = record("a", isolation={"level": "bwrap", "network": "none"})
    assert len(limits(confined, None)) == 2


def test_everything_needed_to_repeat_a_run_is_told() -> None:
    base = record("x").to_json()
    run = record(
        "a",
        adapter=base["adapter"] | {"options": {"k": 1}, "model": "m", "settings": ["s=1"],
                                   "source": None},
        isolation={"level": "process", "network": "none", "allow": ["shm"], "reads": ["/weights"],
                   "unavailable": {"landlock": "old kernel"}},
        repeats=3, scope={"category": ["dense", "ruled"]}, note="why",
        controls=[{"id": "c1", "identity": "e" * 64}], finished_at=None,
        history=[{"at": "2026-03-03T00:00:00Z", "what": "rescored", "from": 1, "to": 2}],
    )  # fmt: skip

    told = {fact.name: fact.text for fact in how_it_was_run(run)}

    assert told["Time"] == "2026-03-02 10:00 UTC"
    assert told["Adapter options"] == '{"k": 1}'
    assert told["Attempts"] == "3 of each case; the first one decides"
    assert told["Scope"] == "category dense, ruled"
    assert told["No landlock"] == "old kernel"
    assert told["Left open"] == '["shm"]'
    assert told["Note"] == "why"
    assert told["Changed 2026-03-03 00:00 UTC"] == "rescored"
    assert "Working copy" not in told
    shown = {fact.name: fact.text for fact in identity(run)}
    assert shown["System"] == "acme-extract 2.3.1, model m"
    assert shown["Controls"] == "c1"
