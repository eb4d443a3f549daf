from __future__ import annotations

import base64
import json
import os
import threading
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.calls import record as record_module
from pytest_benchbed.calls.line import raw_fields
from pytest_benchbed.calls.line import seal
from pytest_benchbed.calls.line import unseal
from pytest_benchbed.calls.record import CallsFile
from pytest_benchbed.calls.recorded import read_calls
from pytest_benchbed.calls.spend import Tally
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.canonical import sha256_hex
from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.errors import TechnicalFailure


def row(kind: str, case: str | None, attempt: int = 1, **changes: Any) -> dict[str, Any]:
    head = {
        "kind": kind,
        "benchmark": "words",
        "case": case,
        "context": None,
        "attempt": attempt,
        "request_sha256": "0" * 64,
        "at": "2025-01-01T00:00:00.000Z",
    }
    if kind == "outcome":
        head |= {
            "state": "ok",
            "raw": '{"x":1}',
            "error": None,
            "usage": {"cost_usd": 0.5},
            "latency_s": 0.1,
            "queue_s": 0.0,
            "slot": 0,
        }
    return {**head, **changes}


def written(path: Path, *rows: dict[str, Any]) -> CallsFile:
    file = CallsFile.create(path)
    for one in rows:
        file.append(one, durable=one["kind"] == "outcome")
    return file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls.jsonl"


def test_a_line_is_canonical_and_carries_the_digest_of_the_rest(path: Path) -> None:
    written(path, row("intent", "c-1"), row("outcome", "c-1")).close()

    for data in path.read_bytes().splitlines():
        line = json.loads(data)
        assert data == canonical(line)
        digest = line.pop("sha256")
        assert digest == sha256_hex(canonical(line))


@pytest.mark.parametrize(
    "raw",
    ["plain", "ünï — 🐟", '"sha256":"' + "0" * 64 + '"', ',"sha256":"' + "f" * 64 + '"', None],
)
def test_what_is_sealed_can_be_unsealed(raw: str | None) -> None:
    line, data = seal(row("outcome", "c-1", raw=raw))

    assert unseal(data) == line
    assert unseal(data)["raw"] == raw
    rest = {key: value for key, value in line.items() if key != "sha256"}
    assert line["sha256"] == sha256_hex(canonical(rest))


@pytest.mark.parametrize("key", ["raw", "case", "state", "request_sha256", "sha256"])
def test_a_changed_value_shows(key: str) -> None:
    _, data = seal(row("outcome", "c-1", raw="abc"))
    line = json.loads(data)
    line[key] = "no-answer" if key == "state" else "1" * 64

    with pytest.raises(ValueError, match="differs from its sha256"):
        unseal(canonical(line))


def test_text_that_json_cannot_carry_is_kept_in_base64() -> None:
    received = b"\xff\xfe caf\xe9"

    fields = raw_fields(received.decode("utf-8", "surrogateescape"))

    assert fields["raw_base64"] is True
    assert base64.b64decode(fields["raw"]) == received
    assert base64.b64decode(raw_fields("a\x00b")["raw"]) == b"a\x00b"
    assert raw_fields("\ud800")["raw_base64"] is True
    assert raw_fields("plain") == {"raw": "plain"}
    assert raw_fields(None) == {"raw": None}


def test_the_last_outcome_counts_and_is_read_from_the_file(path: Path) -> None:
    written(
        path,
        row("intent", "c-1"),
        row("outcome", "c-1", state="technical", raw=None),
        row("intent", "c-1"),
        row("outcome", "c-1", raw='"second"'),
        row("intent", "c-1", 2),
        row("outcome", "c-1", 2, raw='"other attempt"'),
    ).close()

    record = read_calls(path)

    first, second = record.outcome("c-1", 1), record.outcome("c-1", 2)
    assert first is not None
    assert second is not None
    assert (first["raw"], second["raw"]) == ('"second"', '"other attempt"')
    assert record.outcome("c-2", 1) is None
    assert record.state("c-1", 1) == "ok"
    assert record.state("c-2", 1) is None
    assert record.spent == Decimal("1.5")


def test_a_file_that_does_not_exist_has_no_record(path: Path) -> None:
    record = read_calls(path)

    assert (record.size, record.tally, record.is_torn) == (0, Tally(), False)


@pytest.mark.parametrize("cut", [1, 5, 200])
def test_a_torn_last_line_is_left_out_and_cut_off_on_resume(path: Path, cut: int) -> None:
    written(path, row("intent", "c-1"), row("outcome", "c-1"), row("outcome", "c-2")).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])

    record = read_calls(path)
    assert record.is_torn
    assert record.state("c-1", 1) == "ok"
    assert record.state("c-2", 1) is None
    file = CallsFile.resume(path, record)
    file.append(row("outcome", "c-3"), durable=True)
    file.close()

    again = read_calls(path)
    assert not again.is_torn
    assert [again.state(f"c-{n}", 1) for n in (1, 2, 3)] == ["ok", None, "ok"]


def test_zeros_after_a_power_cut_are_a_torn_line(path: Path) -> None:
    written(path, row("outcome", "c-1")).close()
    path.write_bytes(path.read_bytes() + b"\0" * 300)

    assert read_calls(path).is_torn


def test_a_corrupt_line_elsewhere_is_refused_by_file_and_line(path: Path) -> None:
    written(path, row("outcome", "c-1"), row("outcome", "c-2"), row("outcome", "c-3")).close()
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(whole[0] + whole[1][:40] + b"\n" + whole[2])

    with pytest.raises(RunError, match=r"calls\.jsonl:2: broken record"):
        read_calls(path)


@pytest.mark.parametrize("number", [1, 2])
def test_an_edited_line_is_refused_even_as_the_last(path: Path, number: int) -> None:
    written(path, row("outcome", "c-1"), row("outcome", "c-2")).close()
    whole = path.read_bytes().splitlines(keepends=True)
    whole[number - 1] = whole[number - 1].replace(b'"ok"', b'"no"')
    path.write_bytes(b"".join(whole))

    with pytest.raises(RunError, match=rf"calls\.jsonl:{number}: the line differs"):
        read_calls(path)


@pytest.mark.parametrize(
    "bad", [row("outcome", "c-1", state="great"), row("guess", "c-1"), {"kind": "intent"}]
)
def test_a_sealed_line_of_another_shape_is_refused(path: Path, bad: dict[str, Any]) -> None:
    path.write_bytes(seal(bad)[1])

    with pytest.raises(RunError, match=r"calls\.jsonl:1: the line is no"):
        read_calls(path)


@pytest.mark.parametrize("name", ["open", "fsync"])
def test_a_folder_that_cannot_be_synced_is_no_reason_to_stop(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    real = getattr(os, name)

    def refuse(target: Any, *more: Any) -> Any:
        if name == "fsync" or target == path.parent:
            raise OSError(22, "Invalid argument")
        return real(target, *more)

    monkeypatch.setattr(record_module.os, name, refuse)

    CallsFile.create(path).close()

    assert path.exists()


def test_a_line_that_is_no_object_is_broken(path: Path) -> None:
    path.write_bytes(b"[1]\n")

    assert read_calls(path).is_torn


def test_a_run_is_begun_once(path: Path) -> None:
    CallsFile.create(path).close()

    with pytest.raises(RunError, match="--bench-resume"):
        CallsFile.create(path)


def test_a_short_write_is_undone_and_technical(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk shortens an append without an error."""
    file = written(path, row("outcome", "c-1"))
    before = path.read_bytes()
    real = os.write
    monkeypatch.setattr(record_module.os, "write", lambda fd, data: real(fd, data[:20]))

    with pytest.raises(TechnicalFailure, match="storage") as caught:
        file.append(row("outcome", "c-2"), durable=True)

    assert "disk is full" in caught.value.detail
    assert path.read_bytes() == before
    assert file.outcome("c-2", 1) is None
    monkeypatch.undo()
    file.append(row("outcome", "c-3"), durable=True)
    file.close()
    assert [read_calls(path).state(f"c-{n}", 1) for n in (1, 2, 3)] == ["ok", None, "ok"]


def test_a_short_write_that_cannot_be_undone_lets_nothing_follow(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(path, row("outcome", "c-1"))
    real = os.write

    def refuse(fd: int, size: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(record_module.os, "write", lambda fd, data: real(fd, data[:20]))
    monkeypatch.setattr(record_module.os, "ftruncate", refuse)
    with pytest.raises(TechnicalFailure, match="storage"):
        file.append(row("outcome", "c-2"), durable=True)
    monkeypatch.undo()

    with pytest.raises(TechnicalFailure, match="closed"):
        file.append(row("outcome", "c-3"), durable=True)
    file.close()
    assert read_calls(path).is_torn


@pytest.mark.parametrize("name", ["write", "sync"])
def test_an_error_of_the_disk_is_technical(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def fail(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    file = CallsFile.create(path)
    if name == "write":
        monkeypatch.setattr(record_module.os, "write", fail)
    else:
        monkeypatch.setattr(record_module, "_sync", fail)

    with pytest.raises(TechnicalFailure, match="No space left"):
        file.append(row("outcome", "c-1"), durable=True)


def test_only_outcomes_wait_for_the_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(record_module, "_sync", lambda fd: synced.append(path.stat().st_size))
    file = CallsFile.create(path)

    file.append(row("intent", "c-1"), durable=False)
    assert synced == []
    file.append(row("outcome", "c-1"), durable=True)

    assert synced == [path.stat().st_size]
    file.close()


def test_many_records_are_one_write(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = CallsFile.create(path)
    writes: list[int] = []
    syncs: list[int] = []
    real = os.write

    def count(fd: int, data: bytes) -> int:
        writes.append(len(data))
        return real(fd, data)

    monkeypatch.setattr(record_module.os, "write", count)
    monkeypatch.setattr(record_module, "_sync", syncs.append)

    file.append_all(row("outcome", f"c-{n}", raw=f'"{n}"') for n in range(5))
    file.append_all([])

    assert (len(writes), len(syncs)) == (1, 1)
    third = file.outcome("c-3", 1)
    assert third is not None
    assert third["raw"] == '"3"'
    file.close()


def test_a_resumed_file_serves_what_is_final_and_not_what_failed(path: Path) -> None:
    written(
        path,
        row("outcome", "c-1"),
        row("outcome", "c-2", state="no-answer"),
        row("outcome", "c-3", state="technical"),
        row("outcome", "c-4", state="unsupported"),
        row("outcome", "c-5"),
        row("outcome", "c-5", state="technical"),
    ).close()

    file = CallsFile.resume(path, read_calls(path))

    states = [file.state(f"c-{n}", 1) for n in range(1, 7)]
    assert states == ["ok", "no-answer", None, "unsupported", None, None]
    file.close()


def test_a_closed_record_gives_and_takes_nothing(path: Path) -> None:
    file = written(path, row("outcome", "c-1"))
    file.close()
    file.close()

    assert file.outcome("c-1", 1) is None
    with pytest.raises(TechnicalFailure, match="closed"):
        file.append(row("outcome", "c-2"), durable=False)


def test_an_intent_without_an_outcome_is_a_lost_call(path: Path) -> None:
    written(
        path,
        row("intent", "c-1"),
        row("outcome", "c-1", usage={"cost_usd": 0.25}),
        row("intent", "c-2"),
        row("intent", "c-2"),
        row("outcome", "c-2", usage={"cost_usd": 0.25}),
        row("intent", None, context="doc"),
        row("intent", None),
    ).close()

    record = read_calls(path)

    assert record.tally.assumed == 2
    assert record.tally.lost_batches == 1


def test_the_cases_of_a_batch_have_no_spend_of_their_own(path: Path) -> None:
    unknown = {"cost_usd": None}
    written(
        path,
        row("intent", None),
        row("outcome", "c-1", usage=unknown),
        row("outcome", "c-2", usage=unknown),
        row("outcome", None, usage={"cost_usd": 3}),
    ).close()

    record = read_calls(path)

    assert record.spent == 3
    assert (record.tally.silent, record.tally.assumed) == (0, 0)


def test_one_sync_serves_all_that_were_written_before_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    syncs: list[int] = []
    is_syncing, may_end = threading.Event(), threading.Event()

    def slow(_: int) -> None:
        syncs.append(path.stat().st_size)
        is_syncing.set()
        assert may_end.wait(10)

    monkeypatch.setattr(record_module, "_sync", slow)
    file = CallsFile.create(path)
    rows = [row("outcome", f"c-{number}") for number in range(5)]
    threads = [
        threading.Thread(target=file.append, args=(one,), kwargs={"durable": True}) for one in rows
    ]
    threads[0].start()
    assert is_syncing.wait(10)
    for thread in threads[1:]:
        thread.start()
    size = sum(len(seal(one)[1]) for one in rows)
    while path.stat().st_size < size:
        time.sleep(0.001)
    may_end.set()
    for thread in threads:
        thread.join(10)

    assert syncs == [len(seal(rows[0])[1]), size]


def test_what_was_written_before_a_failed_sync_is_never_taken_for_stored(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later sync may succeed although the pages of before are lost."""
    file = CallsFile.create(path)
    results: list[str] = []
    is_syncing, may_end = threading.Event(), threading.Event()

    def failing(_: int) -> None:
        is_syncing.set()
        assert may_end.wait(10)
        raise OSError("no space")

    def append(case: str) -> None:
        try:
            file.append(row("outcome", case), durable=True)
            results.append("stored")
        except TechnicalFailure as failure:
            results.append(failure.kind)

    monkeypatch.setattr(record_module, "_sync", failing)
    threads = [threading.Thread(target=append, args=(f"c-{number}",)) for number in range(2)]
    threads[0].start()
    assert is_syncing.wait(10)
    threads[1].start()
    while path.stat().st_size < 2 * len(seal(row("outcome", "c-0"))[1]):
        time.sleep(0.001)
    monkeypatch.setattr(record_module, "_sync", lambda _: None)
    may_end.set()
    for thread in threads:
        thread.join(10)

    assert results == ["storage", "storage"]
    file.append(row("outcome", "c-2"), durable=True)


def test_a_write_that_is_under_way_when_a_sync_fails_is_not_taken_for_stored(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = CallsFile.create(path)
    first = file.write(row("outcome", "c-1"))
    is_written, may_end = threading.Event(), threading.Event()
    write = CallsFile._write

    def slow(self: CallsFile, data: bytes) -> None:
        write(self, data)
        is_written.set()
        assert may_end.wait(10)

    def fail(_: int) -> None:
        # In the file, but not yet counted.
        threading.Timer(0.05, may_end.set).start()
        raise OSError("lost")

    monkeypatch.setattr(CallsFile, "_write", slow)
    second: list[Any] = []
    thread = threading.Thread(target=lambda: second.append(file.write(row("outcome", "c-2"))))
    thread.start()
    assert is_written.wait(10)
    monkeypatch.setattr(record_module, "_sync", fail)
    with pytest.raises(TechnicalFailure):
        file.keep([first])
    thread.join(10)
    monkeypatch.setattr(record_module, "_sync", lambda _: None)

    with pytest.raises(TechnicalFailure, match="an earlier write was not stored"):
        file.keep(second)
    assert file.state("c-2", 1) is None
