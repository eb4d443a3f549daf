"""A saved run, opened for reading."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any
from typing import Self

from pytest_benchbed.model.base import ShapeError
from pytest_benchbed.model.canonical import sha256_hex
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.model.schema import schema_problem
from pytest_benchbed.runs.layout import RUN_SET_FILE
from pytest_benchbed.runs.layout import RUN_SET_SCHEMA
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.lines import REMEDY
from pytest_benchbed.runs.lines import read_document
from pytest_benchbed.runs.predictions import Predictions
from pytest_benchbed.runs.rows import SavedRows

if TYPE_CHECKING:
    from pytest_benchbed.compare.facts import RunFacts

RUN_SCHEMA = "benchbed.run.v1"
METRICS_SCHEMA = "benchbed.metrics.v1"
"""The versions that this package reads and writes. ``results.jsonl`` has none of its own."""


class Run:
    """The record of one benchmark and one system: a directory ``runs/<id>/``.

    Opening reads ``run.json`` alone; the other files are read when they are
    asked for. A run that is not finished opens too: it has the rows and
    metrics that were written, perhaps none. So does a snapshot in version
    control, which holds ``run.json`` and ``results.jsonl``, and ``calls.jsonl``
    only for a public dataset: without metrics and replies, it has everything
    that a comparison needs.

    Example::

        run = Run.open("runs/nightly")
        run.record.gate.status                      # "passed"
        [row["case"] for row in run.results() if row["quality"] != 1]
        run.predictions()["sep-031"]                # the reply, as JSON text

    Records that older versions wrote are read. One of a newer schema is
    refused with both schemas and the command that updates this package. Rows
    that were edited since the run was written are refused as well: their
    digest stands in ``run.json``.
    """

    def __init__(self, path: Path, record: RunRecord, calls: Path | None = None) -> None:
        """Use :meth:`open`."""
        self.path = path
        self.record = record
        self.paths = RunPaths(path)
        self.calls_path = calls or self.paths.calls
        """Where its replies are."""

    @classmethod
    def open(cls, path: Path | str, *, calls: Path | None = None) -> Self:
        """Open the run in the directory ``path``.

        ``calls``: the ``calls.jsonl`` of the same run elsewhere, for a snapshot without one.

        Raises:
            RunError: ``path`` is no run directory or a run set, its record is
                damaged, or a newer version of this package wrote it.
        """
        root = Path(path)
        paths = RunPaths(root)
        if not paths.run.is_file():
            if (root / RUN_SET_FILE).is_file():
                members = ", ".join(read_run_set(root)) or "none"
                raise RunError(
                    f"{root}: is a run set. Name one of its runs, SET/BENCHMARK; "
                    f"its benchmarks: {members}"
                )
            raise RunError(f"{root}: is no run: it has no run.json. List runs with: benchbed runs")
        return cls(root, parse_record(paths.run, read_document(paths.run)), calls)

    @property
    def id(self) -> str:
        """Id of the run, as recorded; ``SET/BENCHMARK`` in a run set."""
        return self.record.id

    def results_sha256(self) -> str:
        """Return the digest of ``results.jsonl``: the one on record, else of the file; "" without.

        Where one is on record, whoever reads the rows holds them against it.
        """
        if self.record.results_sha256 is not None:
            return self.record.results_sha256
        results = self.paths.results
        return sha256_hex(results.read_bytes()) if results.exists() else ""

    @cached_property
    def metrics(self) -> Mapping[str, Any]:
        """``metrics.json``; empty as long as the run is not finished.

        Raises:
            RunError: the file is damaged, or of another schema.
        """
        if not self.paths.metrics.exists():
            return {}
        metrics = read_document(self.paths.metrics)
        _check_schema(self.paths.metrics, metrics, METRICS_SCHEMA)
        return metrics

    def results(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of ``results.jsonl`` in order of their case ids, one at a time.

        Raises:
            RunError: with file and line of the first row that is damaged, or the rows
                are not those that the record is of.
        """
        yield from self._saved_rows().read()

    def rows(self) -> dict[str, dict[str, Any]]:
        """Return all rows by case id, as objects; raises as :meth:`results`."""
        return {row["case"]: row for row in self.results()}

    def facts(self) -> RunFacts:
        """Return what the gate needs to know of this run; raises as :meth:`results`.

        Its rows are read from the file one by one, when they are asked for.
        """
        from pytest_benchbed.compare.facts import RunFacts

        return RunFacts(record=self.record, rows=self._saved_rows())

    def _saved_rows(self) -> SavedRows:
        return SavedRows.open(
            self.paths.results,
            self.record.results_sha256,
            run=self.id,
            profiles=self.record.benchmark.profiles,
        )

    def predictions(self) -> Predictions:
        """Return the reply of each answered case, first attempt, as JSON text.

        Raises:
            RunError: with file and line, ``calls.jsonl`` is damaged; a torn
                last line is left out.
        """
        return Predictions.open(self.calls_path)


def parse_record(path: Path, value: Mapping[str, Any]) -> RunRecord:
    """Return the record in ``value``; ``path`` is named in errors.

    Fields that later versions added have defaults, so older records read too.

    Raises:
        RunError: another kind of file, a newer version, or the first field that is wrong.
    """
    _check_schema(path, value, RUN_SCHEMA)
    try:
        return RunRecord.from_json(value)
    except ShapeError as error:
        raise RunError(f"{path}: field {error}. {REMEDY}{_writer(value)}") from None


def _check_schema(path: Path, value: Mapping[str, Any], known: str) -> None:
    problem = schema_problem(value.get("schema"), known)
    if problem is not None:
        cause, remedy = problem
        raise RunError(f"{path}: field schema: {cause}. {remedy or REMEDY}")


def _writer(value: Mapping[str, Any]) -> str:
    """Name the version that wrote a record this one cannot read: it may be a newer one."""
    versions = value.get("versions")
    version = versions.get("pytest_benchbed") if isinstance(versions, dict) else None
    return f" It was written by version {term(version, 40)}." if version else ""


def read_run_set(root: Path) -> list[str]:
    """Return the benchmarks of the run set in ``root``, in the order they were asked for.

    Raises:
        RunError: ``run-set.json`` is missing, damaged or of another schema.
    """
    path = root / RUN_SET_FILE
    whole = read_document(path)
    _check_schema(path, whole, RUN_SET_SCHEMA)
    benchmarks = whole.get("benchmarks")
    if not isinstance(benchmarks, list) or not all(isinstance(name, str) for name in benchmarks):
        raise RunError(f"{path}: field benchmarks: is no list of names. {REMEDY}")
    return benchmarks
