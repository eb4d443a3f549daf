"""What the interpreter is told about work with many objects, or many threads."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_ALLOCATIONS = 100_000
"""Objects between two looks for garbage."""
_TURN_S = 0.001
"""Shorter turns cost more than they gain: at 0.2 ms a call takes 5 % more of the processor."""


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


@contextmanager
def quick_turns() -> Iterator[None]:
    """Have a thread that is in the middle of something let others go on soon, until the block ends.

    A reply waits for the item that is scored, by default for 5 ms each time its
    thread has written something: a tenth of a quick call.
    """
    before = sys.getswitchinterval()
    if before > _TURN_S:
        sys.setswitchinterval(_TURN_S)
    set_here = sys.getswitchinterval()
    try:
        yield
    finally:
        if sys.getswitchinterval() == set_here:
            # Else somebody has changed it since.
            sys.setswitchinterval(before)
