"""What a pin changed, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_benchbed.data.changes import Changes
from pytest_benchbed.data.changes import changes_of
from pytest_benchbed.data.dataset import identity_of
from pytest_benchbed.data.manifest import MANIFEST_FILE
from pytest_benchbed.model.dataset import Manifest
from pytest_benchbed.model.escape import term

_SHOWN = 10


@dataclass(frozen=True)
class PinReport:
    """What was pinned, and how it differs from what was pinned before."""

    root: Path
    manifest: Manifest
    before: Manifest | None
    """The manifest that was replaced; None: there was none, or it cannot be read in full."""
    is_new: bool
    is_written: bool
    """False: the manifest is right as it is."""
    cases: int
    """Cases that are not retired."""
    case_changes: Changes | None
    """Against the commit whose manifest was replaced; None: unknown."""
    answer_changes: Changes | None

    def lines(self, *, has_changes: bool = True) -> list[str]:
        """Return the report for a terminal; ``has_changes``: with what differs in which rows."""
        return list(_report_lines(self, has_changes))


def _report_lines(report: PinReport, has_changes: bool) -> Iterator[str]:
    manifest, before = report.manifest, report.before
    was = ""
    if before is not None and before.version != manifest.version:
        was = f" (was {term(before.version, 40)})"
    done = "created" if report.is_new else "pinned" if report.is_written else "unchanged"
    yield (
        f"{done}: {report.root / MANIFEST_FILE}: {manifest.id} version "
        f"{term(manifest.version, 40)}{was}, {report.cases} cases, {len(manifest.retired)} "
        f"retired, {len(manifest.files)} files"
    )
    yield f"identity: {identity_of(manifest)}"
    if before is None or not has_changes:
        return
    for name in ("id", "benchmark", "visibility"):
        if getattr(before, name) != getattr(manifest, name):
            old, new = getattr(before, name), getattr(manifest, name)
            yield f"{name}: {term(old, 80)} -> {term(new, 80)}"
    has_other_inputs = before.digests.inputs != manifest.digests.inputs
    has_other_answers = before.digests.answers != manifest.digests.answers
    yield from _row_lines("cases", has_other_inputs, report.case_changes)
    yield from _row_lines("answers", has_other_answers, report.answer_changes)
    yield from _change_lines("files", file_changes(before, manifest))
    if (has_other_inputs or has_other_answers) and before.version == manifest.version:
        yield (
            f"the version is still {term(manifest.version, 40)}, but runs made before are of "
            "another revision now; give this one a version of its own with --bump"
        )


def file_changes(before: Manifest, after: Manifest) -> Changes:
    """Return the paths of the pinned files that differ."""
    return changes_of(
        {pin.path: pin.sha256 for pin in before.files},
        {pin.path: pin.sha256 for pin in after.files},
    )


def _row_lines(name: str, has_changed: bool, changes: Changes | None) -> Iterator[str]:
    if changes is not None and any(changes):
        yield from _change_lines(name, changes)
    elif has_changed and changes is None:
        yield f"{name}: changed (the former manifest is not the committed one, so not which)"


def _change_lines(name: str, changes: Changes) -> Iterator[str]:
    parts = []
    for word, ids in zip(("added", "removed", "changed"), changes, strict=True):
        if ids:
            shown = ", ".join(term(entry, 80) for entry in ids[:_SHOWN])
            more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
            parts.append(f"{len(ids)} {word} ({shown}{more})")
    if parts:
        yield f"{name}: {'; '.join(parts)}"
