"""Work that makes many objects which all stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_gc() -> Iterator[None]:
    """Let the collector of cycles wait until the block ends.

    Where rows are read or written by the ten thousand, and modules imported by the
    hundred, nothing becomes garbage that reference counts do not find; the collector
    looks at all of it again and again, for a tenth of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
