"""The processes of a broker, and the function that makes a call in one of them.

Runs share processes only if everything about the adapter is equal: code,
options, model, environment.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.calls.executors import Batch
from pytest_benchbed.calls.executors import View
from pytest_benchbed.calls.group import Host
from pytest_benchbed.calls.group import HostFactory
from pytest_benchbed.calls.group import HostGroup
from pytest_benchbed.calls.group import Slot
from pytest_benchbed.calls.plan import RunCalls
from pytest_benchbed.model.canonical import ascii_json
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.outcome import Outcome

_KILL_S = 5.0
UNPREPARED = Outcome("technical", error={"kind": "unprepared", "where": "", "detail": ""})
"""No call was made: the process that had taken in the context is gone."""


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
        """Let every adapter close, all at once; what is left after ``timeout_s`` is killed.

        What was wrong about an end is noted in its group.
        """
        for group in self._end(_close, timeout_s):
            group.note_end(TechnicalFailure("timeout", f"it did not end within {timeout_s:g} s"))
        self.kill()

    def kill(self) -> None:
        """End every process at once, and start no more."""
        for group in self.groups:
            group.forbid()
        self._end(_kill, _KILL_S)

    def _end(self, end: Callable[[HostGroup, Host], None], timeout_s: float) -> list[HostGroup]:
        """End every process at once; return the group of each that did not end in time."""
        threads = [
            (
                group,
                threading.Thread(target=end, args=(group, host), name="benchbed-end", daemon=True),
            )
            for group in self.groups
            for host in group.hosts()
        ]
        for _, thread in threads:
            thread.start()
        until = time.monotonic() + timeout_s
        for _, thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        return [group for group, thread in threads if thread.is_alive()]


def _close(group: HostGroup, host: Host) -> None:
    try:
        wrong = host.close()
    except BaseException as error:
        # A thread must not raise into the session; killing follows in any case.
        wrong = TechnicalFailure("internal", f"{type(error).__name__}: {error}")
        _kill(group, host)
    if wrong is not None:
        group.note_end(wrong)


def _kill(group: HostGroup, host: Host) -> None:
    with contextlib.suppress(BaseException):
        host.kill()


def _call(group: HostGroup, slot: Slot, view: View) -> Outcome:
    try:
        host = group.host(slot)
        if view.case is None:
            return _prepare(host, slot, view)
        if view.context is not None and (view.benchmark, view.context) not in slot.prepared:
            return UNPREPARED
        outcome = host.predict(dict(view.message), view.timeout_s, drive=view.drive)
        if group.is_fresh:
            _close(group, host)
        return outcome
    except TechnicalFailure as failure:
        return _failed(failure)
    except BaseException as error:
        return _failed(TechnicalFailure("internal", f"{type(error).__name__}: {error}"))


def _prepare(host: Host, slot: Slot, view: View) -> Outcome:
    reply = host.prepare(dict(view.message), view.timeout_s)
    is_ok = reply.error is None
    if is_ok and view.context is not None:
        slot.prepared.add((view.benchmark, view.context))
    return Outcome(
        "ok" if is_ok else "technical",
        raw=ascii_json(sorted(reply.skipped_categories)) if is_ok else None,
        error=reply.error,
        usage=reply.usage,
        reported=reply.reported,
        latency_s=reply.latency_s,
        queue_s=reply.queue_s,
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
