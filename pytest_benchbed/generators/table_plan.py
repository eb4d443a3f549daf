"""Which cases ``table-separators/synthetic-v1`` has, and the table of each.

The plan is the whole dataset in the abstract: case ids, layouts, the invented
documents the crops come from. :func:`table` builds one case from its id alone,
with the standard library alone; the dataset writer (``tables.py``) and the
reference adapter both start here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_benchbed.generators.draw import Draw
from pytest_benchbed.generators.table_crop import Noise
from pytest_benchbed.generators.table_crop import Style
from pytest_benchbed.generators.table_crop import Table
from pytest_benchbed.generators.table_grid import place
from pytest_benchbed.generators.table_layouts import LAYOUTS
from pytest_benchbed.generators.table_layouts import make_content
from pytest_benchbed.generators.table_words import DOCUMENTS
from pytest_benchbed.generators.table_words import Language

CASES_PER_LAYOUT: Final = 12
SEED: Final = "table-separators/synthetic-v1"
SPANISH: Final = "spanish-headers"
SCANNED: Final = "scanned"


@dataclass(frozen=True, slots=True)
class CasePlan:
    """One case, before its table is made."""

    id: str
    category: str
    document: str
    """Id of the invented document the crop comes from; crops of one are a cluster."""


@dataclass(frozen=True, slots=True)
class Document:
    """What the crops of one invented document have in common."""

    id: str
    title: str
    language: Language
    font: str
    size_pt: float
    dpi: int
    is_shaded: bool
    noise: Noise


def case_plans() -> list[CasePlan]:
    """Return the cases in the order of their ids.

    Ids go through the layouts in turn, so that the first thirteen cases show
    one of each.
    """
    names = list(LAYOUTS)
    plans = []
    for number in range(CASES_PER_LAYOUT * len(names)):
        cycle, slot = divmod(number, len(names))
        category = names[slot]
        if category == SPANISH:
            document = f"doc-es-{cycle // 3 + 1:02d}"
        elif category == SCANNED:
            document = f"doc-scan-{cycle // 3 + 1:02d}"
        else:
            document = f"doc-{cycle * 4 + slot // 3 + 1:02d}"
        plans.append(CasePlan(f"sep-{number + 1:03d}", category, document))
    return plans


def document(name: str) -> Document:
    """Return the invented document of this id."""
    draw = Draw(SEED, name)
    is_scan = name.startswith("doc-scan-")
    language: Language = "es" if name.startswith("doc-es-") or name == "doc-scan-04" else "en"
    return Document(
        id=name,
        title=f"{draw.pick(DOCUMENTS[language])}, {draw.between(2015, 2023)}",
        language=language,
        font=draw.pick(("Helvetica", "Helvetica", "Times")),
        size_pt=draw.pick((7.0, 7.5, 8.0, 8.5)),
        dpi=draw.pick((96, 96, 108, 120)),
        is_shaded=draw.chance(35),
        noise=draw.pick(("light", "heavy")) if is_scan else "none",
    )


def table(plan: CasePlan) -> Table:
    """Make the table of a case: equal on every platform and in every process."""
    source = document(plan.document)
    draw = Draw(SEED, plan.id)
    content = make_content(plan.category, draw, source.language)
    is_scan = plan.category == SCANNED
    style = Style(
        font="Times" if source.font == "Times" else "Helvetica",
        size_pt=6.5 if content.is_dense else source.size_pt,
        dpi=source.dpi,
        pad_x=draw.pick((0.75, 0.9, 1.1)),
        pad_y=draw.pick((0.15, 0.2)) if content.is_dense else draw.pick((0.35, 0.45, 0.55)),
        margin_px=draw.between(6, 16),
        line_px=draw.pick((0.7, 1.0, 1.3)),
        is_shaded=source.is_shaded and content.rules != "none",
        noise=source.noise,
        skew_sign=draw.pick((-1, 1)) if is_scan else 0,
    )
    return place(content, style)
