"""What is refused before anything is spent: runs that cannot be compared.

Every text has both values and what to do. The caller finds and reads the runs
(one that is missing or unreadable never gets here) and brings the digests of
their ``results.jsonl``, so that nothing here opens a file.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.identity import identity_differences
from pytest_benchbed.compare.in_step import scored_cases
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import json_term
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.model.run import DatasetRecord
from pytest_benchbed.model.run import RunRecord

REUSED = "reused"
"""``what`` of the history entry of a run that took outcomes over from another."""

MAX_MISSING = 10

_HEX = frozenset("0123456789abcdef")
_OTHER_RUN = "Name a run of the same, or record a new baseline: --bench-unpaired"

CONTROL_ALONE = (
    "a control repeats a baseline, and no baseline is named.\n"
    "Name it with --baseline=RUN, or leave out --bench-control."
)


@dataclass(frozen=True)
class Planned:
    """What is known of the candidate before its first call."""

    id: str
    path: str
    """Its run directory, resolved."""
    benchmark: str
    scoring_version: str
    dataset: DatasetRecord
    judge: Any
    """Identity of the judge, or None."""
    selected: Collection[str]
    """Ids of the cases to be asked."""
    started_at: str | None = None
    results_sha256: str | None = None
    """Both only of a run that is done."""
    called: str = "this run"
    """How it is called in a refusal."""
    remedy: str | None = None
    """What to do about a run of another revision; None: what a session is told."""

    @classmethod
    def of_run(cls, facts: RunFacts, path: str, results_sha256: str) -> Planned:
        """Return the same of a saved run that is judged again."""
        record = facts.record
        return cls(
            id=record.id,
            path=path,
            benchmark=record.benchmark.id,
            scoring_version=record.benchmark.scoring_version,
            dataset=record.dataset,
            judge=record.judge,
            selected=facts.rows.keys(),
            started_at=record.started_at,
            results_sha256=results_sha256,
        )


@dataclass(frozen=True)
class Saved:
    """A saved run that is named as baseline or control."""

    path: str
    """Its run directory, resolved."""
    facts: RunFacts
    results_sha256: str
    """Digest of ``results.jsonl``, its times included."""

    @property
    def record(self) -> RunRecord:
        """Its record."""
        return self.facts.record


def check_comparable(
    candidate: Planned,
    baseline: Saved | None,
    controls: Sequence[Saved] = (),
    *,
    unpaired: bool = False,
) -> None:
    """Refuse a baseline or controls that the candidate cannot be compared with.

    Raises:
        UsageProblem: the first reason found (ENV-054, ENV-055, ENV-081).
    """
    if baseline is None:
        if controls:
            raise UsageProblem(CONTROL_ALONE)
        return
    if unpaired:
        raise UsageProblem(
            f"--bench-unpaired compares with nothing, and --baseline names {baseline.record.id!r}."
            "\nLeave out one of them."
        )
    seen: list[tuple[str, Saved]] = []
    for role, saved in [("baseline", baseline), *(("control", control) for control in controls)]:
        _check_other_run(role, saved, candidate)
        for earlier_role, earlier in seen:
            _check_twice(role, saved, earlier_role, earlier)
        seen.append((role, saved))
        _check_revision(f"{role} {saved.record.id!r}", saved.record, candidate)
    for control in controls:
        _check_control(control, baseline, candidate)


def _check_other_run(role: str, saved: Saved, candidate: Planned) -> None:
    record = saved.record
    if record.id == candidate.id or saved.path == candidate.path:
        raise UsageProblem(
            f"{role} {record.id!r} is the run {candidate.id!r} itself ({saved.path}).\n"
            "Name an earlier run, or give this one another id with --bench-run=ID."
        )
    if _is_one_draw(record.started_at, saved.results_sha256, candidate):
        raise UsageProblem(
            f"{role} {record.id!r} is a copy of the run {candidate.id!r}: both started at "
            f"{record.started_at} and have the same results.\nName an earlier run."
        )


def _is_one_draw(started_at: str, results_sha256: str, candidate: Planned) -> bool:
    return (started_at, results_sha256) == (candidate.started_at, candidate.results_sha256)


def _check_twice(role: str, saved: Saved, earlier_role: str, earlier: Saved) -> None:
    one, two = earlier.record, saved.record
    if one.id == two.id or earlier.path == saved.path:
        raise UsageProblem(
            f"run {two.id!r} is named twice, as {earlier_role} and as {role} ({saved.path}).\n"
            "A control is a run of its own: name each run once."
        )
    if (one.started_at, earlier.results_sha256) == (two.started_at, saved.results_sha256):
        raise UsageProblem(
            f"{role} {two.id!r} is a copy of {earlier_role} {one.id!r}: both started at "
            f"{two.started_at} and have the same results.\n"
            "A copy says nothing about noise: record a control as a run of its own."
        )


def _check_revision(name: str, record: RunRecord, candidate: Planned) -> None:
    if record.status != "completed":
        raise UsageProblem(
            f"{name} is not completed: its status is {record.status!r}.\n"
            f"Finish it with --bench-resume={record.id}, or name a completed run."
        )
    mine, theirs = candidate.dataset, record.dataset
    facts = [
        ("benchmark", record.benchmark.id, candidate.benchmark),
        ("dataset", theirs.id, mine.id),
        ("dataset version", theirs.version, mine.version),
        ("digest of the inputs", theirs.digests.inputs, mine.digests.inputs),
        ("digest of the answers", theirs.digests.answers, mine.digests.answers),
        ("dataset identity", theirs.identity, mine.identity),
        ("scoring version", record.benchmark.scoring_version, candidate.scoring_version),
    ]
    for what, other, own in facts:
        if other != own:
            remedy = candidate.remedy or _remedy(what, record, candidate)
            raise UsageProblem(_differs(name, what, other, own, candidate.called, remedy))
    if canonical(record.judge) != canonical(candidate.judge):
        remedy = candidate.remedy or _OTHER_RUN
        differs = _differs(name, "judge", record.judge, candidate.judge, candidate.called, remedy)
        raise UsageProblem(differs)


def _remedy(what: str, record: RunRecord, candidate: Planned) -> str:
    """Say which run follows to the other's revision, and by which command."""
    if what in ("benchmark", "dataset"):
        return _OTHER_RUN
    # Of a session's candidate there is nothing yet that could be scored again.
    is_saved = candidate.results_sha256 is not None
    who, name = ("the older one", "RUN") if is_saved else ("it", record.id)
    again = f"Score {who} again, which asks nothing: benchbed score {name}"
    if what == "scoring version":
        return again
    return (
        f"{again} --dataset={candidate.dataset.id}\n"
        "Where the inputs differ too, record a new baseline: --bench-unpaired"
    )


def _differs(name: str, what: str, other: Any, own: Any, called: str, remedy: str) -> str:
    return f"{name} has another {what}: {_value(other)}, {called} {_value(own)}.\n{remedy}"


def _value(value: Any) -> str:
    """Show a value; of a digest its beginning, which tells two apart."""
    is_digest = isinstance(value, str) and len(value) == 64 and set(value) <= _HEX
    return f'"{value[:12]}…"' if is_digest else json_term(value, 80)


def _check_control(control: Saved, baseline: Saved, candidate: Planned) -> None:
    name = f"control {control.record.id!r}"
    mine, theirs = control.record, baseline.record
    if mine.adapter.identity != theirs.adapter.identity:
        field, other, own = identity_differences(mine, theirs)[0]
        raise UsageProblem(
            f"{name} is of another system than baseline {theirs.id!r}: {field} "
            f"{_value(other)} against {_value(own)}.\n"
            "A control repeats the baseline with the same code and settings: record one so."
        )
    if mine.partial:
        raise UsageProblem(
            f"{name} is partial: {mine.counts.selected} of {mine.counts.scope} cases "
            f"({term('; '.join(mine.partial), 160)}), and a control is a whole run.\nRecord one of "
            "all cases."
        )
    if mine.technical:
        first = mine.technical[0]
        raise UsageProblem(
            f"{name} is blocked by {count(len(mine.technical), 'technical failure')} "
            f"({first.whose}: {term(first.kind, 60)}), so it says nothing about noise.\n"
            "Record another one, or mend it with --bench-resume."
        )
    reused = [entry for entry in mine.history if entry.what == REUSED]
    if reused:
        raise UsageProblem(
            f"{name} took outcomes over from run {json_term(reused[0].from_, 80)}, so it is no "
            "new draw.\nRecord a control without --bench-reuse."
        )
    needed = scored_cases(baseline.facts.rows) & frozenset(candidate.selected)
    missing = sorted(needed - scored_cases(control.facts.rows))
    if missing:
        raise UsageProblem(uncontrolled_text(control.record.id, missing))


def uncontrolled_text(control: str, missing: Sequence[str]) -> str:
    """Return the refusal of a control that lacks scored results, with the first ten ids."""
    more = ", …" if len(missing) > MAX_MISSING else ""
    return (
        f"control {control!r} has no scored result for {len(missing)} of the cases that are "
        f"compared: {', '.join(missing[:MAX_MISSING])}{more}.\n"
        "A control is a whole run: finish it with --bench-resume, or leave it out."
    )


def check_profile(profile: str, profiles: Sequence[str]) -> None:
    """Refuse a gate profile that the benchmark does not have, with the nearest (ENV-064)."""
    if profile not in profiles:
        raise UsageProblem(unknown_name("profile", profile, profiles, ""))


def check_targets(
    targets: Collection[str], scope: Collection[str], retired: Mapping[str, str]
) -> None:
    """Refuse targets that the run can never judge (ENV-058).

    Args:
        targets: ids as typed.
        scope: ids of the run's scope.
        retired: id of each retired case to the reason.
    """
    known = frozenset(scope)
    for target in targets:
        if target in retired:
            raise UsageProblem(
                f"target {target!r} is retired: {json_term(retired[target], 160)}.\nLeave it out."
            )
        if target not in known:
            raise UsageProblem(
                unknown_name("target", target, known, "")
                + "\nA target is a case of the dataset that --bench-select leaves in the scope."
            )
