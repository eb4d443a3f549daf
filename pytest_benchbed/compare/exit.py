"""What a verdict does to exit statuses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_benchbed.model.gate import GateResult
    from pytest_benchbed.model.run import GateStatus

NOT_SUPPORTED = "not supported"
"""Reason of ``unavailable`` when the system does not do this benchmark at all."""

_CODES: dict[str, int] = {
    "passed": 0,
    "failed": 1,
    "blocked": 3,
    "unavailable": 3,
    "incomplete": 4,
    "baseline required": 5,
}
REFUSED = 2
"""Exit code of ``benchbed gate`` when runs cannot be compared."""

_WORST_FIRST = (REFUSED, 3, 1, 4, 5, 0)


def raises_exit_status(gate: GateResult, partial_by_selection: bool, require_gate: bool) -> bool:
    """Say whether the verdict turns pytest's exit status 0 into 1; it never lowers one.

    ``partial_by_selection``: what is missing from the run was left out by a
    selection that the user made. Only if nothing else keeps the verdict
    ``incomplete`` does the status stay (ENV-065).
    """
    if gate.status == "passed":
        return False
    if require_gate:
        return True
    if gate.status == "baseline required":
        return False
    if gate.status == "unavailable":
        return gate.reason != NOT_SUPPORTED
    if gate.status == "incomplete":
        return not (partial_by_selection and _only_selection_is_missing(gate))
    return True


def _only_selection_is_missing(gate: GateResult) -> bool:
    coverage = gate.coverage
    others = (
        coverage.holes,
        coverage.not_in_baseline,
        coverage.support_lost,
        coverage.removed,
        coverage.unverifiable,
    )
    return (
        coverage.compared > 0
        and not any(others)
        # Cases missing for no recorded reason are in no list: only the sum shows them.
        and 0 < coverage.of - coverage.compared <= coverage.not_selected
    )


def gate_exit_code(status: GateStatus) -> int:
    """Return the exit code of ``benchbed gate RUN`` for a status (2 is kept for refusals)."""
    return _CODES[status]


def worst_exit_code(codes: Iterable[int]) -> int:
    """Return the exit code of a run set: the first of 2, 3, 1, 4, 5, 0 that occurs.

    Nothing at all counts as incomplete (4): no verdict is no pass.
    """
    found = set(codes)
    return next((code for code in _WORST_FIRST if code in found), 4)
