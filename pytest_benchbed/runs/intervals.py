"""How sure the headline measures are: intervals of value and change, and a relabelling test.

They stand beside the numbers and decide nothing. A metric that the type sums up in
another way than as a mean or a pooled ratio has none: its resamples would be of
something else.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from pytest_benchbed.compare.bootstrap import Unit
from pytest_benchbed.compare.bootstrap import interval
from pytest_benchbed.compare.bootstrap import standard_error
from pytest_benchbed.compare.bootstrap import units_of
from pytest_benchbed.compare.relabel import relabelling_p

Row = Mapping[str, Any]

_SAME = 1e-9


def headline_intervals(
    profile: str,
    metric: str,
    rows: Sequence[Row],
    old: Sequence[Mapping[str, Row]],
    *,
    value: float | None,
    change: float | None,
    is_continuous: bool,
    lower_is_better: bool,
) -> dict[str, Any]:
    """Return what stands beside one headline measure; each null where it is not known.

    ``interval`` and ``change_interval`` are ``[low, high]`` at 95 %, by resampling
    groups of cases; the change is paired. ``standard_error`` is that of the value.
    ``relabelling_p`` is for continuous measures: how often the candidate would come
    out as low by chance alone.

    Args:
        profile: of the measure.
        metric: its name.
        rows: the scored rows of the candidate.
        old: scored rows by case of the runs of the old code, the baseline's first.
        value: as summed up by the type.
        change: the same of the change, over the cases that both runs scored.
        is_continuous: whether the measure decides by its value.
        lower_is_better: whether less of it is better.
    """
    groups = {row["case"]: row["group"] for row in rows if "group" in row}
    now = _units(rows, profile, metric)
    units = units_of(now, groups)
    found: dict[str, Any] = {
        "interval": _interval(units, value, profile, metric),
        "standard_error": None,
        "change_interval": None,
        "relabelling_p": None,
    }
    if found["interval"] is not None:
        found["standard_error"] = standard_error(units)
    if not old:
        return found
    before = [_units(run.values(), profile, metric) for run in old]
    paired = {case: (*unit, *before[0][case]) for case, unit in now.items() if case in before[0]}
    found["change_interval"] = _interval(units_of(paired, groups), change, profile, metric)
    if is_continuous:
        values = {
            case: [unit[0] / unit[1], *(run[case][0] / run[case][1] for run in before)]
            for case, unit in now.items()
            if all(case in run for run in before)
        }
        found["relabelling_p"] = relabelling_p(
            values, _chance(profile, metric), groups=groups, lower_is_better=lower_is_better
        )
    return found


def _units(rows: Any, profile: str, metric: str) -> dict[str, Unit]:
    units: dict[str, Unit] = {}
    for row in rows:
        value = (row["metrics"].get(profile) or {}).get(metric)
        if isinstance(value, (list, tuple)):
            if value[1]:
                units[row["case"]] = (value[0], value[1])
        elif value is not None:
            units[row["case"]] = (value, 1)
    return units


def _interval(
    units: Sequence[Unit], expected: float | None, profile: str, metric: str
) -> list[float] | None:
    found = interval(units, _chance(profile, metric))
    if found is None or expected is None:
        return None
    if not math.isclose(found.value, expected, rel_tol=_SAME, abs_tol=_SAME):
        return None
    return [found.low, found.high]


def _chance(profile: str, metric: str) -> Callable[[], float]:
    """Return a stream that is the same for every run: equal rows have equal intervals."""
    return random.Random(f"{profile}.{metric}").random  # noqa: S311 (nothing is secret here)
