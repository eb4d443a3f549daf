"""The class an adapter author writes: how one system under test is reached.

A plain function ``predict(case)`` is an adapter too. An adapter never runs in
the pytest process: it is named by text, imported in a child process of its
own, and gets input-only cases.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_benchbed.model.case import Case
from pytest_benchbed.model.usage import Usage

Prediction = Any
"""JSON; its shape is the benchmark's."""


class Adapter:
    """Reach one system. Only :meth:`predict` must be written.

    The object is built in its own process by ``cls(**options)``, with the
    values of ``--bench-adapter-option`` and the bench file; ``self.model`` is
    set before the first call to the value of ``--bench-model`` (or None).
    """

    name: str = ""
    """Name in the run record; the default is the class's name."""
    version: Any = ""
    """Version of the *system*, text, or a method without arguments that asks the system."""
    deterministic: bool = False
    """True: equal cases give equal predictions, always."""
    max_concurrency: int = 1
    """Calls at once: processes; calls in one process if ``predict`` is async or ``thread_safe``."""
    thread_safe: bool = False
    """True: threads may call ``predict`` and ``prepare`` at the same time."""
    paid: bool | None = None
    """With no cost reported: True unpriced (blocks), False it cost nothing, None not reported."""
    env: Sequence[str] = ()
    """Names of environment variables the system needs; all others are withheld."""
    network: str = "none"
    """``none`` or ``all``."""
    reads: Sequence[str] = ()
    """Further paths the system reads, such as weights."""
    allow: Sequence[str] = ()
    """What confinement must leave open: ``unix-sockets``, ``shm``, ``gpu``."""
    fresh_process: bool = False
    """True: a new process for each call, for systems that keep state."""
    model: str | None = None
    """Value of ``--bench-model``."""
    folders: Sequence[Path] = ()
    """Where a relative path in an option is looked for, set before the constructor runs.

    The folder pytest was called in, the root directory, the bench file's folder: the
    process itself starts in an empty one.
    """

    def supports(self, benchmark: str) -> bool:
        """Say whether the system does this benchmark at all; False: every case is skipped."""
        return True

    def prepare(self, context: Case) -> Collection[str] | None:
        """Take in shared material, once per context and slot.

        ``context`` holds the id, inputs and files of the context. Returns the
        categories the system does not produce (their cases are skipped), or None.
        """
        return None

    def predict(self, case: Case) -> Prediction | tuple[Prediction, Usage]:
        """Answer one case; may be ``async def``.

        Raises:
            NoAnswer: the system declined (scored as the error ``no-answer``).
            Retry: ask again later. Any other exception is a technical failure.
        """
        raise TypeError(f"{type(self).__name__} does not define predict(case)")

    def close(self) -> None:
        """Release what the adapter holds; called once, before its process ends."""
