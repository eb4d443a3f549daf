"""The runs of this session from their first check to their last file."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from pytest_benchbed.adapters.environment import Redactor
from pytest_benchbed.benchmarks.selfcheck import check_settings
from pytest_benchbed.calls.broker import Broker
from pytest_benchbed.calls.executors import Executor
from pytest_benchbed.calls.executors import ExecutorConfig
from pytest_benchbed.calls.window import look_ahead
from pytest_benchbed.data.verify import verify_digests
from pytest_benchbed.edge.activation import runs_dir
from pytest_benchbed.edge.comparable import check_plan
from pytest_benchbed.edge.finish import Verdict
from pytest_benchbed.edge.finish import finish_run
from pytest_benchbed.edge.finish import not_started
from pytest_benchbed.edge.header import calls_line
from pytest_benchbed.edge.ledger import Ledger
from pytest_benchbed.edge.partial import what_removed
from pytest_benchbed.edge.rechecks import Rechecks
from pytest_benchbed.edge.session import BenchSession
from pytest_benchbed.edge.settings import DEFAULT_JOBS
from pytest_benchbed.edge.start import ActiveRun
from pytest_benchbed.edge.start import note_hello
from pytest_benchbed.edge.start import start_run
from pytest_benchbed.edge.system import describe
from pytest_benchbed.edge.transport import Server
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.runs.create import check_runs_dir
from pytest_benchbed.runs.create import create_run_set
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.lock import lock_run
from pytest_benchbed.runs.status import write_record

CLOSE_WAIT_S = 30.0
"""How long calls in flight may go on when the session ends."""


class LiveRuns:
    """Broker and active runs of the controlling process."""

    def __init__(self, session: BenchSession, ledger: Ledger, say: Callable[[str], None]) -> None:
        """``say`` prints a line at once."""
        self.session = session
        self.ledger = ledger
        self.say = say
        self.broker: Broker | None = None
        self.rechecks = Rechecks(self._is_deterministic)
        self.runs: list[ActiveRun] = []
        self.workers = 0
        """Number of xdist workers; it raises the default of calls at once."""
        self.trouble = ""
        """Why the session could not go on, if it could not."""
        self.is_interrupted = False
        """Whether Ctrl-C came while the session waited for calls in flight."""
        self._is_finished = False

    def check(self) -> None:
        """Refuse what cannot be compared or run, before anything is started.

        Raises:
            UsageProblem: a baseline, control or run id that cannot be used.
            DatasetError: rows that differ from their digests.
            RunError: a run could not be kept, or another process works on it.
        """
        check_runs_dir(runs_dir(self.session.config))
        for plan in self.session.plans:
            # The answers are opened here: what is scored against is the file that was verified,
            # whatever stands under its name when the first case is scored.
            verify_digests(plan.dataset, plan.answers)
            plan.answers.canary  # noqa: B018 (read now, kept for the end)
            check_settings(plan.benchmark, plan.answers.all_known(), plan.bench_path)
            check_plan(plan)
            if plan.resumed is not None:
                # Taken for good when the calls begin; refused here if somebody works on it.
                lock_run(plan.resumed.path).release()
            plan.read_compared()

    def start(self, wanted: Mapping[str, Sequence[str]]) -> None:
        """Make the run directories and begin the calls; blocks while a batch runs.

        ``wanted``: cases that tests of the user ask for, by benchmark. They are
        asked, and recorded as calls, beside the expected ones.

        Raises:
            RunError: a run directory cannot be made.
            DatasetError: an input differs from its pin.
            UsageProblem: the adapter needs what is not there.
        """
        config = self.session.config
        expected = {plan.name: self.ledger.runs[plan.name].expected for plan in self.session.plans}
        asked = {
            name: list(dict.fromkeys([*cases, *wanted.get(name, ())]))
            for name, cases in expected.items()
        }
        chosen = [plan for plan in self.session.plans if asked[plan.name]]
        if not chosen:
            return
        jobs = self._jobs()
        # Named in the bench file; what a class declares is known when it says hello.
        redactor = Redactor(
            {
                name: os.environ[name]
                for plan in chosen
                for name in plan.spec.env or ()
                if name in os.environ
            }
        )
        whole: Path | None = None
        if "/" in chosen[0].run_id and chosen[0].resumed is None:
            folder = chosen[0].run_dir.parent
            whole = create_run_set(
                folder.parent, folder.name, [plan.name for plan in self.session.plans]
            )
        guarded = [entry.root for entry in self.session.registries.datasets.all()]
        guarded.append(runs_dir(config))
        try:
            for plan in chosen:
                selected = expected[plan.name]
                partial = what_removed(config, plan, selected)
                self.runs.append(
                    start_run(
                        config,
                        plan,
                        selected,
                        asked=asked[plan.name],
                        jobs=jobs,
                        redactor=redactor,
                        partial=partial,
                        guarded=guarded,
                    )
                )
            executor = self.session.registries.executors.create("local", ExecutorConfig(jobs))
            self.broker = Broker(
                [run.calls for run in self.runs],
                executor=executor,
                jobs=jobs,
                look_ahead=look_ahead(jobs, may_stop=_may_stop(self.session.config)),
                say=self.say,
            )
            for plan in chosen:
                self.rechecks.add(plan)
            self.broker.start({run.plan.name: asked[run.plan.name] for run in self.runs})
            self._note_concurrency(self.broker, executor, jobs)
        except (UsageProblem, DatasetError):
            self.kill()
            self._remove_unpaid(whole)
            raise

    def _note_concurrency(self, broker: Broker, executor: Executor, jobs: int) -> None:
        """Record how many calls run at once, and say it where pytest has a header."""
        for run in self.runs:
            at_once = broker.concurrency(run.plan.name)
            if not at_once:
                # A batch is one call, and of a run that asks nothing more it is on record.
                continue
            info = broker.info(run.plan.name)
            assert info is not None, "its adapter said hello"
            note_hello(run, broker.slots, info)
            if (
                not run.plan.spec.is_replay
                and getattr(self.session.config.option, "verbose", 0) >= 0
            ):
                self.say(
                    calls_line(
                        run.plan, at_once, jobs=jobs, executor=executor.name, slots=executor.slots
                    )
                )

    def nothing_starts(self) -> str:
        """Return why no case of the session can be asked; ``""`` if some can, or are answered."""
        broker = self.broker
        if broker is None or not all(
            broker.is_unstarted(run.plan.name, run.selected) for run in self.runs
        ):
            return ""
        details = [
            f"adapter {run.plan.spec.name} cannot be started: "
            f"{broker.failures(run.plan.name)[0].detail.rstrip('.')}."
            for run in self.runs
        ]
        return " ".join([*dict.fromkeys(details), f"Repair it.{self.how_to_go_on()}"])

    def _remove_unpaid(self, whole: Path | None) -> None:
        """Leave nothing behind of what was refused; what was paid for before stays."""
        for run in self.runs:
            if run.plan.resumed is not None:
                # It does not go on, so it is not running.
                write_record(run.paths.root, run.plan.resumed.record)
        roots = [run.paths.root for run in self.runs if run.plan.resumed is None]
        unpaid = [root for root in roots if not _was_asked(RunPaths(root))]
        for root in unpaid:
            shutil.rmtree(root)
        if whole is not None and unpaid == roots:
            shutil.rmtree(whole)

    def _jobs(self) -> int:
        given = [plan.settings.jobs for plan in self.session.plans if plan.settings.jobs]
        return max(given) if given else max(DEFAULT_JOBS, self.workers)

    def spent(self) -> Decimal | None:
        """Return the dollars that all runs have spent so far; None if they are not known."""
        if self.broker is None:
            return None
        spent = [self.broker.spend(run.plan.name).spent_usd for run in self.runs]
        known = [dollars for dollars in spent if dollars is not None]
        return sum(known, Decimal(0)) if len(known) == len(spent) else None

    def _is_deterministic(self, benchmark: str) -> bool:
        assert self.broker is not None, "nothing is suspected before the first call"
        run = next(run for run in self.runs if run.plan.name == benchmark)
        return describe(run, self.broker.info(benchmark)).deterministic

    def calls_path(self, benchmark: str) -> Path:
        """Return the ``calls.jsonl`` of a benchmark's run."""
        return next(run.paths.calls for run in self.runs if run.plan.name == benchmark)

    def finish(self, server: Server, exit_status: int) -> list[Verdict]:
        """Stop the calls, decide every gate and write every run."""
        if self._is_finished:
            return []
        self._is_finished = True
        if self.broker is not None:
            try:
                # Waiting workers get their answer first, else they are ended by force.
                self.broker.stop("the session ends")
                self.broker.close(CLOSE_WAIT_S)
            except KeyboardInterrupt:
                # Calls in flight are given up; what is on disk is still written up.
                self.is_interrupted = True
                self.broker.close(0.0)
        server.stop()
        if self.trouble:
            return []
        runs = {run.plan.name: run for run in self.runs}
        verdicts: list[Verdict | None] = []
        for plan in self.session.plans:
            run = runs.get(plan.name)
            verdict = None if run is None else self._finish_run(run, exit_status)
            if run is None or (verdict is not None and not run.selected and not verdict.is_blocked):
                # No case is an item: at most tests of the user asked, and none of it is judged.
                has_calls = run is not None
                verdict = not_started(self.session.config, plan, exit_status, has_calls=has_calls)
            verdicts.append(verdict)
        return [verdict for verdict in verdicts if verdict is not None]

    def _finish_run(self, run: ActiveRun, exit_status: int) -> Verdict:
        assert self.broker is not None, "a run is active from its start"
        verdict = finish_run(
            self.session.config,
            run,
            self.ledger.runs[run.plan.name],
            self.broker,
            was_interrupted=self.is_interrupted or exit_status == 2,
        )
        run.closing.close()
        return verdict

    def how_to_go_on(self) -> str:
        """Return the end of a message about a run that could not be written."""
        left = [f"--bench-resume={run.plan.run_id}" for run in self.runs]
        return f" Go on with {' or '.join(left)}." if left else ""

    def broke(self, why: str) -> None:
        """Remember why the session cannot go on."""
        self.trouble = self.trouble or why

    def kill(self) -> None:
        """End every process and remove every temporary folder; safe to call again."""
        if self.broker is not None:
            self.broker.close(0.0)
        for run in self.runs:
            run.closing.close()
        self.ledger.close()


def _may_stop(config: pytest.Config) -> bool:
    """Say whether the session ends at a failure, so that what is paid ahead may be in vain."""
    return bool(config.getoption("maxfail", 0) or config.getoption("stepwise", False))


def _was_asked(paths: RunPaths) -> bool:
    """Say whether a call of the run reached the system; a refused batch did not."""
    if not paths.calls.exists():
        return False
    lines = map(json.loads, paths.calls.read_text("utf-8").splitlines())
    return any(
        line["kind"] == "outcome" and (line["error"] or {}).get("kind") != "refused"
        for line in lines
    )
