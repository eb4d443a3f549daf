"""Where a call runs: the seam between the broker and processes or machines.

An executor only carries. The broker owns window, budget, rate, retries and
resume: pulling the next batch from ``batches`` *is* the permission to spend,
and it blocks until there is one. ``local`` is built in; other packages register
theirs through the hook ``pytest_benchbed_executors``.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from typing import Protocol

from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.model.outcome import Outcome


@dataclass(frozen=True, slots=True)
class View:
    """One call as it leaves the broker: input-only, no answer, no path to one."""

    benchmark: str
    case: str | None
    """None: the context is to be taken in (``prepare``)."""
    context: str | None
    message: Mapping[str, Any]
    """What the adapter gets: ``{id, benchmark, inputs, files, context, attempt}``."""
    drive: str | None
    """``module:function`` of the benchmark, None: ``adapter.predict``."""
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Batch:
    """What an executor carries at once; each call in it is paid by being made."""

    number: int
    """Unique within the broker."""
    spec: AdapterSpec
    slot: int
    """Which process of this adapter the broker chose (it knows who has which context)."""
    calls: tuple[View, ...]


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """The place where a batch ran is gone: what was spent there is unknown."""

    detail: str


Carry = Callable[[Batch], list[Outcome]]
"""Make the calls of a batch; one outcome for each, in order."""


class Executor(Protocol):
    """What the broker needs of an executor."""

    @property
    def name(self) -> str:
        """Name in ``run.json``."""

    @property
    def slots(self) -> int:
        """Calls that can run at once."""

    def run(
        self, batches: Iterator[Batch], call: Carry
    ) -> Iterator[tuple[Batch, list[Outcome] | WorkerLost]]:
        """Carry each batch once and give its result, in any order.

        ``batches`` blocks; it may be pulled from any thread, by one at a time,
        and never more than ``slots`` ahead of the results. No batch is
        repeated, dropped or held back.
        """

    def close(self) -> None:
        """Release what the executor holds; a call in flight is abandoned."""


class LocalExecutor:
    """Threads of this process, each with one call in flight."""

    name = "local"

    def __init__(self, slots: int) -> None:
        """``slots``: calls at once, at least 1."""
        self.slots = max(1, slots)
        self.spare = 0
        """Calls beyond them that wait in an adapter's process for a place there: so many
        more are pulled."""
        self.is_silent = False
        """Whether ``call`` keeps the results, and nobody has to be woken for them."""

    def run(
        self, batches: Iterator[Batch], call: Carry
    ) -> Iterator[tuple[Batch, list[Outcome] | WorkerLost]]:
        """Carry batches until ``batches`` ends; see :class:`Executor`.

        Raises:
            BaseException: what ``batches`` raised, in the thread that iterates.
        """
        results: queue.SimpleQueue[Any] = queue.SimpleQueue()
        # A generator must not be entered by two threads at once.
        pulling = threading.Lock()

        def work() -> None:
            try:
                while True:
                    with pulling:
                        batch = next(batches, None)
                    if batch is None:
                        break
                    try:
                        result: list[Outcome] | WorkerLost = call(batch)
                        if self.is_silent:
                            continue
                    except BaseException as error:
                        result = WorkerLost(f"{type(error).__name__}: {error}")
                    results.put((batch, result))
            except BaseException as error:
                results.put(error)
            else:
                results.put(None)

        working = self.slots + self.spare
        for number in range(working):
            threading.Thread(target=work, name=f"benchbed-call-{number}", daemon=True).start()
        while working:
            item = results.get()
            if isinstance(item, tuple):
                yield item
            elif item is None:
                working -= 1
            else:
                raise item

    def close(self) -> None:
        """Nothing is held: the threads end with ``batches``."""


@dataclass(frozen=True, slots=True)
class ExecutorConfig:
    """What a factory is given."""

    jobs: int
    """``--bench-jobs``: calls at once that the broker will allow."""
    address: str | None = None
    """What stands behind the name in ``name=address``."""


Factory = Callable[[ExecutorConfig], Executor]


class ExecutorRegistry:
    """Executors by name; ``local`` is always there."""

    def __init__(self) -> None:
        """Start with the built-in one."""
        self._factories: dict[str, Factory] = {
            "local": lambda config: LocalExecutor(config.jobs),
        }

    def add(self, name: str, factory: Factory) -> None:
        """Register ``factory(config) -> Executor``.

        Raises:
            UsageProblem: the name is taken.
        """
        if name in self._factories:
            raise UsageProblem(
                f"executor {name[:80]!a} is registered twice.\n"
                "Give one of them another name in its pytest_benchbed_executors hook."
            )
        self._factories[name] = factory

    def names(self) -> list[str]:
        """Return the names, sorted."""
        return sorted(self._factories)

    def create(self, name: str, config: ExecutorConfig) -> Executor:
        """Build the executor of that name.

        Raises:
            UsageProblem: no executor has it.
        """
        if name not in self._factories:
            raise UsageProblem(unknown_name("executor", name, self._factories, ""))
        return self._factories[name](config)
