"""How processes and records end: what is wrong about it is a failure of the run."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from pytest_benchbed.calls.pool import HostPool
from pytest_benchbed.model.errors import TechnicalFailure
from tests.unit.calls.fakes import FakeHost
from tests.unit.calls.fakes import System
from tests.unit.calls.fakes import broker_of
from tests.unit.calls.fakes import plan_of


def pool_with(
    folder: Path, monkeypatch: pytest.MonkeyPatch, close: object, kill: object = None
) -> HostPool:
    monkeypatch.setattr(FakeHost, "close", close)
    if kill is not None:
        monkeypatch.setattr(FakeHost, "kill", kill)
    pool = HostPool(System().host, jobs=1)
    pool.group(plan_of(folder)).open()
    return pool


def ends(pool: HostPool) -> list[tuple[str, str]]:
    return [(one.kind, one.detail) for group in pool.groups for one in group.end_failures]


def test_what_close_returns_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failures = [TechnicalFailure("left_running", "2 processes", where="x.log")]
    pool = pool_with(tmp_path, monkeypatch, lambda host: failures.pop() if failures else None)

    pool.close(5)
    pool.close(5)

    assert ends(pool) == [("left_running", "x.log: 2 processes")]


def test_a_close_that_raises_in_our_code_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def close(host: FakeHost) -> None:
        raise OSError("pipe")

    pool = pool_with(tmp_path, monkeypatch, close)

    pool.close(5)

    assert ends(pool) == [("close", "close(): internal: OSError: pipe")]


def test_a_close_without_end_is_cut_and_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = threading.Event()

    def close(host: FakeHost) -> TechnicalFailure:
        killed.wait(10)
        return TechnicalFailure("host_lost", "its process was stopped")

    pool = pool_with(tmp_path, monkeypatch, close, lambda host: killed.set())

    pool.close(0.05)

    assert killed.is_set()
    assert ends(pool) == [("close", "close(): timeout: it did not end within 0.05 s")]


def test_a_host_that_we_killed_is_no_failure_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = pool_with(tmp_path, monkeypatch, lambda host: TechnicalFailure("host_lost", "stopped"))

    pool.kill()
    pool.close(5)

    assert ends(pool) == []


def test_an_outcome_that_was_changed_on_disk_is_technical_and_the_run_says_so(
    tmp_path: Path,
) -> None:
    plan = plan_of(tmp_path)
    with broker_of(System(), plan) as broker:
        broker.start({"words": ["c1", "c2"]})
        assert broker.predict("words", "c1")["raw"] == '"c1"'
        broker.predict("words", "c2")
        path = plan.run_dir / "calls.jsonl"
        data = path.read_bytes()
        with path.open("r+b") as file:
            file.write(data.replace(b'"raw":"\\"c1\\""', b'"raw":"\\"XX\\""'))
            os.fsync(file.fileno())

        changed = broker.predict("words", "c1")
        kept = broker.predict("words", "c2")
        broker.close(5)

    assert (changed["state"], changed["error"]["kind"]) == ("technical", "tampered_record")
    assert kept["raw"] == '"c2"'
    assert [one.kind for one in broker.failures("words")] == ["tampered_record"]
