"""What holds for every set of runs under the rules that know the noise."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_benchbed.compare.confirm import CONFIRMED
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.gate import decide_by
from pytest_benchbed.compare.rules import ChosenRule
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.gate import GateResult
from tests.properties.test_gate import shuffled
from tests.unit.compare.builders import PROFILE
from tests.unit.compare.builders import Judging
from tests.unit.compare.builders import reask
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

CASES = [f"c{n}" for n in range(5)]
RULES = st.sampled_from(["confirm", "allowance", "strict", "auto"])
ERRORS = st.sampled_from(["", "", "", "a", "b", "ab"])
OLD = st.fixed_dictionaries(dict.fromkeys(CASES, st.sampled_from(["", "", "", "a"])))
REASKS = st.lists(st.one_of(ERRORS, st.sampled_from(["!technical", "!budget"])), max_size=3)
NEW = st.fixed_dictionaries(dict.fromkeys(CASES, st.tuples(ERRORS, REASKS)))
CONTROLS = st.lists(OLD, max_size=3)
GROUPS = st.dictionaries(st.sampled_from(CASES), st.sampled_from(["d", "e"]))
QUICK = settings(max_examples=60, deadline=None)
GREENER = {"passed": 0, "incomplete": 1, "failed": 2}


def candidate_of(cases: dict[str, Any]) -> RunFacts:
    rows = {}
    for case, (errors, asked) in cases.items():
        given_back = [reask(one, number) for number, one in enumerate(asked, start=2)]
        rows[case] = {**row(case, errors), **({"reasks": given_back} if asked else {})}
    # An error that everybody makes keeps the type able to fail.
    return run_of({**rows, "other": "z"})


def runs_of(baseline, controls) -> list[RunFacts]:
    columns = [("base", baseline), *((f"control-{n}", one) for n, one in enumerate(controls))]
    return [run_of({**cases, "other": "z"}, name) for name, cases in columns]


def judged(rule, candidate, baseline, controls, groups=None, targets=()) -> GateResult:
    base, *others = runs_of(baseline, controls)
    return decide_by(
        ChosenRule(rule, rule),
        candidate if isinstance(candidate, RunFacts) else candidate_of(candidate),
        base,
        others,
        profile=PROFILE,
        decides=True,
        targets=targets,
        judge=Judging(),
        groups=groups,
    )


@QUICK
@given(RULES, NEW, OLD, CONTROLS, GROUPS, st.sets(st.sampled_from(CASES), max_size=1), st.data())
def test_another_error_never_turns_a_verdict_greener(
    rule, new, baseline, controls, groups, targets, data
):
    case = data.draw(st.sampled_from(CASES))
    errors, asked = new[case]
    places = [place for place, one in enumerate(asked) if not one.startswith("!")]
    place = data.draw(st.sampled_from([None, *places]))
    letter = data.draw(st.sampled_from("abc"))
    if place is None:
        changed = ("".join(sorted({*errors, letter})), asked)
    else:
        more = "".join(sorted({*asked[place], letter}))
        changed = (errors, [*asked[:place], more, *asked[place + 1 :]])

    before = judged(rule, new, baseline, controls, groups, targets)
    after = judged(rule, {**new, case: changed}, baseline, controls, groups, targets)

    assert GREENER[before.status] <= GREENER[after.status], (before.reason, after.reason)


@QUICK
@given(RULES, NEW, OLD, CONTROLS, GROUPS, st.integers())
def test_order_of_cases_errors_and_controls_changes_nothing(
    rule, new, baseline, controls, groups, seed
):
    base, *others = runs_of(baseline, controls)
    straight = judged(rule, new, baseline, controls, groups)
    turned = decide_by(
        ChosenRule(rule, rule),
        shuffled(candidate_of(new), seed),
        shuffled(base, seed),
        random.Random(seed).sample([shuffled(one, seed) for one in others], len(others)),
        profile=PROFILE,
        decides=True,
        targets=(),
        judge=Judging(),
        groups=dict(sorted(groups.items(), reverse=True)),
    )
    assert canonical(straight.to_json()) == canonical(turned.to_json())


@QUICK
@given(NEW, OLD, CONTROLS)
def test_what_confirm_confirms_strict_fails_and_a_wobble_only_clears(new, baseline, controls):
    strict = judged("strict", new, baseline, controls)
    confirm = judged("confirm", new, baseline, controls)
    allowance = judged("allowance", new, baseline, controls)

    assert [one.case for one in strict.suspects] == [one.case for one in confirm.suspects]
    if confirm.status == "failed" or allowance.status == "failed":
        assert strict.status == "failed"
    if any(one.outcome in CONFIRMED for one in confirm.suspects):
        assert confirm.status == "failed"
    if strict.status == "passed":
        assert (confirm.status, allowance.status) == ("passed", "passed")
    # More suspects than allowed fail both, whatever re-asks show.
    if confirm.allowed is not None and len(confirm.suspects) > confirm.allowed:
        assert (confirm.status, allowance.status) == ("failed", "failed")


@QUICK
@given(RULES, OLD, CONTROLS, GROUPS)
def test_the_old_code_again_has_no_suspect(rule, baseline, controls, groups):
    again = {case: (errors, []) for case, errors in baseline.items()}
    result = judged(rule, again, baseline, controls, groups)
    assert (result.status, result.suspects) == ("passed", [])


@QUICK
@given(RULES, NEW, OLD, CONTROLS)
def test_a_group_of_its_own_for_each_case_is_no_group(rule, new, baseline, controls):
    alone = {case: f"doc-{case}" for case in CASES}
    plain = judged(rule, new, baseline, controls).to_json()
    grouped = judged(rule, new, baseline, controls, alone).to_json()
    assert plain == grouped


@QUICK
@given(NEW, OLD, CONTROLS)
def test_every_verdict_tells_what_it_could_see_and_how_often_it_is_wrong(new, baseline, controls):
    result = judged("confirm", new, baseline, controls)
    assert result.r in ({3} if not controls else {1, 2, 3, 4, 5})
    assert (result.allowed is None) == (not controls)
    assert (result.false_alarm.estimate is None) == (not controls)
    assert result.loo_counts is None or len(result.loo_counts) == result.K + 1
    assert result.smallest_change.single == (1 if result.smallest_change.of else None)
