"""Build ``metrics.json``: what a run's rows come to, per profile, beside its gates (ENV-097).

A pure function of rows, record and gates. Sums are the type's own
(``summarise``); here they only get their shape, the number of cases behind
them, and their baseline. Nothing here gates.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Protocol

from pytest_benchbed.model.deltas import Deltas
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.gate import GATE_VERSION
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.runs.intervals import headline_intervals
from pytest_benchbed.runs.measures import cost
from pytest_benchbed.runs.measures import latency
from pytest_benchbed.runs.measures import mean_quality
from pytest_benchbed.runs.measures import scored

SCHEMA = "benchbed.metrics.v1"

Row = Mapping[str, Any]
"""One row of ``results.jsonl``."""
Summary = dict[str, dict[str, Any]]
"""Metric to ``{value, counts, n}``."""


class Summariser(Protocol):
    """What is needed of a benchmark type."""

    @property
    def profiles(self) -> Sequence[str]:
        """Profile ids; the first is the default gate."""

    @property
    def headline(self) -> Sequence[str]:
        """``metric`` or ``profile.metric``; the first is the primary measure."""

    @property
    def tolerance(self) -> Mapping[str, float]:
        """Metrics that decide by their value, with the fall that is still no loss."""

    @property
    def lower_is_better(self) -> Collection[str]:
        """Metrics whose rise is the loss."""

    def summarise(self, profile: str, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Sum up the metrics of answered cases."""


def build_metrics(
    record: RunRecord,
    rows: Collection[Row],
    benchmark: Summariser,
    gates: Mapping[str, GateResult],
    baseline_rows: Mapping[str, Row] | None = None,
    *,
    controls: Sequence[Mapping[str, Row]] = (),
    units: Mapping[str, str] | None = None,
    deltas: Deltas | None = None,
) -> dict[str, Any]:
    """Return the content of ``metrics.json``.

    Args:
        record: the run; its spend stands for cases without a cost of their own.
        rows: result rows of the run, in any order.
        benchmark: the type; ``summarise`` never sees a declined case.
        gates: verdict per profile; a profile without one has null.
        baseline_rows: rows of the baseline by case, None without a baseline.
        controls: rows of the controls by case.
        units: case id to unit; None: every case is of the unit ``all``.
        deltas: latency and cost against the baseline, None without one.

    Raises:
        TechnicalFailure: of the scorer, when ``summarise`` breaks or returns
            something else than numbers, None and pairs.
    """
    ordered = sorted(rows, key=lambda row: row["case"])
    good = scored(ordered)
    first = benchmark.profiles[0]
    return {
        "schema": SCHEMA,
        "run": record.id,
        "scoring_version": record.benchmark.scoring_version,
        "gate_version": GATE_VERSION,
        "profiles": {
            profile: _profile(benchmark, profile, ordered, good, gates.get(profile), record.repeats)
            for profile in benchmark.profiles
        },
        "headline": _headline(benchmark, good, baseline_rows, controls),
        "units": {
            unit: summary(benchmark, first, members)
            for unit, members in _groups(good, lambda row: (units or {}).get(row["case"], "all"))
        },
        "quality": mean_quality(good),
        "latency_s": latency(good),
        "cost_usd": cost(good, record.spend.spent_usd),
        "deltas": None if deltas is None else deltas.to_json(),
    }


def summary(benchmark: Summariser, profile: str, rows: Sequence[Row]) -> Summary:
    """Sum up one profile over scored rows: ``{metric: {value, counts, n}}``.

    ``value`` is null over nothing. ``counts`` is ``[numerator, denominator]``
    of a pooled ratio, else null. ``n`` counts the cases that have the metric;
    for one that the type derives from others, the answered cases.

    Raises:
        TechnicalFailure: see :func:`build_metrics`.
    """
    return _summary(benchmark, profile, [row["metrics"].get(profile) or {} for row in rows])


def _summary(benchmark: Summariser, profile: str, metrics: Sequence[Mapping[str, Any]]) -> Summary:
    # A declined case has no metrics; a type that looks its keys up must not break on it.
    answered = [values for values in metrics if values]
    if not answered:
        return {}
    try:
        summed = dict(benchmark.summarise(profile, answered))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # sys.exit() must not end the session before the run is written
        raise TechnicalFailure(
            "summary",
            f"summarise raised {type(error).__name__}: {error}",
            where=f"profile {profile}",
            whose="scorer",
        ) from error
    return {name: _entry(profile, name, value, answered) for name, value in sorted(summed.items())}


def _entry(
    profile: str, name: str, value: Any, answered: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    having = [values[name] for values in answered if name in values]
    n = sum(map(_is_measured, having)) if having else len(answered)
    if value is None or (type(value) in (int, float) and math.isfinite(value)):
        return {"value": value, "counts": None, "n": n}
    if (
        isinstance(value, (tuple, list))
        and len(value) == 2
        and all(type(part) is int for part in value)
    ):
        top, bottom = value
        return {"value": top / bottom if bottom else None, "counts": [top, bottom], "n": n}
    raise TechnicalFailure(
        "summary",
        f"summarise returned {value!r}; give a number, None or (numerator, denominator)",
        where=f"profile {profile}, metric {name}",
        whose="scorer",
    )


def _is_measured(value: Any) -> bool:
    """A ratio over nothing is null, whichever way it is written."""
    return value is not None and not (isinstance(value, (list, tuple)) and not value[1])


def _profile(
    benchmark: Summariser,
    profile: str,
    rows: Sequence[Row],
    good: Sequence[Row],
    gate: GateResult | None,
    repeats: int,
) -> dict[str, Any]:
    states = Counter(row["state"] for row in rows)
    entry: dict[str, Any] = {
        "summary": summary(benchmark, profile, good),
        "by_category": {
            category: summary(benchmark, profile, members)
            for category, members in _groups(good, lambda row: row["category"])
        },
        "n": {state: states[state] for state in ("scored", "technical", "skipped")},
        "gate": gate.to_json() if gate else None,
    }
    if repeats > 1:
        entry["repeats"] = _repeats(benchmark, profile, good, repeats)
    return entry


def _groups(rows: Sequence[Row], key: Callable[[Row], str | None]) -> list[tuple[str, list[Row]]]:
    """Group rows by ``key``, sorted; rows whose key is None are in no group."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        name = key(row)
        if name is not None:
            groups.setdefault(name, []).append(row)
    return sorted(groups.items())


def _repeats(
    benchmark: Summariser, profile: str, good: Sequence[Row], repeats: int
) -> dict[str, dict[str, float | None]]:
    """Return mean and range of each metric over the attempts (ENV-035).

    The mean is that of the attempts' summaries. The range is from the summary of
    each case at its lowest to that of each case at its highest: two cases that are
    right in turn give every attempt the same summary, and are not steady for that.
    """
    attempts: dict[int, list[Mapping[str, Any]]] = {1: [row["metrics"][profile] for row in good]}
    lowest: list[Mapping[str, Any]] = []
    highest: list[Mapping[str, Any]] = []
    for row in good:
        drawn = [row["metrics"][profile]]
        for repeat in row.get("repeats", ()):
            # Attempts above the repeats are re-asks: they are no draw of their own.
            if 1 < repeat["attempt"] <= repeats and repeat["metrics"] is not None:
                values = repeat["metrics"].get(profile) or {}
                attempts.setdefault(repeat["attempt"], []).append(values)
                drawn.append(values)
        lowest.append(_extreme(drawn, min))
        highest.append(_extreme(drawn, max))
    summaries = [_summary(benchmark, profile, attempts[number]) for number in sorted(attempts)]
    low, high = (_summary(benchmark, profile, cases) for cases in (lowest, highest))
    spread: dict[str, dict[str, float | None]] = {}
    for name in sorted({name for one in summaries for name in one}):
        values = [one[name]["value"] for one in summaries if name in one]
        known = [value for value in values if value is not None]
        spread[name] = {
            "mean": math.fsum(known) / len(known) if known else None,
            "min": _value(low, name),
            "max": _value(high, name),
        }
    return spread


def _extreme(drawn: Sequence[Mapping[str, Any]], choose: Callable[..., Any]) -> dict[str, Any]:
    """Return each metric of a case where it was lowest or highest; a declined attempt has none."""
    found: dict[str, Any] = {}
    for name in sorted({name for values in drawn for name in values}):
        having = [values[name] for values in drawn if name in values]
        known = [value for value in having if _is_measured(value)]
        found[name] = choose(known, key=_size) if known else having[0]
    return found


def _size(value: Any) -> float:
    return value[0] / value[1] if isinstance(value, list | tuple) else float(value)


def _headline(
    benchmark: Summariser,
    good: Sequence[Row],
    baseline_rows: Mapping[str, Row] | None,
    controls: Sequence[Mapping[str, Row]],
) -> list[dict[str, Any]]:
    """Return the headline measures with their change.

    ``baseline`` and ``change`` are taken over the cases that both runs scored:
    a run of a few cases must not be compared with all cases of its baseline.
    """
    others = {row["case"]: row for row in scored((baseline_rows or {}).values())}
    common = [row for row in good if row["case"] in others]
    paired = [others[row["case"]] for row in common]
    old = [others] if others else []
    old += [{row["case"]: row for row in scored(run.values())} for run in controls if others]
    shown: dict[str, tuple[Summary, Summary, Summary]] = {}
    for profile in benchmark.profiles:
        shown[profile] = (
            summary(benchmark, profile, good),
            summary(benchmark, profile, common),
            summary(benchmark, profile, paired),
        )
    lines = []
    for name in benchmark.headline:
        profile, metric = _find(benchmark, name, shown)
        value, now, before = (_value(part, metric) for part in shown[profile])
        change = None if now is None or before is None else now - before
        beside = headline_intervals(
            profile,
            metric,
            good,
            old,
            value=value,
            change=change,
            is_continuous=metric in benchmark.tolerance,
            lower_is_better=metric in benchmark.lower_is_better,
        )
        lines.append(
            {
                "profile": profile,
                "metric": metric,
                "value": value,
                "baseline": before,
                "change": change,
                **beside,
            }
        )
    return lines


def _find(
    benchmark: Summariser, name: str, shown: Mapping[str, tuple[Summary, Summary, Summary]]
) -> tuple[str, str]:
    """Return (profile, metric) of a headline name; the first profile if none has it."""
    head, dot, tail = name.partition(".")
    if dot and head in benchmark.profiles:
        return head, tail
    having = [profile for profile in benchmark.profiles if name in shown[profile][0]]
    return (having or list(benchmark.profiles))[0], name


def _value(part: Summary, metric: str) -> float | None:
    value: float | None = part[metric]["value"] if metric in part else None
    return value
