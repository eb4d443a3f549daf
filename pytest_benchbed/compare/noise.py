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

import math
from fractions import Fraction

LIMIT_CASES = 3
"""Seen none: at 95 % there are at most 3 (rule of three)."""


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
    return None if flaky is None else _any_alarm(flaky, controls, rechecks)


def false_alarm_limit(unstable: int, controls: int, rechecks: int = 0) -> float | None:
    """Return the 95 % limit of :func:`false_alarm` when no unstable case was seen, else None."""
    if unstable or not controls:
        return None
    return _any_alarm(Fraction(LIMIT_CASES * (controls + 2), controls), controls, rechecks)


def _any_alarm(flaky: Fraction, controls: int, rechecks: int) -> float:
    expected = flaky * false_alarm_per_flaky_case(controls, rechecks)
    # Rounded, so that the last bit of exp() does not make files differ between platforms.
    return round(-math.expm1(-float(expected)), 9)


def smallest_change(judged: int) -> tuple[int | None, int | None]:
    """Return the smallest change that rule ``strict`` sees: (in one case, spread over cases).

    One broken case is seen however it lies; nothing is seen (None) if no case
    could be judged.
    """
    return (1, 1) if judged else (None, None)


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
