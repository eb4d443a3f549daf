"""Every fault of a dataset folder: nothing stops at the first one.

Structure (rows, ids, paths, files) is the survey's; here the folder is
compared with its manifest, answers are looked for inside the cases, and the
caller's check (the benchmark type's, usually) sees each case with its answer.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from pytest_benchbed.data.answers import ANSWERS_FILE
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.dataset import CASES_FILE
from pytest_benchbed.data.dataset import CONTEXTS_FILE
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.digests import answers_are
from pytest_benchbed.data.digests import inputs_are
from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.index import LineIndex
from pytest_benchbed.data.leaks import NO_ANSWER
from pytest_benchbed.data.leaks import find_leaks
from pytest_benchbed.data.manifest import MANIFEST_FILE
from pytest_benchbed.data.manifest import examine_manifest
from pytest_benchbed.data.manifest import read_text
from pytest_benchbed.data.pins import pin_faults
from pytest_benchbed.data.survey import Survey
from pytest_benchbed.data.survey import retirement_faults
from pytest_benchbed.data.verify import edited_answers
from pytest_benchbed.data.verify import edited_cases
from pytest_benchbed.model.dataset import CaseRow
from pytest_benchbed.model.dataset import ContextRow
from pytest_benchbed.model.dataset import Manifest
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.model.escape import term

AnswerCheck = Callable[[Dataset, str, Any], str | None]
"""(dataset, case id, answer) -> what is wrong with the case, or None."""
_NO_LEAK = "Take it out: the system sees the inputs. An input that is meant needs another key."


def validate(
    path: str | Path,
    *,
    check_answer: AnswerCheck | None = None,
    categories: Collection[str] = (),
    input_keys: Collection[str] = (),
) -> list[Fault]:
    """Return all faults of the dataset folder ``path``; none: it is clean.

    Args:
        path: the dataset folder.
        check_answer: asked for each case that is not retired; its text becomes
            a fault of the case.
        categories: words allowed in a case's ``category``; empty: any.
        input_keys: keys that the benchmark type declares as inputs. Undeclared,
            a key ``answer``, ``answers`` or ``expected`` there is a fault.
    """
    root = Path(path)
    text, faults = read_text(root)
    if not root.is_dir():
        return faults
    survey = Survey(root)
    if text is None and survey.cases is None:
        # No dataset at all: what else is missing from one helps nobody.
        return faults
    faults += survey.faults
    manifest = None
    if text is not None:
        manifest, more = examine_manifest(root, text)
        faults += more
    if text is not None and manifest is not None:
        faults += retirement_faults(survey, manifest, text)
        faults += pin_faults(root, manifest.files, survey.files, survey.uses, survey.token)
        faults += _digests(survey, manifest)
        if check_answer is not None:
            told = {fault.case for fault in faults}
            faults += _answer_faults(survey, manifest, check_answer, told)
    if survey.contexts is not None:
        faults += _context_faults(survey.contexts, input_keys)
    if survey.cases is not None:
        answers = None if survey.answers is None else Answers(survey.answers)
        faults += _case_faults(survey.cases, answers, categories, input_keys)
    return _in_order(root, faults)


def _in_order(root: Path, faults: list[Fault]) -> list[Fault]:
    """Sort by file, the dataset's own first, and line; equal faults once."""
    own = [str(root / name) for name in (MANIFEST_FILE, CASES_FILE, CONTEXTS_FILE, ANSWERS_FILE)]
    rank = {shown: at for at, shown in enumerate(own)}

    def key(fault: Fault) -> tuple[int, str, int]:
        return rank.get(fault.file, len(own)), fault.file, fault.line or 0

    return sorted(dict.fromkeys(faults), key=key)


def _digests(survey: Survey, manifest: Manifest) -> Iterator[Fault]:
    """Rows that are not those of the manifest; rows with a fault are told already."""
    if not survey.has_whole_rows or survey.cases is None or survey.answers is None:
        return
    pins = {pin.path: pin for pin in manifest.files}
    is_pinned = pins.keys() >= survey.uses.keys()
    pinned = manifest.digests.inputs
    if is_pinned and not inputs_are(pinned, survey.cases, survey.contexts, pins):
        yield edited_cases(survey.root, survey.contexts is not None)
    if not answers_are(manifest.digests.answers, survey.answers):
        yield edited_answers(survey.root)


def _context_faults(contexts: LineIndex, input_keys: Collection[str]) -> Iterator[Fault]:
    for line, _, row in contexts.rows(ContextRow):
        for cause in find_leaks(row.inputs, NO_ANSWER, input_keys):
            yield Fault(contexts.shown, line, None, cause, _NO_LEAK)


def _case_faults(
    cases: LineIndex,
    answers: Answers | None,
    categories: Collection[str],
    input_keys: Collection[str],
) -> Iterator[Fault]:
    """Answers inside cases, and categories that the type does not have."""
    for line, name, row in cases.rows(CaseRow):
        has_answer = answers is not None and name in answers
        answer = answers.answer(name) if answers is not None and has_answer else NO_ANSWER
        for cause in find_leaks(row.inputs, answer, input_keys):
            yield Fault(cases.shown, line, name, cause, _NO_LEAK)
        if categories and row.category is not None and row.category not in categories:
            near = difflib.get_close_matches(row.category, sorted(categories), n=1)
            known = f"The benchmark has: {', '.join(sorted(categories))}."
            hint = f"Did you mean {quoted(near[0])}?" if near else known
            cause = f"the category {quoted(row.category)} is not one of the benchmark's"
            yield Fault(cases.shown, line, name, cause, hint)


def _answer_faults(
    survey: Survey, manifest: Manifest, check: AnswerCheck, told: AbstractSet[str | None]
) -> Iterator[Fault]:
    """What the caller finds wrong with a case and its answer.

    A case that cannot be built is named, unless its fault is told already.
    """
    if survey.cases is None or survey.answers is None:
        return
    dataset = Dataset(survey.root, manifest, survey.cases, survey.contexts)
    answers = Answers(survey.answers)
    remedy = "Correct the case or its answer, or retire the case with a reason."
    for name in dataset.ids:
        if name not in answers:
            continue
        try:
            cause = check(dataset, name, answers.answer(name))
        except BenchbedError as error:
            cause = None if name in told else term(error)
        if cause is not None:
            yield Fault(survey.cases.shown, dataset.line(name), name, cause, remedy)
