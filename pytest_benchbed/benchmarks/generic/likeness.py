"""Two texts measured: similarity, word and character error rate, and whether it is enough."""

from __future__ import annotations

from typing import NamedTuple

from pytest_benchbed.model.error import Metric
from pytest_benchbed.scoring.error_rate import character_errors
from pytest_benchbed.scoring.error_rate import rate
from pytest_benchbed.scoring.error_rate import word_errors
from pytest_benchbed.scoring.similarity import similarity


class Measured(NamedTuple):
    """What a measure says about two texts."""

    metric: Metric
    """A pair of counts for an error rate, so that cases are pooled."""
    share: float | None
    """Similarity or error rate; None over an empty reference."""
    is_enough: bool
    note: str


def measured(
    measure: str, expected: str, got: str, at_least: float | None, at_most: float | None
) -> Measured:
    """Measure two texts in their one form; bounds are compared at four places."""
    if measure == "similarity":
        value = similarity(expected, got)
        is_enough = round(value, 4) >= round(at_least or 0.0, 4)
        return Measured(value, value, is_enough, f"similarity {value:.4g}, at least {at_least:g}")
    if measure == "wer":
        counts = word_errors(expected.split(), got.split())
        errors, reference = counts.errors, counts.reference
    else:
        errors, reference = character_errors(expected, got)
    value_or_none = rate(errors, reference)
    # Over an empty reference there is no rate; whatever was said is an error.
    is_enough = (
        not errors if value_or_none is None else round(value_or_none, 4) <= round(at_most or 0.0, 4)
    )
    shown = "none" if value_or_none is None else f"{value_or_none:.4g}"
    note = f"{measure} {shown} ({errors} of {reference}), at most {at_most:g}"
    return Measured((errors, reference), value_or_none, is_enough, note)
