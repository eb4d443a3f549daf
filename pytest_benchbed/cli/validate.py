"""``benchbed validate PATH``: every fault of one dataset, then a count."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from typing import Protocol

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.selfcheck import answer_fault
from pytest_benchbed.benchmarks.selfcheck import check_settings
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.manifest import MANIFEST_FILE
from pytest_benchbed.data.manifest import read_text
from pytest_benchbed.data.tier import tier_fault
from pytest_benchbed.data.validate import AnswerCheck
from pytest_benchbed.data.validate import validate
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term


class Benchmarks(Protocol):
    """Where benchmark types are looked up."""

    def get(self, name: str) -> Benchmark:
        """Return the type of that id, or raise :class:`UsageProblem`."""


def run_validate(
    path: Path, benchmark: Benchmark | Benchmarks | None, echo: Callable[[str], None]
) -> int:
    """Print every fault of the dataset at ``path``; return 1 if there is one, else 0.

    Args:
        path: the dataset folder.
        benchmark: the type, or where the one that the manifest names is looked
            up. With it every answer is scored as a prediction, and inputs,
            answers, categories and files are compared with what the type says.
            None: the answers are not scored, and a line says so.
        echo: prints a line.
    """
    faults: list[Fault] = []
    if benchmark is None or isinstance(benchmark, Benchmark):
        kind = benchmark
    else:
        kind = _look_up(path, benchmark, faults)
    if kind is None:
        faults += validate(path)
    else:
        faults += validate(
            path,
            check_answer=_check_of(kind),
            categories=kind.categories,
            input_keys=_input_keys(kind),
        )
    for fault in faults:
        echo(str(fault))
    if faults:
        echo(f"{len(faults)} {'fault' if len(faults) == 1 else 'faults'} in {path}")
        return 1
    dataset = Dataset.open(path)
    if kind is not None:
        try:
            check_settings(kind, Answers.open(path).all_known(), None)
        except UsageProblem as problem:
            echo(str(problem))
            return 1
    echo(
        f"{dataset.id} version {term(dataset.version, 40)}: no fault, {len(dataset)} cases, "
        f"{len(dataset.retired)} retired, identity {dataset.identity}"
    )
    if kind is None:
        echo("the answers were not scored: no benchmark type was given")
    return 0


def _look_up(path: Path, benchmarks: Benchmarks, faults: list[Fault]) -> Benchmark | None:
    """Return the type that the manifest names; keep the fault if there is no such type."""
    text, _ = read_text(path)
    name = None if text is None else text.data.get("benchmark")
    if text is None or not isinstance(name, str) or not name:
        return None
    try:
        return benchmarks.get(name)
    except UsageProblem as problem:
        cause, _, remedy = str(problem).partition("\n")
        line = text.line_of(name)
        shown = str(path / MANIFEST_FILE)
        faults.append(Fault(shown, line, None, cause.rstrip("."), remedy or "Correct the name."))
        return None


def _check_of(kind: Benchmark) -> AnswerCheck:
    def check(dataset: Dataset, case_id: str, answer: Any) -> str | None:
        row = dataset.row(case_id)
        files = list(row.files or ())
        if row.context is not None:
            files += dataset.context(row.context).files or ()
        case = dataset.case(case_id)
        return tier_fault(kind.tier, files) or answer_fault(kind, case, answer)

    return check


def _input_keys(kind: Benchmark) -> frozenset[str]:
    if kind.inputs_model is None:
        return frozenset()
    fields = kind.inputs_model.model_fields
    return frozenset(fields) | {field.alias for field in fields.values() if field.alias}
