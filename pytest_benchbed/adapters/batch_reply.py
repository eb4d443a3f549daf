"""What an executable adapter returned: its result record and its predictions.

Both are hostile text. A fault of the record, a doubled or a foreign case id is
a technical failure of the run; a missing or null prediction one of its case
(ENV-044 to ENV-049, ENV-053). Nothing here is a score.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any

from pytest_benchbed.adapters.limits import Limits
from pytest_benchbed.adapters.reader import RESULT_NAME
from pytest_benchbed.adapters.reader import check_sizes
from pytest_benchbed.adapters.reader import name_problem
from pytest_benchbed.adapters.reader import parse_output
from pytest_benchbed.adapters.reader import read_output_file
from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.model.base import ShapeError
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.money import to_decimal
from pytest_benchbed.model.names import CASE_ID_RULE
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.model.request import AdapterRequest
from pytest_benchbed.model.request import AdapterResult
from pytest_benchbed.model.usage import Usage


class BatchFailure(TechnicalFailure):
    """A technical failure of the whole run, with what the adapter reported before.

    ``usage`` is None when it reported nothing: then what was spent is unknown.
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        where: str = "",
        usage: Usage | None = None,
        latency_s: float = 0.0,
    ) -> None:
        """``detail`` is text of ours, with foreign parts escaped already."""
        super().__init__(kind, detail, where=where)
        self.usage = usage
        self.latency_s = latency_s
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


def read_reply(
    request: AdapterRequest, output: Path, limits: Limits, latency_s: float, redactor: Redactor
) -> BatchReply:
    """Read ``adapter-result.json`` and the predictions it names.

    Raises:
        TechnicalFailure: of the run, a :class:`BatchFailure` once the spend is known.
    """
    result = _read_result(request, output, limits)
    system = result.systems[0]
    where = f"{output.name}/{RESULT_NAME}"
    try:
        cost_usd = to_decimal(system.cost_usd)
    except ValueError as error:
        raise BatchFailure("result_record", f"cost_usd: {error}", where=where) from None
    usage = Usage(
        cost_usd=cost_usd,
        model=redactor.text(system.model),
        execution_failures=system.execution_failures,
        unpriced_attempts=system.unpriced_attempts,
    )
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
    if request.budget_usd is not None and cost_usd > request.budget_usd:
        raise BatchFailure(
            "over_budget",
            f"it spent {cost_usd} USD; the budget is {request.budget_usd}",
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
