"""The controlling process: starts the calls, keeps the ledger, ends with the gate.

In-process the items ask the broker directly; under xdist over the channel of
``transport.py``. The gate reads recorded results alone, never pytest outcomes.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from pytest_benchbed.compare.noise import joint_alarm
from pytest_benchbed.compare.phrases import percent
from pytest_benchbed.edge import activation
from pytest_benchbed.edge.asking import LocalAsker
from pytest_benchbed.edge.finish import Verdict
from pytest_benchbed.edge.ledger import Ledger
from pytest_benchbed.edge.live import LiveRuns
from pytest_benchbed.edge.progress import Progress
from pytest_benchbed.edge.refused import is_distributed
from pytest_benchbed.edge.session import CHANNEL
from pytest_benchbed.edge.session import RUN_IDS
from pytest_benchbed.edge.session import BenchSession
from pytest_benchbed.edge.terminal import LastLine
from pytest_benchbed.edge.terminal import SummaryRestore
from pytest_benchbed.edge.terminal import SummarySwap
from pytest_benchbed.edge.terminal import say_line
from pytest_benchbed.edge.transport import Server
from pytest_benchbed.edge.user_tests import wanted_cases
from pytest_benchbed.model.bulk import few_collections
from pytest_benchbed.model.bulk import out_of_sight
from pytest_benchbed.model.bulk import quick_turns
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.model.errors import RunRefused
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term


def register_controller(session: BenchSession) -> None:
    """Register what only the controlling process has.

    Raises:
        pytest.UsageError: a baseline or control that cannot be compared with,
            or a dataset whose files differ from its pins.
    """
    controller = Controller(session)
    if not activation.is_dry(session.config):
        try:
            controller.live.check()
        except BenchbedError as error:
            raise pytest.UsageError(str(error)) from None
    manager = session.config.pluginmanager
    manager.register(controller, "benchbed-controller")
    manager.register(LastLine(controller), "benchbed-last-line")
    manager.register(SummarySwap(session.config), "benchbed-summary-swap")
    manager.register(SummaryRestore(session.config), "benchbed-summary-restore")
    manager.register(XdistHooks(controller), "benchbed-xdist")
    progress = Progress(session.config, controller.ledger.progress, controller.live.spent)
    manager.register(progress, "benchbed-progress")


class Controller:
    """One method an event; the order of the end is in :meth:`pytest_sessionfinish`."""

    def __init__(self, session: BenchSession) -> None:
        """Nothing is started yet."""
        self.session = session
        self.config = session.config
        self.ledger = Ledger(session.plans, session.plan_of_path)
        self.live = LiveRuns(session, self.ledger, self.say)
        self.wanted: Mapping[str, Sequence[str]] = {}
        """Cases that tests of the user ask for; no item of ours, no row, no hole."""
        self.server = Server(
            lambda: self.live.broker, self.live.rechecks, self.live.calls_path, self.want
        )
        self.verdicts: list[Verdict] = []
        self.is_armed = False
        self._failed = 0
        self._observer = ""
        """What an observer raised, if one did."""
        self._is_ended = False
        self._aside = ExitStack()
        """What is changed in the interpreter until the session is over."""
        # Not pytest_unconfigure: that of another plugin may raise before ours is called.
        self.config.add_cleanup(self._leave)

    def say(self, line: str) -> None:
        """Print one line at once, also while pytest captures."""
        say_line(self.config, line)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """In-process: all items are known, nothing has run.

        A syntax error in any test file makes pytest stop after this hook and
        before the first item: what was started here would be paid for nothing.
        """
        if activation.is_dry(self.config) or is_distributed(self.config):
            return
        if session.testsfailed and not self.config.option.continue_on_collection_errors:
            return
        if self.session.usage_problem:
            return
        self.wanted = wanted_cases(session.items)
        self.start([item.nodeid for item in session.items])

    def want(self, cases: Mapping[str, Sequence[str]]) -> None:
        """Take from a worker what user tests ask for; all workers say the same."""
        self.wanted = cases

    def start(self, node_ids: list[str]) -> None:
        """Begin the calls for exactly the selected cases."""
        self.ledger.expect(node_ids)
        try:
            with few_collections():
                self.live.start(self.wanted)
                if len(node_ids) == self.ledger.progress()[1]:
                    # A test of the user's may look at all objects that there are.
                    self._aside.enter_context(out_of_sight())
                self._aside.enter_context(quick_turns())
        except BenchbedError as error:
            # Too late for a usage error: its text would be lost among the workers'.
            why = " ".join(str(error).splitlines())
            self.live.broke(why)
            self._is_ended = True
            is_refusal = isinstance(error, UsageProblem | RunRefused)
            pytest.exit(
                f"benchbed: {term(why, 600)}",
                returncode=pytest.ExitCode.USAGE_ERROR if is_refusal else 1,
            )
        if self.live.broker is not None:
            self.session.asker = LocalAsker(self.live.broker, self.live.rechecks)
        why = self.live.nothing_starts()
        if why and len(node_ids) == self.ledger.progress()[1]:
            # The same error once for every case would help nobody. Tests of the user's go on.
            self.ledger.stop("the adapter cannot be started")
            self._is_ended = True
            pytest.exit(f"benchbed: {term(why, 600)}", returncode=pytest.ExitCode.TESTS_FAILED)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        """Arm the gate: a session that only looks never has a verdict."""
        self.is_armed = not activation.is_dry(self.config)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record a result; stop the calls when pytest is about to stop the session."""
        try:
            recorded = self.ledger.record(report)
        except BenchbedError as error:
            # Nothing more is paid for what could not be kept.
            self._cannot_go_on(error)
            recorded = None
        if recorded is not None and self._has_observers():
            run, case = recorded
            result = {"benchmark": run.plan.name, **run.rows[case]}
            try:
                self.config.hook.pytest_benchbed_case_scored(config=self.config, result=result)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                # The run goes on and is written; the session is not green.
                self._observer = (
                    f"pytest_benchbed_case_scored raised {type(error).__name__}: {error}"
                )
        if report.failed and not hasattr(report, "wasxfail"):
            self._failed += 1
            limit = self.config.getoption("maxfail", 0)
            if limit and self._failed >= limit and self.live.broker is not None:
                # xdist puts its own stop behind the items queued in each worker.
                self.live.broker.stop("stopped after failures (-x, --maxfail)")

    def _has_observers(self) -> bool:
        return bool(self.config.hook.pytest_benchbed_case_scored.get_hookimpls())

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Stop the calls, then gate, then write; ``tryfirst``: xdist ends its nodes next."""
        if not self.is_armed and not self.live.runs:
            return
        if stop := session.shouldfail or session.shouldstop:
            self.ledger.stop(str(stop))
        try:
            with few_collections():
                self.verdicts = self.live.finish(self.server, int(session.exitstatus))
            if self._observer:
                self.live.broke(self._observer)
            if self.live.is_interrupted:
                session.exitstatus = pytest.ExitCode.INTERRUPTED
        except KeyboardInterrupt:
            self.live.kill()
            self.live.broke(f"interrupted while it was written{self.live.how_to_go_on()}")
            self.verdicts = []
        except (BenchbedError, OSError) as error:
            # A full disk, most likely; what was paid for is on record.
            self._cannot_go_on(error)
            self.live.kill()
        except BaseException as error:
            # Also sys.exit() or pytest.skip() in a type or an observer: neither ends green.
            # An exception here would print a raw traceback and skip the summary.
            self.live.broke(f"{type(error).__name__}: {error}")
            self.live.kill()
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
            if getattr(self.config.option, "verbose", 0) > 0:
                raise
        self.raise_exit(session)

    def raise_exit(self, session: pytest.Session) -> None:
        """Turn exit status 0 into 1 where a verdict asks for it; safe to call again."""
        is_red = bool(self.live.trouble) or any(one.raises_exit for one in self.verdicts)
        if is_red and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _cannot_go_on(self, error: Exception) -> None:
        self.live.broke(f"{' '.join(str(error).splitlines())}{self.live.how_to_go_on()}")
        if self.live.broker is not None:
            self.live.broker.stop("the session cannot go on")

    def _leave(self) -> None:
        """Leave no process and no folder behind, however the session ended."""
        self._aside.close()
        self.live.kill()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, object, object]:
        """Print the compact summary of each run, after pytest's own."""
        result = yield
        for verdict in self.verdicts:
            terminalreporter.section(f"benchbed: {verdict.benchmark}")
            for line in verdict.lines:
                terminalreporter.write_line(line)
        known = [one.false_alarm for one in self.verdicts if one.false_alarm is not None]
        if len(known) > 1:
            terminalreporter.write_line(
                f"benchbed: {len(known)} gates, each with its noise: some gate is red without a "
                f"change in about {percent(joint_alarm(known))} of sessions"
            )
        return result

    def is_ended(self) -> bool:
        """Say whether the session was ended before its first item."""
        return self._is_ended

    def last_lines(self) -> list[tuple[str, bool]]:
        """Return the last lines of the session and whether each is good."""
        if self.live.trouble:
            return [(f"benchbed: gate BLOCKED: {term(self.live.trouble, 400)}", False)]
        if not self.is_armed and not self.live.runs:
            return []
        return [(verdict.last_line, verdict.is_good) for verdict in self.verdicts]


class XdistHooks:
    """What happens only where items go to xdist workers; without xdist nobody calls it."""

    def __init__(self, controller: Controller) -> None:
        """``controller``: of this process."""
        self.controller = controller
        self._expected_workers = 0
        self._collected: list[list[str]] = []
        self._is_started = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, specs: list[Any]) -> None:
        """Count the workers: the last of their first reports starts the calls."""
        self._expected_workers = len(specs)
        self.controller.live.workers = len(specs)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Hand a channel and the run ids to a worker, also to a replacement."""
        channel = node.gateway.newchannel()
        node.workerinput[CHANNEL] = channel
        node.workerinput[RUN_IDS] = json.dumps(
            {plan.name: plan.run_id for plan in self.controller.session.plans}
        )
        self.controller.server.attach(channel)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Start when all workers have collected the same; else nothing is spent."""
        if self._is_started or activation.is_dry(self.controller.config):
            return
        self._collected.append(list(ids))
        if len(self._collected) < self._expected_workers:
            return
        self._is_started = True
        if all(other == self._collected[0] for other in self._collected):
            self.controller.start(self._collected[0])

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Take plain load scheduling for its variants, which rerun or hang after a crash."""
        dist = config.getoption("dist")
        if dist not in ("loadscope", "loadfile", "loadgroup"):
            return None
        from xdist.scheduler import LoadScheduling  # type: ignore[import-untyped]

        self.controller.say(
            f"benchbed: --dist={dist} gets plain load scheduling (it would rerun a case after a "
            "crash)"
        )
        return LoadScheduling(config, log)
