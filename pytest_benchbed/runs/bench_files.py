"""Find and read bench files, ``cases/<benchmark>/bench.json`` (ENV-099).

What a bench file says against command line and ini is decided at the edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import get_args

from pydantic import BaseModel
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from pytest_benchbed.model.base import explain
from pytest_benchbed.model.bench_file import BenchAdapter
from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.model.bench_file import Limit
from pytest_benchbed.model.bench_file import ModelPrice
from pytest_benchbed.model.bench_file import Promotion
from pytest_benchbed.model.bench_file import RetryPolicy
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.schema import schema_problem
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

BENCH_FILE = "bench.json"
SCHEMA = "benchbed.bench.v1"


def find_bench_files(bench_paths: Iterable[Path]) -> dict[str, Path]:
    """Return benchmark id to bench file, of the folders directly below ``bench_paths``.

    Of two for one benchmark that of the first path counts. A path that does
    not exist has none.
    """
    found: dict[str, Path] = {}
    for parent in bench_paths:
        if parent.is_dir():
            for file in sorted(parent.glob(f"*/{BENCH_FILE}")):
                found.setdefault(file.parent.name, file)
    return found


def load_bench_file(path: Path) -> BenchFile:
    """Read a bench file.

    Raises:
        UsageProblem: with the file and the line or field that is wrong.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise UsageProblem(f"{path}: cannot be read: {error.strerror}.") from error
    try:
        value = read_json(text)
    except MalformedJson as error:
        where = str(path)
        if error.position is not None:
            # People write this file by hand: the line is what they look for.
            where += f":{text.decode('utf-8').count(chr(10), 0, error.position) + 1}"
        raise UsageProblem(
            f"{where}: is no valid JSON: {error.detail}. A bench file is one JSON object, UTF-8."
        ) from None
    if not isinstance(value, dict):
        raise UsageProblem(f"{path}: holds no JSON object. A bench file is one, at least {{}}.")
    problem = schema_problem(value.get("schema", SCHEMA), SCHEMA)
    if problem is not None:
        cause, remedy = problem
        raise UsageProblem(f"{path}: field schema: {cause}. {remedy or f'Correct it to {SCHEMA}.'}")
    try:
        return BenchFile.model_validate(value)
    except ValidationError as error:
        raise UsageProblem(f"{path}: field {_fault(error)}.{_nearest(error)}") from None


def promoted_runs(files: Iterable[BenchFile]) -> set[str]:
    """Return the runs that bench files name as baseline or control, now or formerly."""
    return {name for file in files for adapter in file.adapters.values() for name in _runs(adapter)}


def _runs(adapter: BenchAdapter) -> Iterator[str]:
    promotions: list[BenchAdapter | Promotion] = [adapter, *adapter.history]
    for promotion in promotions:
        if promotion.baseline is not None:
            yield promotion.baseline
        yield from promotion.controls


def _fault(error: ValidationError) -> str:
    """Put the first fault into words; a limit of something else is a field that is not known."""
    first = _first(error)
    if not _is_limit(first):
        return explain(error)
    name = ".".join(str(part) for part in first["loc"][:2])
    return f"{name[:120]}: no such limit"


def _first(error: ValidationError) -> ErrorDetails:
    return error.errors(include_url=False, include_context=False, include_input=False)[0]


def _is_limit(fault: ErrorDetails) -> bool:
    """Say whether it is the name of a limit that is not known: these are the keys of a mapping."""
    return fault["loc"][0] == "thresholds" and fault["loc"][2:] == ("[key]",)


def _nearest(error: ValidationError) -> str:
    """Name the field that was meant when the first fault is an unknown one."""
    first = _first(error)
    place = [str(part) for part in first["loc"]]
    if _is_limit(first):
        place, known = place[:2], list(get_args(Limit))
    elif first["type"] == "extra_forbidden":
        known = sorted(field.alias or name for name, field in _model(place).model_fields.items())
    else:
        return ""
    near = get_close_matches(place[-1], known, n=1)
    return f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(known)}."


def _model(place: list[str]) -> type[BaseModel]:
    """Return the format of the object whose field stands at ``place``."""
    if len(place) == 1:
        return BenchFile
    if place[0] == "adapters":
        return Promotion if "history" in place[2:] else BenchAdapter
    return RetryPolicy if place[0] == "retry" else ModelPrice
