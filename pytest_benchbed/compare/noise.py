"""How often the gate would be wrong without any change, and what it could have missed.

A *flaky* case is right with some chance p, unknown and taken as uniform on
(0, 1). It raises a false alarm if it is right in the K + 1 runs of the old
code, and wrong in the candidate and in r re-asks: on average
B(K + 2, r + 2), with B the beta function. It shows itself, by a disagreement
among the K + 1 runs, with chance K / (K + 2). All of it assumes that runs of
the same code are exchangeable: no drift between days. Counts and chances are
exact fractions until they are printed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from fractions import Fraction

LIMIT_CASES = 3
"""Seen none: at 95 % there are at most 3 (rule of three)."""

WANTED_ALARMS = Fraction(1, 20)
"""Expected number of false alarms a run that re-asks are to stay within."""

FEW_RECHECKS, MOST_RECHECKS = 1, 5
RECHECKS_IN_THE_DARK = 3
"""Re-asks where no control says how many are needed."""

_WANTED_PASSES = 0.95
"""Share of runs without a change that the allowance lets through."""

_LARGEST_EXPONENT = 700.0
"""Beyond it ``exp(-x)`` is no normal number."""


def beta(a: int, b: int) -> Fraction:
    """Return B(a, b) = (a - 1)! (b - 1)! / (a + b - 1)! for whole a, b of at least 1.

    >>> beta(4, 2)
    Fraction(1, 20)
    """
    return Fraction(math.factorial(a - 1) * math.factorial(b - 1), math.factorial(a + b - 1))


def false_alarm_per_flaky_case(controls: int, rechecks: int) -> Fraction:
    """Return the chance that one flaky case raises an alarm, with K controls and r re-asks."""
    return beta(controls + 2, rechecks + 2)


def flaky_estimate(unstable: int, controls: int) -> Fraction | None:
    """Return the estimated number of flaky cases, D (K + 2) / K; None without controls."""
    return Fraction(unstable * (controls + 2), controls) if controls else None


def false_alarm(unstable: int, controls: int, rechecks: int = 0) -> float | None:
    """Return the chance that some flaky case turns the gate red; None without controls.

    ``1 - exp(-F B)``, F the estimated number of flaky cases. 0.0 with none seen:
    :func:`false_alarm_limit` says how little that proves.
    """
    flaky = flaky_estimate(unstable, controls)
    return None if flaky is None else alarm_of(flaky, controls, rechecks)


def false_alarm_limit(unstable: int, controls: int, rechecks: int = 0) -> float | None:
    """Return the 95 % limit of :func:`false_alarm` when no unstable case was seen, else None."""
    if unstable or not controls:
        return None
    return alarm_of(Fraction(LIMIT_CASES * (controls + 2), controls), controls, rechecks)


def alarm_of(flaky: Fraction, controls: int, rechecks: int) -> float:
    """Return the chance that some of ``flaky`` flaky cases raises an alarm: ``1 - exp(-F B)``."""
    expected = flaky * false_alarm_per_flaky_case(controls, rechecks)
    # Rounded, so that the last bit of exp() does not make files differ between platforms.
    return round(-math.expm1(-float(expected)), 9)


def joint_alarm(alarms: Iterable[float]) -> float:
    """Return the chance that some of several gates goes red: ``1 - product(1 - P)``; 0.0 of none.

    >>> joint_alarm([0.05, 0.05])
    0.0975
    """
    return round(1 - math.prod(1 - alarm for alarm in sorted(alarms)), 9)


def rechecks(unstable: int, controls: int) -> tuple[int, bool]:
    """Return how often a suspect is asked again, and whether that is often enough.

    The smallest r in 1 to 5 with ``F B(K + 2, r + 2) <= 1/20``, in exact
    fractions. (5, False) if none is: another control would help more. 1 with
    nothing unstable seen, 3 without controls.

    >>> rechecks(3, 2), rechecks(10, 1)
    ((2, True), (5, False))
    """
    flaky = flaky_estimate(unstable, controls)
    if flaky is None:
        return RECHECKS_IN_THE_DARK, True
    return rechecks_for(flaky, controls)


def rechecks_for(flaky: Fraction, controls: int) -> tuple[int, bool]:
    """Return the same for an estimated number of flaky cases."""
    for count in range(FEW_RECHECKS, MOST_RECHECKS + 1):
        if flaky * false_alarm_per_flaky_case(controls, count) <= WANTED_ALARMS:
            return count, True
    return MOST_RECHECKS, False


def is_quiet(flaky: Fraction, controls: int) -> bool:
    """Say whether not one re-ask is needed: a suspect is as good as confirmed."""
    return flaky * false_alarm_per_flaky_case(controls, 0) <= WANTED_ALARMS


def mean_suspects(counts: Sequence[int]) -> Fraction:
    """Return lambda, the suspects to expect without a change: ``(sum + 1/2) / (K + 1)``.

    ``counts``: suspects of each run of the old code, taken as the candidate
    against the others; at least one. The half keeps a seen nothing from being
    taken for a proof.
    """
    return Fraction(2 * sum(counts) + 1, 2 * len(counts))


def allowance(counts: Sequence[int]) -> int:
    """Return the allowed suspects: the smallest a with ``PoissonCDF(a; lambda) >= 0.95``.

    >>> allowance([0, 0, 0]), allowance([1, 0, 2]), allowance([3, 4, 2])
    (1, 3, 6)
    """
    return _allowance(mean_suspects(counts))[0]


def allowance_alarm(counts: Sequence[int]) -> float:
    """Return the chance of more suspects than allowed without a change; at most 0.05."""
    return round(1 - _allowance(mean_suspects(counts))[1], 9)


def _allowance(expected: Fraction) -> tuple[int, float]:
    """Return the allowed suspects, and the chance of no more than these."""
    mean, below = float(expected), 0.0
    term = math.exp(-mean)
    for count in itertools.count():
        if mean > _LARGEST_EXPONENT:
            term = math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))
        elif count:
            term *= mean / count
        below += term
        if below >= _WANTED_PASSES:
            return count, below
    raise AssertionError("a Poisson distribution sums to 1")


def smallest_change(
    judged: int, rule: str = "strict", allowed: int | None = None
) -> tuple[int | None, int | None]:
    """Return the smallest change that a rule sees: (in one case, spread over cases).

    A change spread over cases is seen in 80 % of runs. None: not visible, or
    unknown without controls (``allowed`` None). ``judged``: stable compared
    cases (clusters, where cases have groups).

    >>> smallest_change(95, "confirm", 3), smallest_change(95, "allowance", 3)
    ((1, 6), (None, 6))
    """
    if not judged:
        return None, None
    if rule == "strict":
        return 1, 1
    spread = None if allowed is None else _spread(allowed)
    if spread is not None and spread > judged:
        spread = None
    return (1 if rule == "confirm" else None), spread


def _spread(allowed: int) -> int:
    """Return ``ceil(a + 1 + 0.84 sqrt(a + 1))``: a Poisson mean that is above a in 80 % of runs."""
    return math.ceil(allowed + 1 + 0.84 * math.sqrt(allowed + 1))


def sign_test(worse: int, better: int) -> float:
    """Return p of the one-sided exact sign test: so many worse or more, if either was as likely.

    ``sum(C(n, i) for i >= worse) / 2^n`` with n = worse + better; 1.0 for (0, 0).
    Oracle: McNemar's exact test, which is twice this for worse > better.

    >>> sign_test(5, 0)
    0.03125
    """
    changed = worse + better
    # The shorter tail, by recurrence: one binomial coefficient of 10,000 cases is 3,000 digits.
    shorter, from_zero = (better, True) if better < worse else (worse - 1, False)
    term, total = 1, 0
    for count in range(shorter + 1):
        total += term
        term = term * (changed - count) // (count + 1)
    whole = 1 << changed
    return total / whole if from_zero else (whole - total) / whole


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Return the p-values of several tests adjusted so that any may be looked at (Holm 1979).

    The smallest of m is multiplied by m, the next by m - 1, and so on; none is
    below the one before it, none above 1. Gating any of five independent
    profiles at 5 % alarms in 13 % of runs, with this in 2 %.

    >>> holm({"logical": 0.01, "geometric": 0.04})
    {'logical': 0.02, 'geometric': 0.04}
    """
    adjusted: dict[str, float] = {}
    floor = 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda name: (p_values[name], name))):
        floor = max(floor, min(1.0, p_values[name] * (len(p_values) - rank)))
        adjusted[name] = floor
    return {name: adjusted[name] for name in p_values}
