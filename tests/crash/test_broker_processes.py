"""The broker with real adapter processes: a class, an async class, an executable."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.calls.broker import Broker
from pytest_benchbed.calls.executors import LocalExecutor
from pytest_benchbed.calls.plan import RunCalls
from pytest_benchbed.model.bench_file import RetryPolicy
from pytest_benchbed.model.request import RequestContext
from tests.unit.calls.fakes import LONG_S
from tests.unit.calls.fakes import ids
from tests.unit.calls.fakes import lines
from tests.unit.calls.fakes import resumed
from tests.unit.calls.fakes import view_of

ADAPTER = """
import asyncio
import os
from pathlib import Path

from pytest_benchbed import Adapter, NoAnswer, Retry, Usage


class Words(Adapter):
    name = "words"
    version = "1"
    paid = False
    max_concurrency = 2

    def __init__(self, greeting="hello"):
        self.greeting = greeting
        self.contexts = []
        self.tries = {}

    def prepare(self, context):
        self.contexts.append(context.id)
        return ["voice"]

    def predict(self, case):
        text = case.inputs["text"]
        if text == "crash":
            os._exit(3)
        if text == "decline":
            raise NoAnswer("too dark")
        if text == "error":
            raise ValueError("bad word")
        if text == "hang":
            while True:
                pass
        if text == "retry":
            tries = self.tries[case.id] = self.tries.get(case.id, 0) + 1
            if tries < 2:
                raise Retry(0.01)
        return {"said": f"{self.greeting} {text}", "contexts": self.contexts, "pid": os.getpid()}


class Async(Adapter):
    max_concurrency = 3

    def __init__(self):
        self.together = 0
        self.full = asyncio.Event()

    async def predict(self, case):
        self.together += 1
        if self.together == 3:
            self.full.set()
        await self.full.wait()
        return {"pid": os.getpid()}, Usage(cost_usd=0.25)


class Broken(Adapter):
    def __init__(self):
        raise RuntimeError("no licence")

    def predict(self, case):
        return None


class Other(Adapter):
    def supports(self, benchmark):
        return benchmark == "other"

    def predict(self, case):
        return None
"""
EXECUTABLE = """#!{python}
import json, sys
request = json.load(open(sys.argv[sys.argv.index("--request") + 1]))
output = sys.argv[sys.argv.index("--output") + 1]
answers = {{case["id"]: {{"said": case["inputs"]["text"]}} for case in request["cases"]}}
json.dump(answers, open(output + "/predictions.json", "w"))
json.dump(
    {{
        "id": request["benchmark"], "status": "completed", "format": request["format"],
        "data": "predictions.json",
        "systems": [{{"role": "candidate", "model": "m", "cost_usd": 0.5,
                      "execution_failures": 0, "unpriced_attempts": 0}}],
    }},
    open(output + "/adapter-result.json", "w"),
)
"""

Make = Callable[..., RunCalls]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that makes a run of an adapter of the module above."""
    (tmp_path / "code").mkdir()
    (tmp_path / "run").mkdir()
    path = tmp_path / "code" / "product.py"
    path.write_text(ADAPTER, encoding="utf-8")

    def plan(attribute: str, *, options: Any = None, **changes: Any) -> RunCalls:
        spec = AdapterSpec(
            name="product",
            kind="class",
            entry=f"product:{attribute}",
            path=path,
            folder=path.parent,
            module="product",
            attribute=attribute,
            options=options or {},
        )
        return make_run(tmp_path, spec, **changes)

    return plan


def make_run(folder: Path, spec: AdapterSpec, **changes: Any) -> RunCalls:
    values: dict[str, Any] = {
        "benchmark": "words",
        "format": "words.v1",
        "drive": None,
        "run_id": "run-1",
        "spec": spec,
        "run_dir": folder / "run",
        "files_dir": folder / "inputs",
        "scratch": folder / "scratch",
        "view": view_of({}),
        "context_view": lambda name: RequestContext(id=name, inputs={}, files=[]),
        "category": lambda case: None,
        "timeout_s": 60.0,
    }
    return RunCalls(**{**values, **changes})


@pytest.fixture
def session() -> Iterator[Callable[..., Broker]]:
    """Return a function that makes a broker; all are closed at the end, no thread is left."""
    brokers: list[Broker] = []

    def broker(plan: RunCalls, jobs: int = 2) -> Broker:
        made = Broker([plan], executor=LocalExecutor(jobs), jobs=jobs, say=lambda line: None)
        brokers.append(made)
        return made

    yield broker
    for made in brokers:
        made.close(LONG_S)
    names = [thread.name for thread in threading.enumerate()]
    assert [name for name in names if name.startswith("benchbed-")] == []


def test_a_class_answers_with_its_options_contexts_and_retries(
    make: Make, session: Callable[..., Broker], tmp_path: Path
) -> None:
    plan = make(
        "Words",
        options={"greeting": "hi"},
        view=view_of({"retry": "doc", "voice": "doc"}),
        category={"voice": "voice"}.get,
        retry=RetryPolicy(attempts=2),
    )
    broker = session(plan, jobs=1)
    broker.start({"words": ["a", "retry", "voice", "decline", "error"]})
    rows = {
        case: broker.predict("words", case) for case in ("a", "retry", "voice", "decline", "error")
    }

    assert '"said":"hi a"' in rows["a"]["raw"]
    assert '"contexts":["doc"]' in rows["retry"]["raw"]
    assert rows["voice"]["state"] == "unsupported"
    assert (rows["decline"]["state"], rows["decline"]["error"]["detail"]) == (
        "no-answer",
        "too dark",
    )
    assert (rows["error"]["state"], rows["error"]["error"]["kind"]) == ("technical", "exception")
    assert "bad word" in rows["error"]["error"]["detail"]
    assert broker.spend("words").spent_usd == 0
    info = broker.info("words")
    assert info is not None
    assert (info.name, info.version) == ("words", "1")
    tries = [line["kind"] for line in lines(tmp_path / "run") if line["case"] == "retry"]
    assert tries == ["intent", "outcome", "intent", "outcome"]


def test_a_crash_and_a_hang_touch_their_case_alone(
    make: Make, session: Callable[..., Broker]
) -> None:
    broker = session(make("Words", timeout_s=4.0), jobs=1)
    broker.start({"words": []})
    kinds = [
        (broker.predict("words", case)["error"] or {}).get("kind")
        for case in ("a", "crash", "b", "hang", "c")
    ]

    assert kinds == [None, "crash", None, "timeout", None]
    assert broker.failures("words") == []


def test_a_resumed_run_asks_the_crashed_case_again(
    make: Make, session: Callable[..., Broker]
) -> None:
    plan = make("Words")
    first = session(plan)
    first.start({"words": ["a", "crash"]})
    raws = [first.predict("words", case)["raw"] for case in ("a", "crash")]
    first.close(LONG_S)

    again = session(resumed(plan))
    again.start({"words": ["a", "crash"]})

    assert again.predict("words", "a")["raw"] == raws[0]
    assert again.predict("words", "crash")["error"]["kind"] == "crash"


def test_an_async_adapter_takes_its_calls_in_one_process(
    make: Make, session: Callable[..., Broker]
) -> None:
    broker = session(make("Async", budget_usd=None), jobs=4)
    broker.start({"words": ids(3)})
    rows = [broker.predict("words", case) for case in ids(3)]

    assert len({row["raw"] for row in rows}) == 1
    assert broker.slots == 3
    assert broker.spend("words").spent_usd == Decimal("0.75")


def test_an_adapter_that_cannot_be_built_stops_the_run(
    make: Make, session: Callable[..., Broker]
) -> None:
    broker = session(make("Broken"))
    broker.start({"words": ids(3)})
    row = broker.predict("words", "c-000")
    (failure,) = broker.failures("words")

    assert row["error"]["kind"] == failure.kind == "adapter_start"
    assert "no licence" in failure.detail


def test_an_unsupported_benchmark_is_skipped(make: Make, session: Callable[..., Broker]) -> None:
    broker = session(make("Other"))
    broker.start({"words": ids(3)})

    assert broker.predict("words", "c-002")["state"] == "unsupported"


def test_a_hung_call_is_killed_at_the_end(make: Make, session: Callable[..., Broker]) -> None:
    broker = session(make("Words"), jobs=1)
    broker.start({"words": []})
    future = broker.ask("words", "hang")
    broker.close(0.2)

    assert future.result(timeout=0)["state"] == "not-run"


@pytest.mark.req("ENV-040")
@pytest.mark.skipif(sys.platform == "win32", reason="the executable is a script with #!")
def test_an_executable_answers_all_cases_at_once(
    session: Callable[..., Broker], tmp_path: Path
) -> None:
    (tmp_path / "run").mkdir()
    path = tmp_path / "answer"
    path.write_text(EXECUTABLE.format(python=sys.executable), encoding="utf-8")
    path.chmod(0o755)
    spec = AdapterSpec(name="answer", kind="executable", entry=str(path), path=path)
    broker = session(make_run(tmp_path, spec, budget_usd=Decimal(1)))

    broker.start({"words": ids(3)})

    assert broker.predict("words", "c-001")["raw"] == '{"said":"c-001"}'
    assert broker.failures("words") == []
    assert broker.spend("words").spent_usd == Decimal("0.5")
    assert (tmp_path / "run" / "adapter" / "adapter-result.json").exists()
