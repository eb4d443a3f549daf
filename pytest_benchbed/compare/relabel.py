"""Did a measure move: a relabelling test over the candidate and the runs of the old code.

For measures that have no errors: quality, latency, cost. If nothing changed, any
of the K + 2 runs might as well have been the candidate, case by case. The p-value
is the share of such relabellings in which the candidate would do as badly as it did,
or worse: a permutation test, stratified by case (Fisher 1935). Cases of one document
move together, so a cluster is relabelled as a whole.

Information for the summary: no rule reads it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from collections.abc import Sequence
from statistics import NormalDist

from pytest_benchbed.compare.bootstrap import Uniform
from pytest_benchbed.compare.tally import Groups
from pytest_benchbed.compare.tally import cluster

RELABELLINGS = 2_000

_UNIT = 1_000_000
"""Values count in millionths: dollars and seconds have no finer ones."""

_EXACT_STEPS = 300_000
_FEW_DRAWS = 500_000

Moved = Counter[tuple[int, ...]]
"""Clusters in which the runs differ: their values, and how many clusters have these."""


def relabelling_p(
    values: Mapping[str, Sequence[float]],
    uniform: Uniform,
    *,
    groups: Groups | None = None,
    lower_is_better: bool = False,
    relabellings: int = RELABELLINGS,
) -> float | None:
    """Return the one-sided p-value of the candidate being worse; None without a case.

    1.0 if no run differs from another. Exact where that takes few steps; else
    from drawn relabellings, the real one counted among them (so never 0); with
    too many clusters for that, from the normal limit corrected for skewness.

    Args:
        values: of each case in the candidate, the baseline and the controls, in this
            order; finite, and of a case measured in all of them.
        uniform: the source of chance, ``random.Random(seed).random``.
        groups: the group of each case that has one.
        lower_is_better: as for latency and cost.
        relabellings: how many are drawn, where they are.
    """
    if not values:
        return None
    sums: dict[str, list[int]] = {}
    sign = -1 if lower_is_better else 1
    for case, runs in values.items():
        numbers = [sign * round(value * _UNIT) for value in runs]
        known = sums.setdefault(cluster(case, groups), [0] * len(numbers))
        for place, number in enumerate(numbers):
            known[place] += number
    # Measured from the lowest run of its cluster; where all are the same nothing moves.
    lifted = [[run - min(runs) for run in runs] for runs in sums.values()]
    observed = sum(runs[0] for runs in lifted)
    moved: Moved = Counter(tuple(sorted(runs)) for runs in lifted if any(runs))
    if not moved:
        return 1.0
    step = math.gcd(*(run for runs in moved for run in runs))
    moved = Counter({tuple(run // step for run in runs): n for runs, n in moved.items()})
    observed //= step
    if _exact_steps(moved) <= _EXACT_STEPS:
        return _exact(moved, observed)
    if moved.total() * relabellings <= _FEW_DRAWS:
        return _drawn(moved, observed, uniform, relabellings)
    return _limit(moved, observed)


def _exact_steps(moved: Moved) -> int:
    size = steps = 0
    for runs, clusters in moved.items():
        # Each cluster passes over all sums so far; the sums grow by its highest run.
        steps += len(set(runs)) * (clusters * size + runs[-1] * clusters * (clusters + 1) // 2)
        size += runs[-1] * clusters
    return steps


def _exact(moved: Moved, observed: int) -> float:
    """Return the chance of the observed sum or a lower one, adding cluster by cluster."""
    ways = [1.0]
    for runs, clusters in sorted(moved.items()):
        shares = [(run, count / len(runs)) for run, count in sorted(Counter(runs).items())]
        for _ in range(clusters):
            longer = [0.0] * (len(ways) + runs[-1])
            for run, share in shares:
                for place, chance in enumerate(ways):
                    longer[place + run] += chance * share
            ways = longer
    return min(1.0, math.fsum(ways[: observed + 1]))


def _drawn(moved: Moved, observed: int, uniform: Uniform, relabellings: int) -> float:
    clusters = [runs for runs, count in sorted(moved.items()) for _ in range(count)]
    low = 1
    for _ in range(relabellings):
        low += sum(runs[int(uniform() * len(runs))] for runs in clusters) <= observed
    return low / (relabellings + 1)


def _limit(moved: Moved, observed: int) -> float:
    """Return the chance by the first term of the Edgeworth series."""
    mean = variance = third = 0.0
    for runs, clusters in sorted(moved.items()):
        middle = sum(runs) / len(runs)
        mean += clusters * middle
        variance += clusters * math.fsum((run - middle) ** 2 for run in runs) / len(runs)
        third += clusters * math.fsum((run - middle) ** 3 for run in runs) / len(runs)
    # Sums are whole numbers: the step of the observed one belongs to it as a whole.
    z = (observed + 0.5 - mean) / math.sqrt(variance)
    normal = NormalDist()
    chance: float = normal.cdf(z) - third / variance**1.5 / 6 * (z * z - 1) * normal.pdf(z)
    return min(1.0, max(0.0, chance))
