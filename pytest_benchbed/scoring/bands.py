"""Align the rows (or columns) of a predicted grid with the true ones, by the words in them.

A *band* is a row or a column. Alignment is by content, not by index: where one
separator is missing near the top of a table, the rows below are still the same
rows, and only the place of the mistake is an error. Pure; used by the profile
``logical`` of ``separators.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from pytest_benchbed.model.error import Error

Axis = Literal["rows", "columns"]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Where each true band of one axis is in the prediction."""

    axis: Axis
    homes: tuple[int, ...]
    """Per true band the index of the predicted band that stands for it."""
    got_count: int
    """Number of predicted bands."""
    errors: tuple[Error, ...]
    """Errors of kind ``grid``: a band too few or too many, and where."""


def align(
    axis: Axis, count: int, got_count: int, true_bands: Sequence[int | None], got: Sequence[int]
) -> Alignment:
    """Align ``count`` true bands with ``got_count`` predicted ones.

    ``true_bands`` and ``got`` say per word which band it belongs to and which
    predicted band its centre lies in; a word of a cell that spans several bands
    of this axis has None and does not vote.

    The *home* of a band is the predicted band with most of its words; on a tie
    the one it fills with the larger share, then the first. Between the homes of
    two neighbouring bands that have words, as many predicted bands without
    words must lie as there are true bands without words:

    - one fewer: ``grid`` with ``fault: missing``, ``after`` the band before;
    - one more: ``fault: extra``, ``after`` it (-1: before the first band);
    - a band in between that has words cuts a true band: ``fault: extra``,
      ``inside`` that band.

    Several at one place are numbered by ``nth``, so that a second one is a
    mistake of its own. No error means: the counts agree, and the home of band
    i is predicted band i.
    """
    votes: dict[int, Counter[int]] = {}
    voters: Counter[int] = Counter()
    for band, place in zip(true_bands, got, strict=True):
        if band is not None:
            votes.setdefault(band, Counter())[place] += 1
            voters[place] += 1
    home = {
        band: max(places, key=lambda place: (places[place], -voters[place], -place))
        for band, places in sorted(votes.items())
    }
    owner = {
        place: max(votes, key=lambda band: (votes[band][place], -band)) for place in sorted(voters)
    }
    found: Counter[tuple[str, str, int]] = Counter()
    known = [(-1, -1), *home.items(), (count, got_count)]
    for (band, place), (next_band, next_place) in pairwise(known):
        filled = [between for between in range(place + 1, next_place) if between in owner]
        found.update(("extra", "inside", owner[between]) for between in filled)
        surplus = (next_place - place - 1 - len(filled)) - (next_band - band - 1)
        if surplus:
            found["extra" if surplus > 0 else "missing", "after", band] += abs(surplus)
    errors = [
        Error(
            "grid",
            {"axis": axis, "fault": fault, side: band, "nth": nth},
            expected=count,
            got=got_count,
            note=f"{_say(axis, fault, side, band)}; {got_count} {axis}, not {count}",
        )
        for (fault, side, band), times in found.items()
        for nth in range(1, times + 1)
    ]
    return Alignment(axis, _complete(home, count), got_count, tuple(errors))


def true_band(alignment: Alignment, place: int, extent: int) -> tuple[int, int] | None:
    """Map ``extent`` predicted bands from ``place`` on to true bands: (first, how many).

    Bands beyond the predicted grid count as they are, so a span that reaches
    out of the grid is never equal to a true one. None: no true band lies there.
    """
    inside = [band for band, home in enumerate(alignment.homes) if place <= home < place + extent]
    if not inside:
        return None
    beyond = max(0, place + extent - alignment.got_count)
    return inside[0], inside[-1] - inside[0] + 1 + beyond


def _complete(home: dict[int, int], count: int) -> tuple[int, ...]:
    """Give bands without words the place behind their neighbour's."""
    homes: list[int] = []
    for band in range(count):
        if band in home:
            homes.append(home[band])
            continue
        guess = homes[-1] + 1 if homes else 0
        following = min((place for other, place in home.items() if other > band), default=guess)
        homes.append(min(guess, following))
    return tuple(homes)


def _say(axis: Axis, fault: str, side: str, band: int) -> str:
    one = axis[:-1]
    if side == "inside":
        return f"a separator cuts {one} {band}"
    place = f"before {one} 0" if band < 0 else f"after {one} {band}"
    return f"separator {place} is missing" if fault == "missing" else f"extra {one} {place}"
