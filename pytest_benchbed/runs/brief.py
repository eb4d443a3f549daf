"""Build ``review-brief.json``: the changed cases, grouped for a reviewer (ENV-069)."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from pytest_benchbed.compare.noise_ledger import Strike
from pytest_benchbed.model.error import error_key
from pytest_benchbed.model.run import RunRecord

SCHEMA = "benchbed.review-brief.v1"
BUCKETS = ("worse", "better", "noisy", "remaining")
"""The buckets a reviewer looks at, in the order of the file."""

Row = Mapping[str, Any]


def build_brief(
    record: RunRecord,
    rows: Collection[Row],
    baseline_rows: Mapping[str, Row] | None,
    buckets: Mapping[str, str],
    *,
    profile: str,
    status: str,
    strikes: Sequence[Strike] = (),
) -> dict[str, Any]:
    """Return the content of ``review-brief.json``.

    Args:
        record: the run.
        rows: its result rows, in any order.
        baseline_rows: rows of the baseline by case, None without a baseline;
            then every error counts as kept.
        buckets: bucket per case, as the compare package decides it; cases of
            other buckets than :data:`BUCKETS` are left out.
        profile: the gate profile; errors are compared under it by identity.
        status: the verdict of that profile.
        strikes: cases that wobbled in several runs, for a second look.
    """
    groups: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: row["case"]):
        bucket = buckets.get(row["case"])
        if bucket not in BUCKETS:
            continue
        changes = _changes(row, (baseline_rows or {}).get(row["case"]), profile)
        if baseline_rows is None:
            changes = {"new": [], "gone": [], "kept": changes["new"]}
        key = (BUCKETS.index(bucket), row["category"] or "")
        groups.setdefault(key, []).append({"case": row["case"], **changes})
    return {
        "schema": SCHEMA,
        "run": record.id,
        "benchmark": record.benchmark.id,
        "dataset": record.dataset.id,
        "baseline": record.baseline.id if record.baseline else None,
        "gate": {"status": status, "profile": profile},
        "groups": [
            {"bucket": BUCKETS[index], "category": category or None, "cases": cases}
            for (index, category), cases in sorted(groups.items())
        ],
        "intermittent": [one.case for one in strikes],
        "strikes": [
            {"case": one.case, "wobbled": one.wobbled, "suspect": one.suspect, "of": one.of}
            for one in strikes
        ],
    }


def _changes(row: Row, other: Row | None, profile: str) -> dict[str, list[Any]]:
    """Part the errors of a case: new and kept as they are now, gone as they were."""
    now = {error_key(error): error for error in row["errors"].get(profile, ())}
    before = {
        error_key(error): error for error in (other["errors"] if other else {}).get(profile, ())
    }
    return {
        "new": [error for key, error in now.items() if key not in before],
        "gone": [error for key, error in before.items() if key not in now],
        "kept": [error for key, error in now.items() if key in before],
    }
