"""Which runs may become baseline and controls of an adapter, and what the bench file then says.

Pure functions of saved runs: nothing here opens or writes a file. A baseline
judges every later change, so whatever makes a run less than a whole, known
measurement of the present dataset keeps it from being one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_benchbed.compare.gate import decide
from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.lines import smallest_change_text
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import percent
from pytest_benchbed.compare.phrases import scope_text
from pytest_benchbed.compare.refuse import Planned
from pytest_benchbed.compare.refuse import Saved
from pytest_benchbed.compare.refuse import check_comparable
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.run import RunRecord

_REDACTED = re.compile(r"\[([A-Za-z_][A-Za-z0-9_]*)\]")
UNRELIABLE = 5
"""A baseline of which more than one case in so many is unstable is called unreliable."""


@dataclass(frozen=True)
class Candidates:
    """The runs to be promoted, read and named."""

    baseline: Saved
    controls: Sequence[Saved]
    profile: str
    """The gate profile."""
    judge: Judge

    @property
    def named(self) -> list[tuple[str, Saved]]:
        """Role and run, the baseline first."""
        return [("baseline", self.baseline), *(("control", one) for one in self.controls)]


def check_promotable(
    runs: Candidates, present: Planned, *, is_strict: bool, is_reasoned: bool
) -> None:
    """Refuse runs that must not be compared with from now on (ENV-101).

    Args:
        runs: baseline and controls.
        present: the registered dataset and the installed type, as if they were a candidate.
        is_strict: a changed working tree is refused.
        is_reasoned: a failed gate of the baseline has been given a reason, or has one already.

    Raises:
        UsageProblem: the first reason found.
    """
    check_comparable(present, runs.baseline, runs.controls)
    for role, saved in runs.named:
        problem = next(_problems(saved, runs), None)
        if problem is not None:
            what, remedy = problem
            raise UsageProblem(f"{role} {saved.record.id!r} cannot be promoted: {what}. {remedy}")
        source = saved.record.adapter.source
        if is_strict and source is not None and source.dirty:
            raise UsageProblem(
                f"{role} {saved.record.id!r} cannot be promoted with --strict: its working tree "
                f"was changed (commit {source.commit[:10]}). Commit the change and run again."
            )
    gate = runs.baseline.record.gate
    if gate is not None and gate.status == "failed" and not is_reasoned:
        raise UsageProblem(
            f"baseline {runs.baseline.record.id!r} cannot be promoted without a reason: its gate "
            f"failed ({term(gate.reason, 160)}). Say why it is right all the same: --reason=TEXT"
        )


def _problems(saved: Saved, runs: Candidates) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a run, and what to do."""
    record = saved.record
    whole = "Promote a run of all cases."
    if record.shard is not None:
        yield f"it is shard {record.shard} of a run", whole
    if record.partial or record.counts.selected < record.counts.scope:
        by = f" ({term('; '.join(record.partial), 160)})" if record.partial else ""
        yield f"it is partial: {record.counts.selected} of {record.counts.scope} cases{by}", whole
    if holes := max(len(record.holes), record.counts.holes):
        yield (
            f"{count(holes, 'case')} without a result",
            f"Finish it with --bench-resume={record.id}.",
        )
    if failures := max(len(record.technical), record.counts.technical):
        yield (
            f"{count(failures, 'technical failure')}",
            f"Ask the broken cases again with --bench-resume={record.id}.",
        )
    if unpriced := record.spend.unpriced_attempts:
        yield (
            f"its spend is unknown ({count(unpriced, 'unpriced call')})",
            "Report cost_usd or set prices in the bench file, and run again.",
        )
    if not record.adapter.code_sha256:
        yield "it has no digest of the adapter's code", "Make a new run with this version."
    if record.dataset.verified != "sha256":
        yield (
            f"its files were checked by {record.dataset.verified} only, not by SHA-256",
            "Make a new run.",
        )
    gate = decide(
        saved.facts,
        None,
        profile=runs.profile,
        decides=True,
        rule="auto",
        rule_source="auto",
        targets=(),
        judge=runs.judge,
    )
    if gate.status in ("blocked", "unavailable"):
        yield f"it is {gate.status} ({gate.reason})", "Repair that, and run again."
    recorded = record.gate
    if recorded is not None and recorded.status in ("blocked", "unavailable"):
        yield (
            f"its gate says {recorded.status} ({term(recorded.reason, 160)})",
            "Repair that, and run again.",
        )


def warnings_of_promotion(runs: Candidates) -> list[str]:
    """Return what does not forbid a promotion, but makes it worth less."""
    lines = []
    for role, saved in runs.named:
        record = saved.record
        if record.adapter.source is not None and record.adapter.source.dirty:
            lines.append(
                f"{role} {record.id} was made in a changed working tree: its commit "
                f"{record.adapter.source.commit[:10]} does not give its code"
            )
    if vague := [saved.record.id for _, saved in runs.named if not saved.record.adapter.identified]:
        lines.append(
            f"system not identified (run {', '.join(vague)}): report a version, or watch the "
            "product's files"
        )
    if scope := scope_text(runs.baseline.record.scope):
        lines.append(
            f"baseline {runs.baseline.record.id} has scope {scope} alone: a run of more cases is "
            "incomplete against it"
        )
    return lines


def noise_lines(runs: Candidates) -> list[str]:
    """Return what the promoted runs say about themselves: noise, smallest change, A/A."""
    # By the rule that will decide, where none is named.
    gate = _verdict(runs.baseline, runs.baseline, runs.controls, runs, "auto")
    of, alarm = gate.coverage.of, gate.false_alarm
    unjudged = gate.D + len(gate.coverage.unverifiable)
    noise = "noise unknown: no control run"
    if alarm.estimate is not None:
        limit = "" if alarm.limit95 is None else f" (95 % limit {percent(alarm.limit95)})"
        noise = f"false alarm est. {percent(alarm.estimate)}{limit}"
    share = percent(unjudged / of) if of else "0 %"
    lines = [
        f"controls {gate.K} · unstable {gate.D} of {of} · unjudged {share} · {noise} · r {gate.r}",
        f"smallest change seen: {smallest_change_text(gate, runs.baseline.record)}",
    ]
    if runs.controls:
        lines.append(
            "A/A, each control as if it were a change: strict red "
            f"{_red(runs)} of {len(runs.controls)}"
        )
    if of < UNRELIABLE * gate.D:
        lines.append(f"warning: unreliable baseline: {gate.D} of {of} cases are unstable")
    return lines


def _red(runs: Candidates) -> int:
    """Return how many controls rule ``strict`` would fail against the other runs."""
    verdicts = [
        _verdict(
            one, runs.baseline, [two for two in runs.controls if two is not one], runs, "strict"
        )
        for one in runs.controls
    ]
    return sum(verdict.status == "failed" for verdict in verdicts)


def _verdict(
    candidate: Saved, baseline: Saved, controls: Sequence[Saved], runs: Candidates, rule: str
) -> GateResult:
    return decide(
        candidate.facts,
        baseline.facts,
        [control.facts for control in controls],
        profile=runs.profile,
        decides=True,
        rule=rule,
        rule_source="promotion",
        targets=(),
        judge=runs.judge,
    )


def fresh_entry(record: RunRecord, entry: str | None) -> tuple[dict[str, Any], list[str]]:
    """Return the entry of an adapter that the bench file does not have yet, and notes on it.

    ``entry``: how it is found, where its name alone does not say. A value that
    was replaced because it is secret is left out.
    """
    fields: dict[str, Any] = {} if entry is None else {"entry": entry}
    options = {
        key: value
        for key, value in record.adapter.options.items()
        if not (isinstance(value, str) and _REDACTED.fullmatch(value))
    }
    if options:
        fields["options"] = options
    if record.adapter.model is not None:
        fields["model"] = record.adapter.model
    notes = [
        f"option {term(key, 60)} is secret and not written: give it with "
        f"--bench-adapter-option={term(key, 60)}=VALUE"
        for key in record.adapter.options
        if key not in options
    ]
    return fields, notes


def kept_entry(record: RunRecord, entry: Mapping[str, Any]) -> list[str]:
    """Return notes where the bench file asks the system otherwise than the run did."""
    adapter = record.adapter
    pairs = [
        ("options", entry.get("options") or {}, adapter.options),
        ("model", entry.get("model"), adapter.model),
    ]
    return [
        f"the bench file's {what} of this adapter differ from the run's and stay as they are"
        for what, in_file, of_run in pairs
        if in_file != of_run
    ]


def promoted_entry(
    entry: Mapping[str, Any],
    baseline: str,
    controls: Sequence[str],
    *,
    at: str,
    reason: str | None,
) -> dict[str, Any]:
    """Return an adapter's entry with its new baseline; what was promoted before is history.

    ``reason`` stands with the change it explains.
    """
    former = {"baseline": entry.get("baseline"), "controls": list(entry.get("controls") or ())}
    if former == {"baseline": baseline, "controls": list(controls)}:
        return dict(entry)
    changed = {**entry, "baseline": baseline, "controls": list(controls)}
    is_other = former["baseline"] not in (None, baseline)
    if is_other or reason is not None:
        event = {"at": at, **former}
        if reason is not None:
            event["reason"] = reason
        changed["history"] = [*(entry.get("history") or ()), event]
    return changed
