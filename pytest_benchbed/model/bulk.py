"""Work that makes many objects which all stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_ALLOCATIONS = 100_000
"""Objects between two looks for garbage."""


@contextmanager
def few_collections() -> Iterator[None]:
    """Look for cycles of garbage less often until the block ends.

    Where rows are read or written by the ten thousand, and modules imported by the
    hundred, the collector looks at all of it again and again: a tenth of the time.
    """
    before = gc.get_threshold()
    # A collector that somebody switched off by a threshold of 0 stays off.
    gc.set_threshold(max(before[0], _ALLOCATIONS) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def out_of_sight() -> Iterator[None]:
    """Have the collector look only at what is made from here on until the block ends.

    Modules and items are there to the end of a session; each look at all of them
    holds up every thread for a tenth of a second, and the calls with them.
    """
    if gc.get_freeze_count():
        # Somebody else has put something aside, and will not expect it back.
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
