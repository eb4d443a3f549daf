"""A system under test without a process: hosts, clocks and plans for the broker's tests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import field
from decimal import Decimal
from pathlib import Path
from typing import Any

from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.python_host import PrepareReply
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.calls.broker import Broker
from pytest_benchbed.calls.executors import LocalExecutor
from pytest_benchbed.calls.line import Line
from pytest_benchbed.calls.plan import RunCalls
from pytest_benchbed.calls.recorded import read_calls
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.request import RequestCase
from pytest_benchbed.model.request import RequestContext
from pytest_benchbed.model.strict import read_json
from pytest_benchbed.model.usage import Usage

LONG_S = 10.0
"""How long a test waits for what must happen; it is reached only if it does not."""


def ok(value: str = '"x"', cost: str | float | None = None) -> Outcome:
    usage = Usage() if cost is None else Usage(cost_usd=Decimal(str(cost)))
    return Outcome("ok", raw=value, usage=usage, reported=cost is not None, latency_s=0.25)


def broken(kind: str = "exception", detail: str = "ValueError: no") -> Outcome:
    error = {"kind": kind, "where": "slot-0.err", "detail": detail, "whose": "adapter"}
    return Outcome("technical", error=error)


def retry(after_s: float = 0.0) -> Outcome:
    error = {"kind": "retry", "where": "", "detail": "asked for a retry", "whose": "adapter"}
    return Outcome("technical", error=error, retry_after_s=after_s)


@dataclass
class System:
    """What all fake hosts of a broker have in common: the script, and what happened."""

    answer: Callable[[dict[str, Any]], Outcome] = lambda case: ok(f'"{case["id"]}"')
    take_in: Callable[[dict[str, Any]], PrepareReply] = lambda context: PrepareReply()
    info: AdapterInfo = field(default_factory=lambda: AdapterInfo("fake", max_concurrency=99))
    supports: bool = True
    start_failures: int = 0
    """So many starts fail before one works."""
    deadly: frozenset[str] = frozenset({"crash"})
    """Kinds after which a host is dead."""
    calls: list[tuple[str, int]] = field(default_factory=list)
    prepares: list[tuple[int, str]] = field(default_factory=list)
    """(slot, context)"""
    starts: list[int] = field(default_factory=list)
    closed: int = 0
    killed: int = 0
    most: int = 0
    """Calls in flight at the same time, at most."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    running: int = 0
    holding: threading.Event | None = None
    """While it is set here and not open, calls do not return."""

    def host(self, plan: RunCalls, slot: int, info: AdapterInfo | None, jobs: int) -> FakeHost:
        return FakeHost(self, slot)

    @property
    def cases(self) -> list[str]:
        return [case for case, _ in self.calls]


class FakeHost:
    def __init__(self, system: System, slot: int) -> None:
        self.system = system
        self.slot = slot
        self.is_alive = False
        self.dead = threading.Event()

    def start(self) -> AdapterInfo:
        self.system.starts.append(self.slot)
        if self.system.start_failures:
            self.system.start_failures -= 1
            raise TechnicalFailure("import", "no module named product", where="slot-0.err")
        self.is_alive = True
        return self.system.info

    def supports(self, benchmark: str) -> bool:
        return self.system.supports

    def prepare(self, context: Mapping[str, Any], timeout_s: float) -> PrepareReply:
        self.system.prepares.append((self.slot, context["id"]))
        return self.system.take_in(dict(context))

    def predict(
        self, case: Mapping[str, Any], timeout_s: float, drive: str | None = None
    ) -> Outcome:
        system = self.system
        with system.lock:
            system.calls.append((case["id"], case["attempt"]))
            system.running += 1
            system.most = max(system.most, system.running)
        try:
            if system.holding is not None:
                while not system.holding.wait(0.005):
                    if self.dead.is_set():
                        return broken("host_lost", "killed")
            outcome = system.answer(dict(case))
        finally:
            with system.lock:
                system.running -= 1
        if outcome.error and outcome.error.get("kind") in system.deadly:
            self.is_alive = False
        return outcome

    def close(self) -> None:
        if self.is_alive:
            self.system.closed += 1
        self.is_alive = False

    def kill(self) -> None:
        if self.is_alive:
            self.system.killed += 1
        self.is_alive = False
        self.dead.set()


class FakeClock:
    """Time that passes only by waiting; a wait without an end is a real, short one."""

    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        return self.time

    def wait(self, changed: threading.Condition, timeout_s: float | None) -> None:
        if timeout_s is None:
            changed.wait()
        else:
            self.time += max(timeout_s, 1e-6)


def view_of(contexts: Mapping[str, str]) -> Callable[[str], RequestCase]:
    def view(case: str) -> RequestCase:
        if case.startswith("lost"):
            raise OSError("cases.jsonl is gone")
        return RequestCase(id=case, inputs={"text": case}, context=contexts.get(case), files=[])

    return view


def plan_of(folder: Path, **changes: Any) -> RunCalls:
    """Return a run in ``folder``; ``contexts`` maps cases to contexts, ``categories`` likewise."""
    contexts = changes.pop("contexts", {})
    categories = changes.pop("categories", {})
    spec_changes = changes.pop("spec", {})
    spec = AdapterSpec(
        name="fake",
        kind=spec_changes.pop("kind", "class"),
        entry="fake:Fake",
        path=folder / "fake.py",
        **spec_changes,
    )
    values: dict[str, Any] = {
        "benchmark": "words",
        "format": "words.v1",
        "drive": None,
        "run_id": "run-1",
        "spec": spec,
        "run_dir": folder,
        "files_dir": folder / "inputs",
        "scratch": folder / "scratch",
        "view": view_of(contexts),
        "context_view": lambda name: RequestContext(id=name, inputs={"of": name}, files=[]),
        "category": categories.get,
        "timeout_s": 60.0,
    }
    return RunCalls(**{**values, **changes})


def resumed(plan: RunCalls, **changes: Any) -> RunCalls:
    """Return the plan of a session that goes on with the run of ``plan``."""
    fields = {name: getattr(plan, name) for name in plan.__dataclass_fields__}
    record = read_calls(plan.run_dir / "calls.jsonl")
    return RunCalls(**{**fields, **changes, "recorded": record})


@contextmanager
def broker_of(system: System, *plans: RunCalls, jobs: int = 4, **changes: Any) -> Iterator[Broker]:
    """Give a broker that is closed, with its threads gone, at the end."""
    broker = Broker(
        plans,
        executor=changes.pop("executor", None) or LocalExecutor(jobs),
        jobs=jobs,
        say=changes.pop("say", lambda line: None),
        hosts=system.host,
        **changes,
    )
    try:
        yield broker
    finally:
        if system.holding is not None:
            system.holding.set()
        broker.close(LONG_S)
        if broker._serving is not None:
            broker._serving.close(LONG_S)


def ids(count: int, prefix: str = "c") -> list[str]:
    return [f"{prefix}-{number:03}" for number in range(count)]


def answer(future: Future[Line]) -> Line:
    return future.result(timeout=LONG_S)


def lines(folder: Path) -> list[dict[str, Any]]:
    """Return the records of ``calls.jsonl`` in order."""
    text = (folder / "calls.jsonl").read_bytes()
    return [read_json(line) for line in text.splitlines()]


def settled(condition: Callable[[], bool]) -> bool:
    """Wait until a condition holds; say whether it did."""
    pause = threading.Event()
    for _ in range(int(LONG_S / 0.005)):
        if condition():
            return True
        pause.wait(0.005)
    return condition()
