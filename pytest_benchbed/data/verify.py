"""Whether the rows of a dataset are still those that its manifest was made of.

The pinned files themselves are compared when they are staged; see ``staging``.
"""

from __future__ import annotations

from pathlib import Path

from pytest_benchbed.data.answers import ANSWERS_FILE
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.dataset import CASES_FILE
from pytest_benchbed.data.dataset import CONTEXTS_FILE
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.digests import answers_are
from pytest_benchbed.data.digests import inputs_are
from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import pin_remedy
from pytest_benchbed.data.faults import refuse


def verify_digests(dataset: Dataset, answers: Answers | None = None) -> None:
    """Compute both digests again and compare them with the manifest.

    Args:
        dataset: the dataset.
        answers: its answers, if they are open already.

    Raises:
        DatasetError: cases, contexts or answers were edited, or a row has a fault.
    """
    pinned = dataset.manifest.digests
    answer_rows = (answers or Answers.open(dataset.root)).index
    faults = []
    if not inputs_are(pinned.inputs, dataset.case_index, dataset.context_index, dataset.pins):
        faults.append(edited_cases(dataset.root, dataset.context_index is not None))
    if not answers_are(pinned.answers, answer_rows):
        faults.append(edited_answers(dataset.root))
    if faults:
        raise refuse(faults)
    dataset.is_verified = True


def edited_cases(root: Path, has_contexts: bool) -> Fault:
    """Say that what the system sees is no longer what the manifest's digest is of."""
    subject = f"this file or {CONTEXTS_FILE} was " if has_contexts else ""
    return _edited(root, CASES_FILE, subject)


def edited_answers(root: Path) -> Fault:
    """Say that the answers are no longer those that the manifest's digest is of."""
    return _edited(root, ANSWERS_FILE, "")


def _edited(root: Path, name: str, subject: str) -> Fault:
    cause = f"{subject}edited since it was pinned"
    remedy = f"{pin_remedy(root, ' --bump')} (or undo the edit)"
    return Fault(str(root / name), None, None, cause, remedy)
