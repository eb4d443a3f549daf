"""An executable adapter: ``ADAPTER run --request FILE --output DIR``, once for all cases.

What it writes is read strictly (:mod:`.reader`) after it and everything it
started has ended. A fault of the batch is a technical failure of the run; a
missing or null prediction is one of its case (ENV-040 to ENV-049).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from decimal import Decimal
from pathlib import Path
from typing import Any

from pytest_benchbed.adapters.environment import child_environment
from pytest_benchbed.adapters.limits import Limits
from pytest_benchbed.adapters.process import Exit
from pytest_benchbed.adapters.process import Order
from pytest_benchbed.adapters.process import Process
from pytest_benchbed.adapters.process import start
from pytest_benchbed.adapters.reader import RESULT_NAME
from pytest_benchbed.adapters.reader import check_sizes
from pytest_benchbed.adapters.reader import name_problem
from pytest_benchbed.adapters.reader import parse_output
from pytest_benchbed.adapters.reader import read_output_file
from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.model.base import ShapeError
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import CASE_ID_RULE
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.model.request import AdapterRequest
from pytest_benchbed.model.request import AdapterResult
from pytest_benchbed.model.usage import Usage

TICK_S = 1.0
LOG_NAME = "adapter"


class BatchFailure(TechnicalFailure):
    """A technical failure of the whole run, with what the adapter reported before.

    ``usage`` is None when it reported nothing: then what was spent is unknown.
    """

    def __init__(
        self, kind: str, detail: str, *, where: str = "", usage: Usage | None = None
    ) -> None:
        """``detail`` is text of ours, with foreign parts escaped already."""
        super().__init__(kind, detail, where=where)
        self.usage = usage
        self.latency_s = 0.0
        """Seconds from the start of the process."""


@dataclass(frozen=True, slots=True)
class BatchReply:
    """What an executable returned."""

    result: AdapterResult
    predictions: dict[str, str]
    """Case id to the prediction as canonical JSON text."""
    missing: list[str]
    """Requested cases without a usable prediction, in the order of the request."""
    latency_s: float
    """From the start of the process to its end."""
    failures: dict[str, TechnicalFailure] = field(default_factory=dict)
    """Why, for each case in ``missing``."""
    usage: Usage = field(default_factory=Usage)


def run_executable(
    spec: AdapterSpec,
    request: AdapterRequest,
    *,
    request_path: Path,
    output: Path,
    scratch: Path,
    log_dir: Path,
    timeout_s: float,
    tick: Callable[[float], None],
) -> BatchReply:
    """Run an executable adapter and read its predictions.

    ``request`` is what stands in the file ``request_path``, which is written if it
    is not there. ``tick`` is called about once a
    second with the seconds since the start; what it raises (such as Ctrl-C)
    kills the process tree and passes through. A result record of an earlier
    try is set aside first.

    Raises:
        TechnicalFailure: it could not be started; nothing was spent.
        BatchFailure: of the run, once it was started.
        UsageProblem: a declared environment variable is unset or too short.
    """
    environment = child_environment(spec.env or (), network=spec.network or "none", scratch=scratch)
    output.mkdir(parents=True, exist_ok=True)
    _set_aside(output)
    if not request_path.exists():
        request_path.write_bytes(canonical(request.to_json()) + b"\n")
    order = Order(
        argv=[str(spec.path), "run", "--request", str(request_path), "--output", str(output)],
        env=environment.variables,
        cwd=scratch,
        log_dir=log_dir,
        log_name=LOG_NAME,
        limits=spec.limits,
        redactor=environment.redactor,
    )
    process = start(order)
    started = time.monotonic()
    try:
        ended = _watch(process, output, spec.limits, order.log, timeout_s, tick)
        latency_s = time.monotonic() - started
        _check_end(ended, order.log)
        _check_folder(output, spec.limits)
        return _read_reply(request, output, spec.limits, latency_s, environment.redactor)
    except TechnicalFailure as failure:
        raise _of_batch(failure, time.monotonic() - started) from None
    finally:
        process.kill()


def _of_batch(failure: TechnicalFailure, latency_s: float) -> BatchFailure:
    usage = failure.usage if isinstance(failure, BatchFailure) else None
    batch = BatchFailure(failure.kind, failure.detail, where=failure.where, usage=usage)
    batch.latency_s = latency_s
    return batch


def _watch(
    process: Process,
    output: Path,
    limits: Limits,
    log: str,
    timeout_s: float,
    tick: Callable[[float], None],
) -> Exit:
    started = time.monotonic()
    while True:
        elapsed = time.monotonic() - started
        if elapsed >= timeout_s:
            process.terminate()
            process.wait(limits.grace_s + TICK_S)
            process.kill()
            raise BatchFailure(
                "timeout", f"no result in {timeout_s:g} s; its process tree was killed", where=log
            )
        ended = process.wait(min(TICK_S, timeout_s - elapsed))
        if ended is not None:
            return ended
        _check_folder(output, limits)
        tick(time.monotonic() - started)


def _check_end(ended: Exit, log: str) -> None:
    if ended.cause == "output_flood":
        raise BatchFailure("output_flood", ended.describe(), where=log)
    if ended.code != 0:
        raise BatchFailure("crash", ended.describe(), where=log)
    if ended.left:
        raise BatchFailure(
            "left_running",
            f"it ended but left {ended.left} processes running; they were killed",
            where=log,
        )


def _check_folder(output: Path, limits: Limits) -> None:
    """Refuse an output folder with too many entries or bytes."""
    entries = size = 0
    waiting = [os.fspath(output)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listing:
                for entry in listing:
                    entries += 1
                    if entries > limits.entries:
                        raise BatchFailure(
                            "output_entries",
                            f"it wrote more than {limits.entries} files and folders",
                            where=output.name,
                        )
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_size
        except OSError:
            # Gone again, or nested too deep to be named: the entries counted so far decide.
            continue
    if size > limits.directory_bytes:
        raise BatchFailure(
            "output_size",
            f"it wrote {size} bytes; {limits.directory_bytes} are allowed",
            where=output.name,
        )


def _read_reply(
    request: AdapterRequest, output: Path, limits: Limits, latency_s: float, redactor: Redactor
) -> BatchReply:
    result = _read_result(request, output, limits)
    system = result.systems[0]
    usage = Usage(
        cost_usd=Decimal(str(system.cost_usd)),
        model=system.model,
        execution_failures=system.execution_failures,
        unpriced_attempts=system.unpriced_attempts,
    )
    where = f"{output.name}/{RESULT_NAME}"
    if system.execution_failures:
        raise BatchFailure(
            "execution_failures",
            f"{system.execution_failures} calls failed and were not resolved",
            where=where,
            usage=usage,
        )
    if system.unpriced_attempts:
        raise BatchFailure(
            "unpriced_attempts",
            f"the price of {system.unpriced_attempts} calls is unknown, so is the spend",
            where=where,
            usage=usage,
        )
    if request.budget_usd is not None and Decimal(str(system.cost_usd)) > request.budget_usd:
        raise BatchFailure(
            "over_budget",
            f"it spent {system.cost_usd} USD; the budget is {request.budget_usd}",
            where=where,
            usage=usage,
        )
    try:
        values = _read_predictions(request, result.data, output, limits)
    except TechnicalFailure as failure:
        raise BatchFailure(failure.kind, failure.detail, where=failure.where, usage=usage) from None
    return _sorted_out(request, result, values, usage, latency_s, redactor)


def _read_result(request: AdapterRequest, output: Path, limits: Limits) -> AdapterResult:
    where = f"{output.name}/{RESULT_NAME}"
    try:
        data = read_output_file(output, RESULT_NAME, limits.result_bytes)
    except TechnicalFailure as failure:
        if failure.kind == "missing_file":
            raise BatchFailure(
                "no_result", f"it ended with status 0 but wrote no {RESULT_NAME}", where=where
            ) from None
        raise
    try:
        result = AdapterResult.from_json(parse_output(data, where))
    except ShapeError as error:
        raise BatchFailure("result_record", str(error), where=where) from None
    for key, got, expected in (
        ("id", result.id, request.benchmark),
        ("format", result.format, request.format),
    ):
        if got != expected:
            raise BatchFailure(
                "result_record", f"{key} is {got[:80]!a}, not {expected!r}", where=where
            )
    problem = name_problem(result.data)
    if problem:
        raise BatchFailure("result_record", f"data {result.data[:80]!a} {problem}", where=where)
    return result


def _read_predictions(
    request: AdapterRequest, name: str, output: Path, limits: Limits
) -> dict[str, Any]:
    """Return the values by case id; a doubled or foreign id is a fault of the run."""
    where = f"{output.name}/{name}"
    data = read_output_file(output, name, limits.prediction_bytes)
    try:
        values = parse_output(data, where)
    except TechnicalFailure as failure:
        if failure.kind == "duplicate_key":
            raise TechnicalFailure("duplicate_case", failure.detail, where=where) from None
        raise
    requested = {case.id for case in request.cases}
    extra = sorted(values.keys() - requested)
    if extra:
        raise TechnicalFailure("extra_case", _extra(extra, requested), where=where)
    return values


def _extra(extra: list[str], requested: Iterable[str]) -> str:
    text = f"{term(extra[0], 60)!r} was not asked"
    if len(extra) > 1:
        text += f" (and {len(extra) - 1} more)"
    twin = next((name for name in requested if name.casefold() == extra[0].casefold()), None)
    if twin:
        text += f"; {twin!r} was"
    elif not is_case_id(extra[0]):
        text += f"; ids match {CASE_ID_RULE}"
    return text


def _sorted_out(
    request: AdapterRequest,
    result: AdapterResult,
    values: Mapping[str, Any],
    usage: Usage,
    latency_s: float,
    redactor: Redactor,
) -> BatchReply:
    predictions: dict[str, str] = {}
    failures: dict[str, TechnicalFailure] = {}
    for case in request.cases:
        where = f"{case.id} in {result.data}"
        value = values.get(case.id)
        if value is None:
            is_there = case.id in values
            failures[case.id] = TechnicalFailure(
                "no_prediction" if is_there else "missing_case",
                "its prediction is null" if is_there else "it has no prediction",
                where=where,
            )
            continue
        try:
            check_sizes(value, where)
        except TechnicalFailure as failure:
            failures[case.id] = failure
        else:
            predictions[case.id] = canonical(redactor.value(value)).decode("utf-8")
    return BatchReply(
        result=result,
        predictions=predictions,
        missing=list(failures),
        latency_s=latency_s,
        failures=failures,
        usage=usage,
    )


def _set_aside(output: Path) -> None:
    """Rename a result of an earlier try, which would pass for one of this try."""
    earlier = output / RESULT_NAME
    if not os.path.lexists(earlier):
        return
    number = 1
    while os.path.lexists(aside := earlier.with_name(f"adapter-result.earlier-{number}.json")):
        number += 1
    earlier.rename(aside)
