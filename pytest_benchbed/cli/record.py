"""``benchbed record NAME``: a baseline and its controls, whole runs one after the other, promoted.

Each run is a pytest session of its own, so what is recorded is what a change
will be compared with: same options, same adapter, another draw.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_UP
from decimal import Decimal
from pathlib import Path

from pytest_benchbed.edge.recording import recording_environment
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.money import to_decimal
from pytest_benchbed.report.command import shell_word
from pytest_benchbed.report.next_steps import BUDGET as OUT_OF_BUDGET
from pytest_benchbed.runs.ids import check_run_id
from pytest_benchbed.runs.ids import new_run_id
from pytest_benchbed.runs.read import Run

MAX_CONTROLS = 20
_CONTROL = "-control-"
_BUDGET = "--bench-budget"
_SPARE = Decimal("1.1")
_GOOD = (0, 1)
"""Exit statuses of a session that wrote its run: 1 is a technical failure, which its gate names."""


@dataclass(frozen=True)
class RecordChoice:
    """What was typed."""

    name: str
    """The benchmark."""
    controls: int
    run_id: str | None
    words: Sequence[str]
    """Further arguments for pytest, such as ``--bench-adapter=NAME``."""

    def ids(self) -> list[str]:
        """Return the ids of the baseline and of each control.

        Raises:
            UsageProblem: an id that is not valid, or a number of controls that is not.
        """
        if not 0 <= self.controls <= MAX_CONTROLS:
            raise UsageProblem(
                f"--controls={self.controls}: it must be a number from 0 to {MAX_CONTROLS}."
            )
        # A default id leaves room for the tail of a control's.
        base = self.run_id or new_run_id(self.name[:60])
        ids = [base, *(f"{base}{_CONTROL}{number + 1}" for number in range(self.controls))]
        for run_id in ids:
            check_run_id(run_id)
        return ids


def record_runs(choice: RecordChoice, runs_dir: Path, echo: Callable[[str], None]) -> list[str]:
    """Make the runs that are not there yet; return their ids once all are completed.

    A run that an earlier command left unfinished goes on, one that is completed
    is taken as it is: nothing is asked twice.

    Returns an empty list if a run did not come to its end, or has a technical
    failure; a line says how to go on.

    Raises:
        UsageProblem: an id or a number that is not valid.
        RunError: a run that is there cannot be read.
    """
    ids = choice.ids()
    for number, run_id in enumerate(ids, start=1):
        role = "baseline" if number == 1 else f"control {number - 1}"
        if (found := _saved(runs_dir, run_id)) is not None and _is_done(found):
            echo(f"benchbed: run {number} of {len(ids)}: {role} {run_id} is there")
            continue
        how = f"--bench-resume={run_id}" if found is not None else f"--bench-run={run_id}"
        echo(f"benchbed: run {number} of {len(ids)}: {role} {run_id}")
        code = _session([f"--bench={choice.name}", "--bench-unpaired", how, *choice.words])
        made = _saved(runs_dir, run_id)
        if code not in _GOOD or made is None or not _is_done(made):
            echo(f"benchbed: {_why(code, run_id, made)}")
            if made is not None and made.record.partial:
                echo("benchbed: a baseline and its controls are of all cases: record without that")
            else:
                budget = None if made is None else enough_usd(made)
                how = "repair that" if budget is None else f"a run may need ${budget:f}"
                echo(f"benchbed: {how}, then go on with: {_again(choice, ids[0], budget)}")
            return []
    return ids


def _session(words: Sequence[str]) -> int:
    """Run pytest in a process of its own, on this terminal; a Ctrl-C is for it to handle."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *words],
        stdin=subprocess.DEVNULL,
        env=recording_environment(),
    )
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            # It got the signal too, and ends in good order: what was paid is kept.
            continue


def _saved(runs_dir: Path, run_id: str) -> Run | None:
    try:
        return Run.open(runs_dir / run_id)
    except RunError:
        if (runs_dir / run_id).exists():
            raise
        return None


def _is_done(run: Run) -> bool:
    record = run.record
    return record.status == "completed" and not record.technical and not record.partial


def _why(code: int, run_id: str, run: Run | None) -> str:
    if run is None:
        return f"run {run_id} was not begun (pytest ended with {code})"
    if run.record.partial:
        return f"run {run_id} left cases out ({'; '.join(run.record.partial)})"
    if run.record.technical:
        return f"run {run_id} has technical failures: {len(run.record.technical)}"
    return f"run {run_id} did not come to its end: {run.record.status}"


def enough_usd(run: Run) -> Decimal | None:
    """Return a budget that a run which had too little can be ended with; None: that was not why.

    What its cases cost so far on average, for all of them, and the dearest once
    more, because a call begins only if its price still fits; with a tenth to spare.
    Of a run in which nothing has a price, twice the budget.
    """
    budget = run.record.spend.budget_usd
    if budget is None or not any(one.kind == OUT_OF_BUDGET for one in run.record.technical):
        return None
    costs = [
        to_decimal(cost) for row in run.results() if (cost := row["x"]["cost_usd"]) is not None
    ]
    need = 2 * budget
    if any(costs):
        need = (
            sum(costs, Decimal(0)) / len(costs) * run.record.counts.selected + max(costs)
        ) * _SPARE
    need = max(need, budget * _SPARE)
    # Two digits are read more easily than six.
    return need.quantize(Decimal(1).scaleb(need.adjusted() - 1), ROUND_UP)


def _again(choice: RecordChoice, base: str, budget: Decimal | None) -> str:
    words = ["benchbed", "record", choice.name, f"--controls={choice.controls}", f"--run={base}"]
    further = list(choice.words)
    if budget is not None:
        further = [*_without(_BUDGET, further), f"{_BUDGET}={budget:f}"]
    if further:
        words += ["--", *further]
    return " ".join(map(shell_word, words))


def _without(option: str, words: Sequence[str]) -> Iterator[str]:
    """Yield words without an option, typed in one word or in two."""
    waiting = iter(words)
    for word in waiting:
        if word == option:
            next(waiting, None)
        elif not word.startswith(f"{option}="):
            yield word
