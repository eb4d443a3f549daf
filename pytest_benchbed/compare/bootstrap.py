"""How sure a headline is: intervals and standard errors, by cluster.

What is estimated is a ratio of sums, ``sum(a) / sum(b)``, or the difference of two
such ratios: a mean is ``(value, 1)``, a pooled share ``(right, counted)``, a paired
difference of means ``(new - old, 1)``, a change of total cost ``(new, old)``. Each
cluster (all cases of one document) is one *unit* with its sums, because cases of
one document are right and wrong together; without groups each case is a unit.

The interval is the percentile bootstrap over units (Efron 1979): the units are
drawn again with replacement, as many as there are. An interval describes a number;
it never excuses a confirmed regression.

Three ways lead to it, by what is quicker than drawing cases one by one:

- few distinct units (0 and 1, or -1, 0 and 1): how often each is drawn is
  multinomial, so counts are drawn, which is the same bootstrap;
- few units: they are drawn one by one;
- many, nearly all different: the limit of the bootstrap for many units, the normal
  quantile corrected for skewness (Cornish and Fisher 1938). It differs from the
  bootstrap by less than a thousand resamples differ from another thousand.

The source of chance is handed in, ``random.Random(seed).random``: its stream is the
same in every Python version, that of ``choices`` and ``binomialvariate`` is not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

from pytest_benchbed.compare.tally import Groups
from pytest_benchbed.compare.tally import cluster

RESAMPLES = 1_000
LEVEL = 0.95

Unit = tuple[float, ...]
"""``(a, b)`` for ``sum(a) / sum(b)``; ``(a, b, c, d)`` for that less ``sum(c) / sum(d)``."""

Uniform = Callable[[], float]
"""Returns a number from 0 up to, not including, 1."""

_FEW_DISTINCT = 4
_FEW_DRAWS = 250_000


class Interval(NamedTuple):
    """An estimate with its limits."""

    value: float
    low: float
    high: float


def units_of(values: Mapping[str, Unit], groups: Groups | None = None) -> list[Unit]:
    """Return one unit per cluster: the sums over its cases.

    >>> units_of({"x": (1, 1), "y": (0, 1), "z": (0, 1)}, {"x": "doc", "y": "doc"})
    [(1.0, 2.0), (0.0, 1.0)]
    """
    if not groups:
        return [tuple(map(float, value)) for value in values.values()]
    members: dict[str, list[Unit]] = {}
    for case, value in values.items():
        members.setdefault(cluster(case, groups), []).append(value)
    return [tuple(map(math.fsum, zip(*units, strict=True))) for units in members.values()]


def interval(
    units: Sequence[Unit], uniform: Uniform, *, resamples: int = RESAMPLES, level: float = LEVEL
) -> Interval | None:
    """Return the estimate and its percentile interval; the order of units changes nothing.

    None for fewer than two units, and for a ratio over nothing. Units that are all
    the same give an interval without width.

    Args:
        units: all of two numbers, or all of four.
        uniform: the source of chance.
        resamples: how many are drawn.
        level: share of resamples inside, in (0, 1).
    """
    value = _ratio(_sums(units)) if units else None
    if value is None or len(units) < 2:
        return None
    counted = sorted(Counter(units).items(), key=lambda pair: (pair[1], pair[0]))
    tails = (1 - level) / 2, (1 + level) / 2
    if len(counted) > _FEW_DISTINCT and len(units) * resamples > _FEW_DRAWS:
        low, high = _limits(units, value, tails)
        return Interval(value, low, high)
    if len(counted) <= _FEW_DISTINCT:
        drawn = [_ratio(_sums_of_counts(counted, uniform)) for _ in range(resamples)]
    else:
        ordered, size = sorted(units), len(units)
        drawn = [
            _ratio(_sums([ordered[int(uniform() * size)] for _ in range(size)]))
            for _ in range(resamples)
        ]
    known = sorted(one for one in drawn if one is not None)
    if not known:
        return None
    return Interval(value, _quantile(known, tails[0]), _quantile(known, tails[1]))


def standard_error(units: Sequence[Unit]) -> float | None:
    """Return the clustered standard error, with the correction C / (C - 1) for C clusters.

    ``sqrt(C / (C - 1) * sum(e^2))`` with e the share of a cluster in the error: for a
    mean over n cases ``(sum of the cluster - its size * mean) / n``. None for fewer
    than two clusters and for a ratio over nothing. Oracle: statsmodels OLS,
    ``cov_type="cluster"``.
    """
    size = len(units)
    if size < 2 or _ratio(_sums(units)) is None:
        return None
    return math.sqrt(size / (size - 1) * math.fsum(one * one for one in _shares(units)))


def _sums(units: Sequence[Unit]) -> list[float]:
    return [math.fsum(column) for column in zip(*units, strict=True)]


def _ratio(sums: Sequence[float]) -> float | None:
    if not all(sums[1::2]):
        return None
    first, *rest = (top / bottom for top, bottom in zip(sums[::2], sums[1::2], strict=True))
    return first - rest[0] if rest else first


def _shares(units: Sequence[Unit]) -> list[float]:
    """Return what each unit adds to the error of the estimate, to the first order; sum 0."""
    sums = _sums(units)
    slopes: list[float] = []
    for place in range(0, len(sums), 2):
        top, bottom = sums[place : place + 2]
        sign = -1 if place else 1
        slopes += [sign / bottom, -sign * top / bottom**2]
    return [
        math.fsum(slope * part for slope, part in zip(slopes, unit, strict=True)) for unit in units
    ]


def _limits(units: Sequence[Unit], value: float, tails: tuple[float, float]) -> list[float]:
    """Return the limits that the bootstrap has for many units."""
    shares = _shares(units)
    squares = math.fsum(one**2 for one in shares)
    if not squares:
        return [value, value]
    skew = math.fsum(one**3 for one in shares) / squares**1.5
    normal = [NormalDist().inv_cdf(tail) for tail in tails]
    return [value + math.sqrt(squares) * (z + skew / 6 * (z * z - 1)) for z in normal]


def _sums_of_counts(counted: Sequence[tuple[Unit, int]], uniform: Uniform) -> list[float]:
    """Return the sums of one resample: the rarest unit is drawn first, the rest are the commonest.

    Of the units left, each drawn count is binomial: together they are multinomial.
    """
    left = of = sum(count for _, count in counted)
    parts: list[Unit] = []
    for unit, count in counted[:-1]:
        drawn = binomial(left, count / of, uniform)
        parts.append(tuple(drawn * number for number in unit))
        left, of = left - drawn, of - count
    parts.append(tuple(left * number for number in counted[-1][0]))
    return _sums(parts)


def binomial(trials: int, chance: float, uniform: Uniform) -> int:
    """Return how many of ``trials`` succeed, ``chance`` in (0, 1); one number is drawn.

    By inversion, searched outwards from the likeliest count: about as many steps as
    the distribution is wide, with one logarithm of a factorial each way.
    """
    if not trials:
        return 0
    odds = chance / (1 - chance)
    up = down = min(int((trials + 1) * chance), trials)
    at_up = at_down = math.exp(
        math.lgamma(trials + 1)
        - math.lgamma(up + 1)
        - math.lgamma(trials - up + 1)
        + up * math.log(chance)
        + (trials - up) * math.log1p(-chance)
    )
    rest = uniform() - at_up
    while rest >= 0 and (up < trials or down > 0):
        if down > 0:
            at_down *= down / ((trials - down + 1) * odds)
            down -= 1
            rest -= at_down
            if rest < 0:
                return down
        if up < trials:
            at_up *= (trials - up) * odds / (up + 1)
            up += 1
            rest -= at_up
            if rest < 0:
                return up
        if at_up == at_down == 0:
            break  # what rounding left over, below one in 10^12
    return min(int((trials + 1) * chance), trials)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return a quantile, linear at position ``share * (N - 1)``."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
