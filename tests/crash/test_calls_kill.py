"""Kill the writer of ``calls.jsonl`` at any moment: no acknowledged answer is lost."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_benchbed.calls.record import CallsFile
from pytest_benchbed.calls.recorded import read_calls

WRITER = """
import os, sys
from pathlib import Path
from pytest_benchbed.calls.record import CallsFile
from pytest_benchbed.calls.recorded import read_calls

path, first = Path(sys.argv[1]), int(sys.argv[2])
file = CallsFile.resume(path, read_calls(path))
for number in range(first, first + 100_000):
    head = {
        "benchmark": "words", "case": f"c-{number}", "context": None, "attempt": 1,
        "request_sha256": "0" * 64, "at": "2025-01-01T00:00:00.000Z",
    }
    file.append({**head, "kind": "intent"}, durable=False)
    outcome = {
        **head, "kind": "outcome", "state": "ok", "raw": "x" * (number % 7 * 500), "error": None,
        "usage": {"cost_usd": 0.25}, "latency_s": 0.1, "queue_s": 0.0, "slot": 0,
    }
    file.append(outcome, durable=True)
    os.write(1, f"{number}\\n".encode())
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_writer_killed_ten_times_loses_no_acknowledged_outcome(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    CallsFile.create(path).close()
    moments = random.Random(20250101)
    acknowledged: set[int] = set()

    for round_number in range(10):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(round_number * 100_000)],
            stdout=subprocess.PIPE,
        )
        assert writer.stdout is not None
        wanted = moments.randrange(1, 30)
        for _ in range(wanted):
            acknowledged.add(int(writer.stdout.readline()))
        writer.kill()
        rest = writer.stdout.read()
        writer.stdout.close()
        writer.wait()
        acknowledged.update(int(line) for line in rest.split(b"\n")[:-1])

    record = read_calls(path)
    lost = {number for number in acknowledged if record.state(f"c-{number}", 1) != "ok"}
    assert lost == set()
    assert len(acknowledged) >= 10
    assert record.tally.known >= len(acknowledged) // 4
    # Each kill may leave one call whose end nobody saw.
    assert record.tally.assumed <= 10
    for number in acknowledged:
        outcome = record.outcome(f"c-{number}", 1)
        assert outcome is not None
        assert outcome["raw"] == "x" * (number % 7 * 500)
