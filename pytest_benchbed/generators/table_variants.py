"""What the reference adapter answers about a table: right, or wrong in a known way.

Standard library only. The case is built again from its id; the answer file is
never opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from typing import Final

from pytest_benchbed.generators.draw import Draw
from pytest_benchbed.generators.table_crop import Table
from pytest_benchbed.generators.table_mistakes import MISTAKES
from pytest_benchbed.generators.table_mistakes import Prediction
from pytest_benchbed.generators.table_plan import case_plans
from pytest_benchbed.generators.table_plan import table

BASELINE: Final[Mapping[str, str]] = {
    "sep-002": "lost-column",
    "sep-003": "lost-row",
    "sep-005": "cut-row",
    "sep-011": "lost-row",
    "sep-015": "taken-word",
    "sep-017": "lost-span",
    "sep-019": "moved-value",
    "sep-020": "lost-span",
    "sep-022": "lost-column",
    "sep-024": "empty-row",
    "sep-026": "no-grid",
    "sep-030": "short-span",
    "sep-031": "cut-row",
    "sep-036": "cut-column",
    "sep-038": "invented-span",
    "sep-047": "lost-row",
    "sep-052": "cut-column",
    "sep-067": "cut-ink",
}
"""Cases that ``variant=baseline`` gets wrong, and the mistake it makes there."""

FLAKY: Final[Mapping[str, tuple[str, ...]]] = {
    "sep-008": ("lost-row", "lost-column"),
    "sep-018": ("cut-row", "lost-column"),
    "sep-028": ("taken-word", "lost-column"),
    "sep-043": ("lost-span", "lost-row"),
    "sep-063": ("lost-row", "empty-row"),
    "sep-078": ("no-grid", "lost-row"),
    "sep-103": ("taken-word", "cut-column"),
    "sep-140": ("lost-row", "lost-column"),
}
"""Cases that ``variant=flaky`` gets wrong at times (8 of 156, 5 %), and how."""

FLAKY_PERCENT: Final = 50
"""How often such a case is wrong."""


def known_table(case_id: str, inputs: Mapping[str, Any]) -> Table | None:
    """Return the generator's table of the case, or None if it is another one.

    A case of some other dataset may have the same id; then its inputs differ.
    """
    plan = next((plan for plan in case_plans() if plan.id == case_id), None)
    if plan is None:
        return None
    crop = table(plan)
    here = crop.inputs(str(inputs.get("image")), str(inputs.get("pdf")))
    return crop if here == inputs else None


def baseline(case_id: str, crop: Table) -> Prediction:
    """Return the right prediction, but for the cases in :data:`BASELINE`."""
    right = crop.prediction()
    name = BASELINE.get(case_id)
    return right if name is None else MISTAKES[name](crop, right)


def flaky(case_id: str, crop: Table, seed: str, attempt: int) -> Prediction:
    """Return the right prediction, but at times for the cases in :data:`FLAKY`.

    Each attempt is a draw of its own; equal arguments give equal predictions.
    """
    right = crop.prediction()
    draw = Draw("flaky", seed, case_id, attempt)
    if case_id not in FLAKY or not draw.chance(FLAKY_PERCENT):
        return right
    return MISTAKES[draw.pick(FLAKY[case_id])](crop, right)
