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
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.model.schema import schema_problem
from pytest_benchbed.runs.layout import RUN_SET_FILE
from pytest_benchbed.runs.layout import RUN_SET_SCHEMA
from pytest_benchbed.runs.layout import RunPaths
from pytest_benchbed.runs.lines import REMEDY
from pytest_benchbed.runs.lines import read_document
from pytest_benchbed.runs.lines import read_rows
from pytest_benchbed.runs.predictions import Predictions

if TYPE_CHECKING:
    from pytest_benchbed.compare.facts import RunFacts

RUN_SCHEMA = "benchbed.run.v1"
METRICS_SCHEMA = "benchbed.metrics.v1"
"""The versions that this package reads and writes. ``results.jsonl`` has none of its own."""
_METRIC_TYPES = frozenset({int, float, list, type(None)})
STATES = frozenset({"scored", "technical", "skipped"})


class Run:
    """The record of one benchmark and one system: a directory ``runs/<id>/``.

    Opening reads ``run.json`` alone; the other files are read when they are
    asked for. A run that is not finished opens too: it has the rows and
    metrics that were written, perhaps none.
    """

    def __init__(self, path: Path, record: RunRecord) -> None:
        """Use :meth:`open`."""
        self.path = path
        self.record = record
        self.paths = RunPaths(path)

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open the run in the directory ``path``.

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
        return cls(root, parse_record(paths.run, read_document(paths.run)))

    @property
    def id(self) -> str:
        """Id of the run, as recorded; ``SET/BENCHMARK`` in a run set."""
        return self.record.id

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
            RunError: with file and line of the first row that is damaged.
        """
        for number, row in read_rows(self.paths.results):
            problem = _misshapen(row)
            if problem:
                where = f"{self.paths.results}:{number}: case {term(row['case'], 80)!r}"
                raise RunError(f"{where}: {problem}. {REMEDY}")
            yield row

    def rows(self) -> dict[str, dict[str, Any]]:
        """Return all rows by case id; raises as :meth:`results`."""
        return {row["case"]: row for row in self.results()}

    def facts(self) -> RunFacts:
        """Return what the gate needs to know of this run; raises as :meth:`results`."""
        from pytest_benchbed.compare.facts import RunFacts

        return RunFacts(record=self.record, rows=self.rows())

    def predictions(self) -> Predictions:
        """Return the reply of each answered case, first attempt, as JSON text.

        Raises:
            RunError: with file and line, ``calls.jsonl`` is damaged; a torn
                last line is left out.
        """
        return Predictions.open(self.paths.calls)


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


def _misshapen(row: Mapping[str, Any]) -> str | None:
    """Say what is wrong with a result row. No model: ten thousand rows would take seconds."""
    if row.get("state") not in STATES:
        return "field state: is not one of scored, skipped, technical"
    for name in ("errors", "metrics", "x"):
        if not isinstance(row.get(name), dict):
            return f"field {name}: is no object"
    if row["state"] != "scored":
        return None
    for errors in row["errors"].values():
        if type(errors) is not list:
            return "field errors: a profile's errors are no list"
        for error in errors:
            if (
                type(error) is not dict
                or type(error.get("kind")) is not str
                or type(error.get("where")) is not dict
            ):
                return "field errors: an error has no kind and place"
    if type(row.get("keys")) is not dict or row["keys"].keys() != row["errors"].keys():
        return "field keys: the profiles are not those of the errors"
    for values in row["metrics"].values():
        if type(values) is not dict or any(
            type(value) not in _METRIC_TYPES for value in values.values()
        ):
            return "field metrics: a metric is neither a number, null nor a pair"
    return None
