"""Make or refresh the manifest of a dataset folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import NamedTuple

from pytest_benchbed.data.answers import ANSWERS_FILE
from pytest_benchbed.data.changes import committed_digests
from pytest_benchbed.data.changes import row_changes
from pytest_benchbed.data.dataset import CASES_FILE
from pytest_benchbed.data.digests import answers_digest
from pytest_benchbed.data.digests import inputs_digest
from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.faults import refuse
from pytest_benchbed.data.index import file_fault
from pytest_benchbed.data.manifest import MANIFEST_FILE
from pytest_benchbed.data.manifest import SCHEMA
from pytest_benchbed.data.manifest import ManifestText
from pytest_benchbed.data.manifest import examine_manifest
from pytest_benchbed.data.manifest import read_text
from pytest_benchbed.data.paths import FileProblem
from pytest_benchbed.data.pin_report import PinReport
from pytest_benchbed.data.pins import content_faults
from pytest_benchbed.data.pins import read_facts
from pytest_benchbed.data.replace import replace_file
from pytest_benchbed.data.survey import Survey
from pytest_benchbed.data.survey import retirement_faults
from pytest_benchbed.model.base import ShapeError
from pytest_benchbed.model.dataset import DATASET_ID
from pytest_benchbed.model.dataset import Digests
from pytest_benchbed.model.dataset import Manifest
from pytest_benchbed.model.dataset import PinnedFile
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import is_case_id

FIRST_VERSION = "1"
_LAST_INTEGER = re.compile(r"([0-9]+)(?=[^0-9]*\Z)")
_NO_DIGEST = "0" * 64


def pin(
    path: str | Path,
    *,
    bump: bool = False,
    benchmark: str | None = None,
    id: str | None = None,
    visibility: str | None = None,
    before_write: Callable[[Manifest], None] | None = None,
) -> PinReport:
    """Write ``manifest.json`` of the dataset folder ``path``.

    What stands in an old manifest and can be told by a person alone (title,
    licence, store, retired cases, version) stays.

    Args:
        path: the dataset folder.
        bump: raise the last number of the version.
        benchmark: id of the benchmark type; default: as before, or the name of
            the folder around ``path``.
        id: dataset id; default: as before, or ``<benchmark>-<folder>``.
        visibility: ``public`` or ``private``; default: as before, or private.
        before_write: gets the new manifest before it takes the place of the old
            one; if it raises, nothing is written.

    Raises:
        DatasetError: the dataset has a fault that a manifest cannot mend; the
            text names them. Nothing is written.
        UsageProblem: an argument, or a default that the folder's name gives,
            is not valid.
    """
    root = Path(path)
    former = _former(root)
    survey = Survey(root)
    faults = list(survey.faults)
    files = list(_pin_files(survey, faults))
    if former.kept is not None and former.text is not None:
        faults += retirement_faults(survey, former.kept, former.text)
    if faults or survey.cases is None or survey.answers is None:
        raise refuse(faults)
    digests = Digests(
        inputs=inputs_digest(survey.cases, survey.contexts, {pin.path: pin for pin in files}),
        answers=answers_digest(survey.answers),
    )
    given = {"benchmark": benchmark, "id": id, "visibility": visibility}
    manifest = _manifest(root, former.kept, files, digests, given, bump)
    case_changes = answer_changes = None
    before = former.whole
    if before is not None and committed_digests(root) == before.digests.to_json():
        case_changes = row_changes(root, CASES_FILE, survey.cases)
        answer_changes = row_changes(root, ANSWERS_FILE, survey.answers)
    data = _as_text(manifest)
    is_written = former.text is None or former.text.raw != data
    if is_written:
        if before_write is not None:
            before_write(manifest)
        replace_file(root / MANIFEST_FILE, data)
    retired = {entry.id for entry in manifest.retired}
    return PinReport(
        root=root,
        manifest=manifest,
        before=before,
        is_new=former.text is None,
        is_written=is_written,
        cases=sum(name not in retired for name in survey.cases.ids),
        case_changes=case_changes,
        answer_changes=answer_changes,
    )


class _Former(NamedTuple):
    """The manifest that is refreshed."""

    text: ManifestText | None
    """None: there is none yet."""
    kept: Manifest | None
    """What a person wrote, without pins and digests."""
    whole: Manifest | None
    """With its pins; None: something in it cannot be read."""


def _former(root: Path) -> _Former:
    if not os.path.lexists(root / MANIFEST_FILE):
        if not root.is_dir():
            raise refuse([file_fault(root, MANIFEST_FILE, FileProblem("missing", ""))])
        return _Former(None, None, None)
    text, faults = read_text(root)
    if text is None:
        raise refuse(faults)
    # Pins and digests are made anew, whatever is wrong with the old ones.
    blank = {"inputs": _NO_DIGEST, "answers": _NO_DIGEST}
    own = ManifestText(text.raw, text.text, {**text.data, "files": [], "digests": blank})
    kept, faults = examine_manifest(root, own)
    if faults:
        raise refuse(faults)
    whole, _ = examine_manifest(root, text)
    return _Former(text, kept, whole)


def _pin_files(survey: Survey, faults: list[Fault]) -> Iterator[PinnedFile]:
    """Hash every file; keep the faults of those that may not be pinned as they are."""
    for path in sorted(survey.files):
        use = survey.uses.get(path)
        case = None if use is None else use.case
        try:
            facts = read_facts(survey.root, path, survey.token)
        except FileProblem as problem:
            remedy = "Make it a readable file, or remove it."
            faults.append(Fault(str(survey.root / path), None, case, str(problem), remedy))
            continue
        faults += content_faults(survey.root, facts, case)
        yield facts.pin
    for path, use in survey.uses.items():
        if path not in survey.files:
            cause = f"the file {quoted(path)} does not exist"
            faults.append(Fault(use.shown, use.line, use.case, cause, "Add it, or do not name it."))


def _manifest(
    root: Path,
    kept: Manifest | None,
    files: list[PinnedFile],
    digests: Digests,
    given: Mapping[str, str | None],
    bump: bool,
) -> Manifest:
    row = _first_row(root, given) if kept is None else kept.to_json()
    row.update({name: value for name, value in given.items() if value is not None})
    if bump and kept is not None:
        row["version"] = next_version(kept.version)
    row["files"] = [pin.to_json() for pin in files]
    row["digests"] = digests.to_json()
    try:
        return Manifest.from_json(row)
    except ShapeError as error:
        raise UsageProblem(f"{root / MANIFEST_FILE} cannot be made: {error}") from None


def _first_row(root: Path, given: Mapping[str, str | None]) -> dict[str, Any]:
    folder = root.resolve()
    benchmark = given["benchmark"] or folder.parent.name
    if not is_case_id(benchmark) or (given["benchmark"] is None and benchmark == "cases"):
        raise UsageProblem(
            f"which benchmark is {quoted(str(root))} for? Its folder does not lie in "
            "<benchmark>/<dataset>.\nName it with: --benchmark=NAME"
        )
    name = given["id"] or f"{benchmark}-{folder.name}"
    if re.fullmatch(DATASET_ID, name) is None:
        raise UsageProblem(
            f"{quoted(name)} is no dataset id.\nName one with: --id=NAME or --id=PUBLISHER/NAME"
        )
    return {
        "schema": SCHEMA,
        "id": name,
        "version": FIRST_VERSION,
        "benchmark": benchmark,
        "visibility": "private",
    }


def next_version(version: str) -> str:
    """Return ``version`` with its last whole number raised: ``1.4`` gives ``1.5``.

    Raises:
        UsageProblem: there is no number in it.
    """
    match = _LAST_INTEGER.search(version)
    if match is None:
        raise UsageProblem(
            f"version {quoted(version)} has no number to raise.\n"
            f"Write the new version into {MANIFEST_FILE} and pin without --bump."
        )
    number = str(int(match.group()) + 1).zfill(len(match.group()))
    return version[: match.start()] + number + version[match.end() :]


def _as_text(manifest: Manifest) -> bytes:
    """One field a line: a manifest is read in diffs."""
    text = json.dumps(manifest.to_json(), ensure_ascii=False, sort_keys=True, indent=2)
    return text.encode("utf-8") + b"\n"
