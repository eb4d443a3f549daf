"""Score, re-pair and re-key saved runs: one run with all that it is compared with.

Everything is computed and checked before the first file is written; what is
refused leaves every run as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.gate import STALE_DAYS
from pytest_benchbed.compare.refuse import Planned
from pytest_benchbed.compare.refuse import Saved
from pytest_benchbed.compare.refuse import check_comparable
from pytest_benchbed.compare.refuse import check_profile
from pytest_benchbed.compare.refuse import check_targets
from pytest_benchbed.compare.rules import choose_rule
from pytest_benchbed.compare.rules import rule_again
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.evaluate.case import Scorer
from pytest_benchbed.evaluate.copies import Held
from pytest_benchbed.evaluate.copies import fullest
from pytest_benchbed.evaluate.copies import is_snapshot
from pytest_benchbed.evaluate.copies import renew_snapshot
from pytest_benchbed.evaluate.files import write_rescored
from pytest_benchbed.evaluate.files import write_rows
from pytest_benchbed.evaluate.rescore import Rescored
from pytest_benchbed.evaluate.rescore import rescore
from pytest_benchbed.evaluate.verdict import Judged
from pytest_benchbed.evaluate.verdict import Judging
from pytest_benchbed.evaluate.verdict import judge
from pytest_benchbed.evaluate.verdict import judge_alone
from pytest_benchbed.model.bulk import few_collections
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.model.run import RunRef
from pytest_benchbed.runs.read import Run
from pytest_benchbed.runs.status import with_history
from pytest_benchbed.runs.status import write_record

REPAIRED = "re-paired"
"""``what`` of the history line of a run that was compared with other runs, or by another rule."""


@dataclass(frozen=True)
class Bench:
    """One benchmark with a revision of its dataset, and where its runs lie."""

    benchmark: Benchmark
    dataset: Dataset
    answers: Answers
    """Both verified against their digests."""
    folder: Path | None
    """With the bench file and the snapshots."""
    runs_dir: Path
    base: Path
    """Where commands are pasted."""
    at: str
    """The present time, for histories."""
    hide_texts: bool = False
    max_unjudged: Fraction | None = None
    stale_days: int = STALE_DAYS

    def scorer(self, record: RunRecord) -> Scorer:
        """Return what scores the replies of a run."""
        is_batch = record.adapter.kind == "executable"
        return Scorer(self.benchmark, self.dataset, self.answers, is_batch=is_batch)

    def is_of_this(self, record: RunRecord) -> bool:
        """Say whether a run is of this revision and of the installed scoring version."""
        return (
            record.dataset.identity == self.dataset.identity
            and record.benchmark.scoring_version == self.benchmark.scoring_version
        )


@dataclass(frozen=True)
class Choice:
    """By what a run is judged again; empty: as it was."""

    baseline: Run | None
    controls: Sequence[Run]
    targets: Sequence[str] = ()
    profile: str | None = None
    rule: str | None = None
    may_grow: bool = False
    """A revision that only adds cases is accepted."""


@dataclass(frozen=True)
class Offline:
    """What came of a run; written, if anything changed."""

    rescored: Rescored
    judged: Judged
    judging: Judging
    others: list[Rescored]
    """Baseline and controls that were taken over with it."""
    is_written: bool


def score_run(bench: Bench, run: Run, choice: Choice) -> Offline:
    """Score a run again, pair it, decide its gates, and write what changed.

    Baseline and controls of another scoring version or revision are scored
    again too. No process is started.

    Raises:
        UsageProblem: runs that cannot be compared, an unknown profile, rule or target.
        RunError: a run that cannot be taken over, or a file of it.
    """
    benchmark = bench.benchmark
    rule, source = rule_again(choice.rule, run.record.gate)
    choose_rule(rule, source)
    with Held() as held, few_collections():
        run = held.take(run)
        before = run.record
        profile = choice.profile or (before.gate.profile if before.gate else benchmark.profiles[0])
        check_profile(profile, benchmark.profiles)
        rescored = rescore(run, bench.scorer(before), bench.at, may_grow=choice.may_grow)
        retired = {case: entry.reason for case, entry in bench.dataset.retired.items()}
        check_targets(choice.targets, rescored.rows.keys(), retired)
        compared = [*([choice.baseline] if choice.baseline else []), *choice.controls]
        others = [_taken_over(bench, held, one, may_grow=choice.may_grow) for one in compared]
        facts = [
            RunFacts(one.record, one.rows) if one is not None else other.facts()
            for one, other in zip(others, compared, strict=True)
        ]
        baseline = facts[0] if choice.baseline else None
        controls = facts[1:] if choice.baseline else facts
        _check(run, rescored, compared, facts, has_baseline=choice.baseline is not None)
        judging = Judging(
            benchmark=benchmark,
            profile=profile,
            rule=rule,
            rule_source=source,
            targets=choice.targets or [one for one in before.targets if one in rescored.rows],
            baseline=baseline,
            controls=controls,
            max_unjudged=bench.max_unjudged,
            stale_days=bench.stale_days,
            runs_dir=bench.runs_dir,
            at=bench.at,
        )
        record = rescored.record.model_copy(
            update={
                "baseline": _reference(baseline),
                "controls": [_reference(control) for control in controls],
                "targets": sorted(judging.targets),
            }
        )
        judged = judge(judging, record, rescored.rows, bench.dataset)
        judged = judged._replace(record=_with_pairing(before, judged.record, bench.at))
        changed = [one for one in others if one is not None and _write(bench, one)]
        is_mine_changed = judged.record != before or not rescored.is_sound
        if is_mine_changed and is_snapshot(run):
            write_record(run.path, write_rows(run.paths, judged.record, rescored.rows))
        elif is_mine_changed:
            replies = [run.predictions(), *(other.predictions() for other in compared)]
            write_rescored(
                run.paths,
                judged,
                rescored.rows,
                bench.scorer(before),
                replies,
                base=bench.base,
                baseline=baseline.record if baseline else None,
                hide_texts=bench.hide_texts,
                keeps_comparison=_is_compared_alike(before, judged.record, rescored),
            )
        judged.remembered.write()
        is_renewed = renew_snapshot(run, bench.folder, is_changed=rescored.is_changed)
        for one, other in zip(compared, others, strict=True):
            if other is None and renew_snapshot(one, bench.folder, is_changed=False):
                is_renewed = True
    is_written = is_mine_changed or is_renewed or bool(changed)
    return Offline(rescored, judged, judging, changed, is_written)


def take_over(bench: Bench, run: Run, *, may_grow: bool = True) -> Rescored:
    """Score a promoted run again under this revision; nothing is written.

    Raises:
        RunError: it cannot be taken over; the text names the difference.
    """
    full = fullest(run, bench.folder, bench.runs_dir)
    return rescore(full, bench.scorer(run.record), bench.at, may_grow=may_grow)


def write_taken_over(bench: Bench, rescored: Rescored) -> bool:
    """Write a run that was taken over, wherever a copy of it lies; say whether anything changed.

    Raises:
        RunError: a file cannot be written, or another process works on the run.
    """
    with Held() as held:
        held.take(rescored.run)
        return _write(bench, rescored)


def _write(bench: Bench, rescored: Rescored) -> bool:
    run, record, rows = rescored.run, rescored.record, rescored.rows
    if rescored.is_changed and is_snapshot(run):
        write_record(run.path, write_rows(run.paths, record, rows))
    elif rescored.is_changed:
        write_rescored(
            run.paths,
            judge_alone(bench.benchmark, record, rows, bench.dataset, run.metrics),
            rows,
            bench.scorer(run.record),
            [run.predictions()],
            base=bench.base,
            baseline=None,
            hide_texts=bench.hide_texts,
        )
    is_renewed = renew_snapshot(run, bench.folder, is_changed=rescored.is_changed)
    return rescored.is_changed or is_renewed


def _is_compared_alike(before: RunRecord, after: RunRecord, rescored: Rescored) -> bool:
    """Say whether answers and replies are the same, only their scores are others."""
    pairs = [(before.baseline, after.baseline), (before.controls, after.controls)]
    return rescored.is_sound and rescored.revision.is_same and all(old == new for old, new in pairs)


def _taken_over(bench: Bench, held: Held, run: Run, *, may_grow: bool) -> Rescored | None:
    """Score a run again that is of another revision or formula; None: it fits as it is."""
    if bench.is_of_this(run.record):
        return None
    full = held.take(fullest(run, bench.folder, bench.runs_dir))
    return rescore(full, bench.scorer(run.record), bench.at, may_grow=may_grow)


def _check(
    run: Run,
    rescored: Rescored,
    compared: Sequence[Run],
    facts: Sequence[RunFacts],
    *,
    has_baseline: bool,
) -> None:
    mine = RunFacts(rescored.record, rescored.rows)
    saved = [
        Saved(str(other.path.resolve()), one, other.results_sha256())
        for other, one in zip(compared, facts, strict=True)
    ]
    check_comparable(
        Planned.of_run(mine, str(run.path.resolve()), run.results_sha256()),
        saved[0] if has_baseline else None,
        saved[1:] if has_baseline else saved,
    )


def _reference(facts: RunFacts | None) -> RunRef | None:
    if facts is None:
        return None
    return RunRef(id=facts.record.id, identity=facts.record.adapter.identity)


def _with_pairing(before: RunRecord, after: RunRecord, at: str) -> RunRecord:
    """Add a line of history if the run is compared with other runs, or decided otherwise."""
    old, new = _pairing(before), _pairing(after)
    return after if old == new else with_history(after, REPAIRED, old, new, at)


def _pairing(record: RunRecord) -> dict[str, Any]:
    gate = record.gate
    return {
        "baseline": record.baseline.id if record.baseline else None,
        "controls": [control.id for control in record.controls],
        "targets": record.targets,
        "gate": None
        if gate is None
        else {"profile": gate.profile, "rule": gate.rule, "status": gate.status},
    }
