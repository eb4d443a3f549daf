"""One case as a test: wait for the prediction in setup, score it in call.

``--durations`` therefore tells the system's time from the scorer's. The
outcome is decided here and put into the report; the ledger and the gate read
the recorded result, never the outcome.
"""

from __future__ import annotations

from collections.abc import Generator
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.compare.outcome import ItemOutcome
from pytest_benchbed.compare.outcome import item_outcome
from pytest_benchbed.data.dataset import CaseEntry
from pytest_benchbed.edge.commands import rerun_command
from pytest_benchbed.edge.failure_text import failure_text
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.reasking import NOTHING
from pytest_benchbed.edge.reasking import Asked
from pytest_benchbed.edge.reasking import ask_again
from pytest_benchbed.edge.results import result_text
from pytest_benchbed.edge.session import SESSION
from pytest_benchbed.evaluate.case import Answer
from pytest_benchbed.evaluate.case import Evaluation
from pytest_benchbed.model.canonical import sha256_hex
from pytest_benchbed.model.escape import term


class NoScore(pytest.fail.Exception):  # type: ignore[name-defined, misc]
    """A case without a score: a technical failure, never an assertion.

    pytest asks an item for its text in the call phase alone, and renders a
    traceback in setup, 20 ms each; an exception of its own kind has none.
    """

    def __init__(self, reason: str) -> None:
        """``reason``: of the row."""
        super().__init__(msg=reason, pytrace=False)


# Every item keeps its own; one object for all of an outcome.
_VERDICTS = {
    outcome: ("benchbed_verdict", outcome)
    for outcome in ("passed", "failed", "xfailed", "error", "skipped")
}


def _properties(asked: Asked) -> list[tuple[str, str]]:
    """Return what a suspect's item says of its re-asks; other items say nothing."""
    state = asked.state
    if state is None:
        return []
    return [
        ("benchbed_suspect", state.outcome),
        ("benchbed_reasks", f"wrong in {state.wrong} of {state.attempts}"),
    ]


def case_function() -> None:
    """Stand for the test function: the item runs itself."""


class CaseItem(pytest.Function):
    """One case. It keeps its entry of the index, no parsed case and no answer."""

    # Slots: some more attributes would double the dict of each item.
    __slots__ = ("answers", "decided", "entry", "failure", "plan", "result")

    plan: Plan
    entry: CaseEntry
    result: str
    """The result's JSON, until a report has taken it."""
    decided: ItemOutcome | None
    answers: Sequence[Answer]
    failure: BaseException | None

    def take(self, plan: Plan, entry: CaseEntry) -> None:
        """Remember which case this is; called once, by the collector."""
        self.plan = plan
        self.entry = entry
        self.answers = ()
        self.decided = self.failure = None
        self.result = ""
        if entry.tags or entry.category:
            self.extra_keyword_matches.update(entry.tags)
            if entry.category:
                self.extra_keyword_matches.add(entry.category)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the case's line in ``cases.jsonl`` (zero-based, as pytest wants it)."""
        return self.path, self.entry.line - 1, self.name

    def setup(self) -> None:
        """Set up the user's fixtures, then wait for the prediction."""
        super().setup()
        if self.config.stash[SESSION].is_dry:
            return
        self.answers = [self.plan.scorer.checked(answer) for answer in self._ask()]
        if "not-run" in [answer["state"] for answer in self.answers]:
            pytest.skip("benchbed: not scored, the session was stopped")
        evaluation = None
        first = self.answers[0]
        if first["state"] in ("technical", "unsupported"):
            evaluation = self.plan.scorer.evaluate(self.entry, self.answers)
            self._decide(evaluation)
        if first["state"] == "technical":
            assert evaluation is not None
            self._fail(NoScore(evaluation.row["reason"] or ""))
        if first["state"] == "unsupported":
            assert evaluation is not None
            pytest.skip(term(evaluation.row["reason"] or "not supported by the adapter"))

    def _ask(self) -> list[Answer]:
        asker = self.config.stash[SESSION].asker
        assert asker is not None, "the session starts the broker before the first item"
        answers = []
        for attempt in range(1, self.plan.settings.repeats + 1):
            answers.append(asker.predict(self.plan.name, self.name, attempt))
            if answers[0]["state"] in ("technical", "unsupported", "not-run"):
                break
        return answers

    def runtest(self) -> None:
        """Score all profiles, decide the outcome, fail if it is a failure."""
        evaluation = self.plan.scorer.evaluate(self.entry, self.answers)
        first, self.answers = self.answers[0], ()
        asked = ask_again(self.config.stash[SESSION].asker, self.plan, evaluation.row, first)
        outcome = self._decide(evaluation, asked)
        if outcome.outcome == "error":
            self._fail(NoScore(evaluation.row["reason"] or outcome.reason))
        if outcome.outcome in ("failed", "xfailed"):
            self._fail(AssertionError(failure_text(self.config, self.plan, evaluation, outcome)))

    def _decide(self, evaluation: Evaluation, asked: Asked = NOTHING) -> ItemOutcome:
        plan, row = self.plan, evaluation.row
        case = row["case"]
        outcome = item_outcome(
            row,
            plan.baseline_rows.get(case),
            [rows[case] for rows in plan.control_rows if case in rows],
            profile=plan.profile,
            has_baseline=plan.baseline is not None,
            unpaired=plan.unpaired,
            is_target=case in plan.targets,
            judge=plan.benchmark,
            is_new=case in plan.grown,
            rule=asked.rule,
            state=asked.state,
        )
        if asked.failure:
            outcome = ItemOutcome("error", asked.failure)
        self.decided = outcome
        self.result = result_text(plan.name, row, evaluation.technical)
        self.user_properties += [
            _VERDICTS[outcome.outcome],
            ("benchbed_digest", sha256_hex(self.result.encode("ascii"))),
            ("benchbed_case", case),
            *_properties(asked),
        ]
        return outcome

    def _fail(self, failure: BaseException) -> None:
        self.failure = failure
        raise failure

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """Return our own bounded lines for our failures, pytest's text for a user fixture's."""
        if excinfo.value is self.failure:
            if isinstance(excinfo.value, NoScore):
                return (
                    f"benchbed: no score for {self.name}: {term(excinfo.value.msg or '', 300)}\n"
                    f"  again: {rerun_command(self.config, self.plan, self.name)}"
                )
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class ItemReports:
    """Puts result and outcome into the reports of cases; registered in every process."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Let Ctrl-C end the session as interrupted, whatever it met.

        pytest makes no report of an interrupted setup, and its ``tmp_path`` asks for one
        when it is torn down: a traceback and exit 1. A case spends its time in setup.
        """
        try:
            return (yield)
        except KeyboardInterrupt:
            call = pytest.CallInfo.from_call(lambda: None, when="setup")
            if isinstance(item, pytest.Function) and item.funcargs is None:
                # pytest has let go of them by now, and plugins look into them for a report.
                item.funcargs = {}
            item.ihook.pytest_runtest_makereport(item=item, call=call)
            raise

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put result and outcome into the report.

        ``trylast`` makes this the innermost wrapper: every other plugin's wrapper
        sees the final outcome. ``pytest.xfail()`` is no way to get there, since
        ``--runxfail`` turns it into a pass.
        """
        excinfo = call.excinfo
        failure = item.failure if isinstance(item, CaseItem) else None
        is_ours = excinfo is not None and failure is not None and excinfo.value is failure
        if excinfo is not None and is_ours:
            # Nobody sees our frames; filtering them would cost more than the case.
            excinfo.traceback = excinfo.traceback[-1:]
        report = yield
        if not isinstance(item, CaseItem):
            return report
        if excinfo is not None and is_ours:
            # pytest asks the item for its text in the call phase alone.
            report.longrepr = item.repr_failure(excinfo)
        text = ""
        if item.result and (report.when == "call" or report.outcome != "passed"):
            text, item.result = item.result, ""
        report.benchbed = text  # type: ignore[attr-defined]
        if report.when == "call" and item.decided and item.decided.outcome == "xfailed":
            report.outcome = "skipped"
            report.wasxfail = term(item.decided.reason)
        if report.when == "teardown":
            item.failure = None
        return report
