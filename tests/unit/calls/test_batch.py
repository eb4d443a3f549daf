"""Executables: one process for all cases, recorded at once, paid whole."""

from __future__ import annotations

import gc
import os
import weakref
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.batch_reply import BatchFailure
from pytest_benchbed.adapters.batch_reply import BatchReply
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.calls import record as record_module
from pytest_benchbed.calls.plan import RunCalls
from pytest_benchbed.calls.recorded import read_calls
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.request import AdapterRequest
from pytest_benchbed.model.request import AdapterResult
from pytest_benchbed.model.strict import read_json
from pytest_benchbed.model.usage import Usage
from tests.unit.calls.fakes import System
from tests.unit.calls.fakes import broker_of
from tests.unit.calls.fakes import ids
from tests.unit.calls.fakes import lines
from tests.unit.calls.fakes import plan_of
from tests.unit.calls.fakes import resumed

RESULT = AdapterResult.from_json(
    {
        "id": "words",
        "status": "completed",
        "format": "words.v1",
        "data": "predictions.json",
        "systems": [
            {
                "role": "candidate",
                "model": "m",
                "cost_usd": 0.5,
                "execution_failures": 0,
                "unpriced_attempts": 0,
            }
        ],
    }
)


class Executable:
    """A fake of ``run_executable`` that answers as it is told."""

    def __init__(
        self,
        *,
        missing: tuple[str, ...] = (),
        failure: Exception | None = None,
        ticks: tuple[float, ...] = (),
        cost: str = "0.5",
    ) -> None:
        self.missing = missing
        self.failure = failure
        self.ticks = ticks
        self.cost = cost
        self.requests: list[dict[str, Any]] = []
        self.outputs: list[Path] = []
        self.timeouts: list[float] = []

    def __call__(
        self,
        spec: AdapterSpec,
        request: AdapterRequest,
        *,
        request_path: Path,
        output: Path,
        scratch: Path,
        log_dir: Path,
        timeout_s: float,
        tick: Callable[[float], None],
    ) -> BatchReply:
        written = read_json(request_path.read_bytes())
        assert written == request.to_json()
        self.requests.append(written)
        self.outputs.append(output)
        self.timeouts.append(timeout_s)
        (output / "adapter-result.json").write_text("{}")
        for elapsed_s in self.ticks:
            tick(elapsed_s)
        if self.failure is not None:
            raise self.failure
        cases = [case.id for case in request.cases]
        return BatchReply(
            result=RESULT,
            predictions={
                case: f'"{case}:{request.attempt}"' for case in cases if case not in self.missing
            },
            missing=list(self.missing),
            latency_s=6.0,
            failures={
                case: TechnicalFailure("no_prediction", "its prediction is null")
                for case in self.missing
            },
            usage=Usage(cost_usd=Decimal(self.cost), model="m"),
        )


def batch_plan(folder: Path, **changes: Any) -> RunCalls:
    spec = {"kind": "executable", **changes.pop("spec", {})}
    return plan_of(folder, spec=spec, **changes)


def run(
    executable: Executable, plan: RunCalls, cases: list[str], said: list[str] | None = None
) -> tuple[list[dict[str, Any]], Any, list[str]]:
    """Run a session; return the answers (attempt 1), the account and the kinds of failure."""
    say = (said if said is not None else []).append
    with broker_of(System(), plan, batches=executable, say=say) as broker:
        broker.start({"words": cases})
        rows = [broker.predict("words", case) for case in cases]
        failures = [record.kind for record in broker.failures("words")]
        return rows, broker.spend("words"), failures


def test_a_batch_is_one_intent_one_outcome_a_case_and_one_for_the_whole(tmp_path: Path) -> None:
    executable = Executable()

    rows, account, failures = run(executable, batch_plan(tmp_path), ids(3))

    assert [row["raw"] for row in rows] == ['"c-000:1"', '"c-001:1"', '"c-002:1"']
    assert [(line["kind"], line["case"]) for line in lines(tmp_path)] == [
        ("intent", None),
        ("outcome", "c-000"),
        ("outcome", "c-001"),
        ("outcome", "c-002"),
        ("outcome", None),
    ]
    whole = lines(tmp_path)[-1]
    assert whole["usage"] == {"cost_usd": 0.5, "model": "m"}
    assert (whole["latency_s"], rows[0]["latency_s"]) == (6.0, 2.0)
    assert account.spent_usd == Decimal("0.5")
    assert failures == []
    assert len(executable.requests) == 1
    assert executable.timeouts == [180.0]


def test_a_batch_has_at_most_a_day(tmp_path: Path) -> None:
    executable = Executable()

    run(executable, batch_plan(tmp_path, timeout_s=30_000), ids(3))

    assert executable.timeouts == [24 * 3600]


def test_all_lines_of_a_batch_are_one_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[bytes] = []
    real = os.write

    def count(fd: int, data: bytes) -> int:
        writes.append(data)
        return real(fd, data)

    monkeypatch.setattr(record_module.os, "write", count)

    run(Executable(), batch_plan(tmp_path), ids(20))

    assert [data.count(b"\n") for data in writes] == [1, 21]


@pytest.mark.req("ENV-041")
def test_the_request_names_options_model_budget_and_run(tmp_path: Path) -> None:
    executable = Executable()
    plan = batch_plan(
        tmp_path,
        budget_usd=Decimal(2),
        contexts={"c-000": "doc"},
        spec={"options": {"depth": 3}, "model": "m-1"},
    )

    run(executable, plan, ids(2))

    (request,) = executable.requests
    assert request["options"] == {"depth": 3}
    assert (request["model"], request["budget_usd"], request["run_id"]) == ("m-1", 2, "run-1")
    assert [case["id"] for case in request["cases"]] == ids(2)
    assert [context["id"] for context in request["contexts"]] == ["doc"]
    assert (tmp_path / "adapter-request.json").exists()
    assert executable.outputs == [tmp_path / "adapter"]


def test_a_line_before_the_start_says_that_the_batch_is_paid_whole(tmp_path: Path) -> None:
    said: list[str] = []

    run(Executable(ticks=(1, 5, 10.2, 11, 19, 21, 29, 31.5)), batch_plan(tmp_path), ids(3), said)

    assert "one batch of 3 cases" in said[0]
    assert "-x cannot save any of it" in said[0]
    assert [line.rsplit(": ", 1)[1] for line in said[1:]] == ["10 s", "21 s", "32 s"]


@pytest.mark.req("ENV-047")
def test_a_missing_prediction_is_technical_for_its_case_alone(tmp_path: Path) -> None:
    rows, _, failures = run(Executable(missing=("c-001",)), batch_plan(tmp_path), ids(3))

    assert [row["state"] for row in rows] == ["ok", "technical", "ok"]
    assert rows[1]["error"]["kind"] == "no_prediction"
    assert failures == []


def test_a_batch_that_fails_is_technical_for_the_run_and_each_case(tmp_path: Path) -> None:
    usage = Usage(cost_usd=Decimal("0.25"))
    failure = BatchFailure("crash", "exit status 3", where="adapter/x.log", usage=usage)

    rows, account, failures = run(Executable(failure=failure), batch_plan(tmp_path), ids(3))

    assert {row["state"] for row in rows} == {"technical"}
    assert {row["error"]["kind"] for row in rows} == {"crash"}
    assert failures == ["crash"]
    assert account.spent_usd == Decimal("0.25")
    assert lines(tmp_path)[-1]["state"] == "technical"


def test_a_batch_that_fails_without_a_word_may_have_cost_anything(tmp_path: Path) -> None:
    plan = batch_plan(tmp_path, budget_usd=Decimal(5))
    _, account, _ = run(Executable(failure=BatchFailure("timeout", "too long")), plan, ids(2))
    assert account.spent_usd is None
    again = Executable()

    rows, _, failures = run(again, resumed(plan), ids(2))

    assert again.requests == []
    assert {row["error"]["kind"] for row in rows} == {"budget_exhausted"}
    assert failures == ["budget_exhausted"]


def test_a_batch_that_was_not_started_cost_nothing(tmp_path: Path) -> None:
    plan = batch_plan(tmp_path, budget_usd=Decimal(5))
    failure = TechnicalFailure("not_executable", "permission denied")
    _, account, _ = run(Executable(failure=failure), plan, ids(2))
    assert account.spent_usd == 0

    rows, _, _ = run(Executable(), resumed(plan), ids(2))

    assert {row["state"] for row in rows} == {"ok"}


def test_a_failed_batch_is_resumed_with_a_request_and_a_folder_of_its_own(tmp_path: Path) -> None:
    plan = batch_plan(tmp_path)
    first = Executable(missing=("c-001",))
    run(first, plan, ids(3))
    again = Executable()

    rows, account, _ = run(again, resumed(plan), ids(3))

    assert {row["state"] for row in rows} == {"ok"}
    assert [case["id"] for case in again.requests[0]["cases"]] == ["c-001"]
    assert again.requests[0]["attempt"] == 1
    assert again.outputs == [tmp_path / "adapter" / "batch-2"]
    assert len(read_json((tmp_path / "adapter-request.json").read_bytes())["cases"]) == 3
    assert account.spent_usd == 1
    assert read_calls(tmp_path / "calls.jsonl").tally.lost_batches == 0


def test_a_complete_batch_is_not_run_again(tmp_path: Path) -> None:
    plan = batch_plan(tmp_path)
    run(Executable(), plan, ids(3))
    again = Executable()

    rows, _, _ = run(again, resumed(plan), ids(3))

    assert again.requests == []
    assert {row["state"] for row in rows} == {"ok"}


def test_each_repeat_is_a_batch_of_its_own(tmp_path: Path) -> None:
    executable = Executable()
    plan = batch_plan(tmp_path, repeats=3, budget_usd=Decimal(2))

    with broker_of(System(), plan, batches=executable) as broker:
        broker.start({"words": ids(2)})
        third = broker.predict("words", "c-001", 3)
        assert broker.spend("words").reask_usd is None

    assert third["raw"] == '"c-001:3"'
    assert [request["attempt"] for request in executable.requests] == [1, 2, 3]
    assert [request["budget_usd"] for request in executable.requests] == [2, 1.5, 1]
    assert len(set(executable.outputs)) == 3


def test_after_a_batch_that_failed_no_repeat_is_paid_for(tmp_path: Path) -> None:
    executable = Executable(failure=BatchFailure("crash", "exit status 3"))

    run(executable, batch_plan(tmp_path, repeats=3), ids(2))

    assert len(executable.requests) == 1


def test_no_batch_starts_when_the_budget_is_gone(tmp_path: Path) -> None:
    executable = Executable(cost="2")
    plan = batch_plan(tmp_path, repeats=2, budget_usd=Decimal(1))

    with broker_of(System(), plan, batches=executable) as broker:
        broker.start({"words": ids(2)})
        assert broker.predict("words", "c-000", 1)["state"] == "ok"
        assert broker.predict("words", "c-000", 2)["error"]["kind"] == "over_budget"

    assert len(executable.requests) == 1


def test_a_case_that_was_not_in_the_batch_is_technical(tmp_path: Path) -> None:
    with broker_of(System(), batch_plan(tmp_path), batches=Executable()) as broker:
        broker.start({"words": ids(2)})
        row = broker.predict("words", "c-077")

    assert row["error"]["kind"] == "not_in_batch"


def test_a_suspect_is_asked_again_in_a_batch_of_its_own(tmp_path: Path) -> None:
    said: list[str] = []
    executable = Executable()
    with broker_of(System(), batch_plan(tmp_path), batches=executable, say=said.append) as broker:
        broker.start({"words": ids(3)})
        before = len(said)
        again = [broker.predict("words", "c-001", attempt) for attempt in (2, 2, 3)]
        spend = broker.spend("words")

    assert [row["raw"] for row in again] == ['"c-001:2"', '"c-001:2"', '"c-001:3"']
    assert [[case["id"] for case in one["cases"]] for one in executable.requests] == [
        ids(3), ["c-001"], ["c-001"]
    ]  # fmt: skip
    # Each case gets the time of one; nothing is printed while an item runs.
    assert executable.timeouts[1] * 3 == executable.timeouts[0]
    assert len(said) == before
    assert (spend.spent_usd, spend.reask_usd) == (Decimal("1.5"), Decimal("1.0"))
    assert spend.reask_calls == 2


def test_the_answer_of_a_suspect_is_on_the_disk_and_not_kept_beside(tmp_path: Path) -> None:
    executable = Executable()
    with broker_of(System(), batch_plan(tmp_path), batches=executable) as broker:
        broker.start({"words": ids(3)})
        future = broker.ask("words", "c-001", 2)
        first = future.result(timeout=30)
        # The thread that set the answer lets go of it.
        broker.ask("words", "c-001", 3).result(timeout=30)
        kept = weakref.ref(future)
        del future
        gc.collect()
        again = broker.ask("words", "c-001", 2).result(timeout=30)

    assert kept() is None
    assert again == first
    assert len(executable.requests) == 3


def test_a_suspect_of_an_executable_is_not_asked_again_without_money(tmp_path: Path) -> None:
    executable = Executable()
    plan = batch_plan(tmp_path, budget_usd=Decimal("0.6"))
    with broker_of(System(), plan, batches=executable) as broker:
        # A third of what the batch took is more than the tenth that is left.
        broker.start({"words": ids(3)})
        row = broker.predict("words", "c-001", 2)
        failures = broker.failures("words")

    assert (row["state"], row["error"]["kind"]) == ("technical", "budget_exhausted")
    assert len(executable.requests) == 1
    assert failures == []


def test_a_re_ask_of_an_executable_that_fails_is_one_of_its_case(tmp_path: Path) -> None:
    executable = Executable()
    with broker_of(System(), batch_plan(tmp_path), batches=executable) as broker:
        broker.start({"words": ids(3)})
        executable.failure = TechnicalFailure("crash", "it died")
        row = broker.predict("words", "c-001", 2)
        failures = broker.failures("words")

    assert (row["state"], row["error"]["kind"]) == ("technical", "crash")
    assert failures == []


def test_nothing_is_asked_again_after_a_stop(tmp_path: Path) -> None:
    executable = Executable()
    with broker_of(System(), batch_plan(tmp_path), batches=executable) as broker:
        broker.start({"words": ids(3)})
        broker.stop("enough")
        row = broker.predict("words", "c-001", 2)

    assert row["state"] == "not-run"
    assert len(executable.requests) == 1


def test_what_the_adapter_needs_and_does_not_get_is_refused(tmp_path: Path) -> None:
    executable = Executable(failure=UsageProblem("environment variable KEY is not set"))
    plan = batch_plan(tmp_path, budget_usd=Decimal(1))

    with (
        broker_of(System(), plan, batches=executable) as broker,
        pytest.raises(UsageProblem, match="KEY"),
    ):
        broker.start({"words": ids(2)})

    assert read_calls(tmp_path / "calls.jsonl").spent == 0


def test_an_interrupt_during_the_batch_leaves_its_intent_open(tmp_path: Path) -> None:
    class Interrupted(Executable):
        def __call__(self, *words: Any, **more: Any) -> BatchReply:
            raise KeyboardInterrupt

    with (
        broker_of(System(), batch_plan(tmp_path), batches=Interrupted()) as broker,
        pytest.raises(KeyboardInterrupt),
    ):
        broker.start({"words": ids(2)})

    assert [line["kind"] for line in lines(tmp_path)] == ["intent"]
    assert read_calls(tmp_path / "calls.jsonl").tally.lost_batches == 1


def test_a_batch_that_cannot_be_recorded_breaks_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    class Filling(Executable):
        def __call__(self, *words: Any, **more: Any) -> BatchReply:
            reply = super().__call__(*words, **more)
            monkeypatch.setattr(record_module.os, "write", full)
            return reply

    rows, _, failures = run(Filling(), batch_plan(tmp_path), ids(2))

    assert {row["error"]["kind"] for row in rows} == {"storage"}
    assert failures == ["storage"]


def test_a_dataset_that_cannot_be_read_any_more_breaks_the_run_before_the_batch(
    tmp_path: Path,
) -> None:
    executable = Executable()

    rows, _, failures = run(executable, batch_plan(tmp_path), ["c-000"])
    assert failures == []
    with broker_of(System(), resumed(batch_plan(tmp_path)), batches=executable) as broker:
        broker.start({"words": ["c-000", "lost-1"]})
        failures = [record.kind for record in broker.failures("words")]
        assert broker.predict("words", "c-000")["raw"] == rows[0]["raw"]

    assert failures == ["storage"]
    assert len(executable.requests) == 1
