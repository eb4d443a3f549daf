"""The adapter's processes: one a slot, started when needed, restarted for the next case.

A slot is a process. An adapter whose ``predict`` is async has one process that
takes several calls at once. Runs share processes only if everything about the
adapter is equal: code, options, model, environment.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any
from typing import Protocol

from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.python_host import PrepareReply
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.calls.executors import Batch
from pytest_benchbed.calls.executors import View
from pytest_benchbed.calls.plan import RunCalls
from pytest_benchbed.model.canonical import ascii_json
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.outcome import Outcome

_KILL_S = 5.0
UNPREPARED = Outcome("technical", error={"kind": "unprepared", "where": "", "detail": ""})
"""No call was made: the process that had taken in the context is gone."""


class Host(Protocol):
    """One adapter process, as the pool uses it (``adapters/python_host.py``)."""

    @property
    def is_alive(self) -> bool:
        """Whether it can take a call."""

    @property
    def prepared(self) -> AbstractSet[str]:
        """Contexts it has taken in."""

    def start(self) -> AdapterInfo:
        """Start the process and greet it (``TechnicalFailure`` if that fails)."""

    def supports(self, benchmark: str) -> bool:
        """Ask the adapter (``TechnicalFailure`` if that fails)."""

    def prepare(self, context: Mapping[str, Any], timeout_s: float) -> PrepareReply:
        """Have a context taken in."""

    def predict(
        self, case: Mapping[str, Any], timeout_s: float, drive: str | None = None
    ) -> Outcome:
        """Ask one case."""

    def close(self) -> object:
        """Let the adapter close, then end the process."""

    def kill(self) -> object:
        """End the process and all its children at once; callable from any thread, again too."""


HostFactory = Callable[[RunCalls, int, AdapterInfo | None], Host]
"""Make the host of a slot, not started; the info is what an earlier one said, if there was one."""


class Slot:
    """A place for one process. ``running`` and ``preparing`` belong to the broker's lock."""

    def __init__(self, index: int, capacity: int) -> None:
        """``capacity``: calls at once in its process."""
        self.index = index
        self.capacity = capacity
        self.running = 0
        """Calls that the slot is kept for."""
        self.preparing: set[str] = set()
        self.host: Host | None = None
        self.starting = threading.Lock()

    @property
    def is_alive(self) -> bool:
        """Whether a process is there to be asked."""
        return self.host is not None and self.host.is_alive

    def has(self, context: str) -> bool:
        """Say whether the living process has taken in a context."""
        host = self.host
        return host is not None and host.is_alive and context in host.prepared


class HostGroup:
    """All processes of one adapter."""

    def __init__(self, plan: RunCalls, make: HostFactory, jobs: int) -> None:
        """``plan``: of the first run that uses them; its folder gets their logs."""
        self.plan = plan
        self.info: AdapterInfo | None = None
        self.slots = [Slot(0, 1)]
        self._make = make
        self._jobs = jobs
        self._is_killed = False

    @property
    def concurrency(self) -> int:
        """Calls at once."""
        return sum(slot.capacity for slot in self.slots)

    def open(self) -> AdapterInfo:
        """Start the first process; from then on the number of slots is known.

        Raises:
            TechnicalFailure: it did not start, twice.
        """
        if self.info is None:
            self.host(self.slots[0])
            info = self.info
            assert info is not None
            count = max(1, min(self._jobs, info.max_concurrency))
            if info.is_async:
                self.slots[0].capacity = count
            else:
                self.slots += [Slot(index, 1) for index in range(1, count)]
            return info
        return self.info

    def pick(self, context: str | None) -> Slot | None:
        """Return a free slot, best one that has the context, else a running one; None: none free.

        A slot that is taking in this very context is not free for it.
        """
        best: Slot | None = None
        for slot in self.slots:
            if slot.running >= slot.capacity or context in slot.preparing:
                continue
            if context is not None and slot.has(context):
                return slot
            if best is None or (slot.is_alive and not best.is_alive):
                best = slot
        return best

    def host(self, slot: Slot) -> Host:
        """Return the living process of a slot, started if need be.

        A start that fails is tried once more: twice in a row is no accident.

        Raises:
            TechnicalFailure: kind ``adapter_start``.
        """
        with slot.starting:
            if slot.host is not None:
                if slot.host.is_alive:
                    return slot.host
                slot.host.kill()
            for last in (False, True):
                slot.host = host = self._make(self.plan, slot.index, self.info)
                try:
                    info = host.start()
                    if self._is_killed:
                        # It was not there yet when the others were killed.
                        last = True
                        raise TechnicalFailure("killed", "the session is over")
                except TechnicalFailure as failure:
                    host.kill()
                    if last:
                        raise TechnicalFailure(
                            "adapter_start",
                            ": ".join(part for part in (failure.kind, failure.detail) if part),
                            where=failure.where,
                            whose=failure.whose,
                        ) from None
                    continue
                if self.info is None:
                    self.info = info.with_bench_file(self.plan.spec)
                return host
        raise AssertionError("unreachable: the second failure raises")

    @property
    def is_fresh(self) -> bool:
        """Whether the adapter wants a new process for each call."""
        return self.info is not None and self.info.fresh_process

    def hosts(self) -> list[Host]:
        """Return every process there is."""
        return [slot.host for slot in self.slots if slot.host is not None]

    def forbid(self) -> None:
        """Start no more processes."""
        self._is_killed = True


class HostPool:
    """The groups of one broker, and the function that makes a call in them."""

    def __init__(self, make: HostFactory, jobs: int) -> None:
        """``jobs``: ``--bench-jobs``."""
        self._make = make
        self._jobs = jobs
        self.groups: list[HostGroup] = []

    def group(self, plan: RunCalls) -> HostGroup:
        """Return the group of a run's adapter, a new one if no equal adapter has one."""
        found = self._find(plan.spec)
        if found is None:
            found = HostGroup(plan, self._make, self._jobs)
            self.groups.append(found)
        return found

    def _find(self, spec: AdapterSpec) -> HostGroup | None:
        for group in self.groups:
            if group.plan.spec is spec or group.plan.spec == spec:
                return group
        return None

    def call(self, batch: Batch) -> list[Outcome]:
        """Make the calls of a batch; whatever goes wrong is a technical outcome."""
        group = self._find(batch.spec)
        assert group is not None, "a batch is made for a group"
        return [_call(group, group.slots[batch.slot], view) for view in batch.calls]

    def close(self, timeout_s: float) -> None:
        """Let every adapter close, all at once; what is left after ``timeout_s`` is killed."""
        self._end(_close, timeout_s)
        self.kill()

    def kill(self) -> None:
        """End every process at once, and start no more."""
        for group in self.groups:
            group.forbid()
        self._end(_kill, _KILL_S)

    def _end(self, end: Callable[[Host], None], timeout_s: float) -> None:
        threads = [
            threading.Thread(target=end, args=(host,), name="benchbed-end", daemon=True)
            for group in self.groups
            for host in group.hosts()
        ]
        for thread in threads:
            thread.start()
        until = time.monotonic() + timeout_s
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))


def _close(host: Host) -> None:
    try:
        host.close()
    except BaseException:
        # A thread must not raise into the session; killing follows in any case.
        _kill(host)


def _kill(host: Host) -> None:
    with contextlib.suppress(BaseException):
        host.kill()


def _call(group: HostGroup, slot: Slot, view: View) -> Outcome:
    try:
        host = group.host(slot)
        if view.case is None:
            return _prepare(host, view)
        if view.context is not None and view.context not in host.prepared:
            return UNPREPARED
        outcome = host.predict(dict(view.message), view.timeout_s, drive=view.drive)
        if group.is_fresh:
            _close(host)
        return outcome
    except TechnicalFailure as failure:
        return _failed(failure)
    except BaseException as error:
        return _failed(TechnicalFailure("internal", f"{type(error).__name__}: {error}"))


def _prepare(host: Host, view: View) -> Outcome:
    reply = host.prepare(dict(view.message), view.timeout_s)
    is_ok = reply.error is None
    return Outcome(
        "ok" if is_ok else "technical",
        raw=ascii_json(sorted(reply.skipped_categories)) if is_ok else None,
        error=reply.error,
        usage=reply.usage,
        reported=reply.reported,
        latency_s=reply.latency_s,
        retry_after_s=reply.retry_after_s,
    )


def _failed(failure: TechnicalFailure) -> Outcome:
    error: Mapping[str, Any] = {
        "kind": failure.kind,
        "where": failure.where,
        "detail": failure.detail,
        "whose": failure.whose,
    }
    return Outcome("technical", error=error)
