"""What verdicts do to exit statuses."""

from __future__ import annotations

import pytest

from pytest_benchbed.compare.exit import gate_exit_code
from pytest_benchbed.compare.exit import raises_exit_status
from pytest_benchbed.compare.exit import worst_exit_code
from tests.unit.compare.builders import gate
from tests.unit.compare.builders import row
from tests.unit.compare.builders import run_of

TEN = {f"c{n}": "" for n in range(10)}
SKIPPED = dict.fromkeys(TEN, "!skipped")
PART = run_of({"c0": ""}, not_selected=9)
VERDICTS = {
    "passed": (gate(TEN, TEN), False),
    "failed": (gate({**TEN, "c0": "a"}, TEN), True),
    "blocked": (gate({**TEN, "c0": "!technical"}, TEN), True),
    "baseline required": (gate(TEN), False),
    "unavailable: not supported": (gate(SKIPPED, SKIPPED), False),
    "unavailable: cannot fail": (gate({**TEN, "c0": row("c0", quality=0.5)}, TEN), True),
    "incomplete: selection": (gate(PART, TEN), False),
    "incomplete: selection with a regression": (
        gate(run_of({"c0": "a"}, not_selected=9), TEN),
        False,
    ),
    "incomplete: hole": (gate({**TEN, "c0": "!hole"}, TEN), True),
    "incomplete: hole in a selection": (
        gate(run_of({"c0": "", "c1": "!hole"}, not_selected=8), TEN),
        True,
    ),
    "incomplete: support lost": (gate({**TEN, "c0": "!skipped"}, TEN), True),
    "incomplete: removed": (gate({"c0": ""}, TEN), True),
    "incomplete: unverifiable": (gate(TEN, {**TEN, "c0": row("c0", answer="b")}), True),
    "incomplete: not in baseline": (gate(TEN, {"c0": ""}), True),
    "incomplete: nothing compared": (gate(PART, {"c1": ""}), True),
    "incomplete: a selection of new cases only": (gate(PART, {**TEN, "c0": "!skipped"}), True),
    "incomplete: lost": (
        gate(run_of({"c0": ""}, counts={"scope": 10, "selected": 2}), TEN),
        True,
    ),
    "incomplete: too little judged": (
        gate(TEN, TEN, {**TEN, "c0": "a"}, max_unjudged=0),
        True,
    ),
}


@pytest.mark.req("ENV-065")
@pytest.mark.parametrize("name", VERDICTS)
def test_which_verdicts_raise_the_exit_status(name):
    result, expected = VERDICTS[name]
    assert result.status == name.partition(":")[0]
    by_selection = result.coverage.not_selected > 0
    assert raises_exit_status(result, by_selection, require_gate=False) is expected


@pytest.mark.req("ENV-065")
@pytest.mark.parametrize("name", VERDICTS)
def test_with_require_gate_everything_but_passed_does(name):
    result, _ = VERDICTS[name]
    raised = raises_exit_status(result, partial_by_selection=True, require_gate=True)
    assert raised is (name != "passed")


@pytest.mark.req("ENV-065")
def test_cases_that_the_user_did_not_leave_out_raise_it():
    assert raises_exit_status(gate(PART, TEN), partial_by_selection=False, require_gate=False)


@pytest.mark.req("ENV-065")
def test_a_selection_that_left_nothing_out_is_no_excuse():
    result, _ = VERDICTS["incomplete: too little judged"]
    assert raises_exit_status(result, partial_by_selection=True, require_gate=False)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("passed", 0),
        ("failed", 1),
        ("blocked", 3),
        ("unavailable", 3),
        ("incomplete", 4),
        ("baseline required", 5),
    ],
)
def test_the_command_has_a_code_for_each_status(status, code):
    assert gate_exit_code(status) == code


@pytest.mark.parametrize(
    ("codes", "worst"),
    [((0, 5), 5), ((5, 4), 4), ((4, 1), 1), ((1, 3), 3), ((3, 2), 2), ((0, 0), 0), ((), 4)],
)
def test_a_set_of_runs_exits_with_its_worst_code(codes, worst):
    assert worst_exit_code(codes) == worst
