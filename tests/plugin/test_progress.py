"""The line that says how far a run is: drawn over on a terminal, one a minute in a log."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal

import pytest

from pytest_benchbed.edge import progress
from pytest_benchbed.edge.progress import progress_text
from tests.plugin.bench import WITHOUT
from tests.plugin.bench import Bench


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    """A repository with a benchmark of six cases that cost money."""
    return Bench(pytester).make(count=6).answers({}, cost=0.25, paid=True)


@pytest.mark.parametrize(
    ("done", "total", "spent", "elapsed", "text"),
    [
        (12, 60, Decimal("0.31"), 32.5, "12/60 · $0.31 · ETA 2:10"),
        (1, 2, None, 59.4, "1/2 · ETA 0:59"),
        (1, 3, Decimal(0), 3600, "1/3 · ETA 2:00:00"),
        (3, 3, Decimal("1.005"), 5, "3/3 · $1.00"),
        (0, 3, None, 5, "0/3"),
    ],
)
def test_what_it_says(
    done: int, total: int, spent: Decimal | None, elapsed: float, text: str
) -> None:
    assert progress_text(done, total, spent, elapsed) == text


def test_in_a_log_it_is_a_line_now_and_then(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "IN_LOG_S", 0)

    often = bench.run("--bench-unpaired", "--bench-jobs=1")
    monkeypatch.setattr(progress, "IN_LOG_S", 1e9)
    never = bench.run("--bench-unpaired", "--bench-jobs=1")

    lines = [line for line in often.outlines if line.startswith("benchbed: ") and "/6 · " in line]
    assert lines
    assert "$" in lines[0]
    assert "ETA 0:0" in lines[0]
    assert "/6 · " not in never.stdout.str()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal")
def test_on_a_terminal_it_stands_right_of_the_dots_and_goes(bench: Bench) -> None:
    bench.extend("from pytest_benchbed.edge import progress\nprogress.ON_TERMINAL_S = 0\n")
    words = ["--bench=toy", "--bench-adapter=toy_adapter:Toy", "--bench-unpaired", "--bench-jobs=1"]
    drawn = on_terminal(bench, [*WITHOUT, *words])
    verbose = on_terminal(bench, [*WITHOUT, *words, "-v"])

    assert "\x1b7  " in drawn
    assert "/6 · $" in drawn
    # Drawn, then the cursor goes back: no line of its own.
    assert all("\x1b8" in part for part in drawn.split("\x1b7  ")[1:])
    assert "benchbed: 1/6" not in drawn
    assert "\x1b7" not in verbose
    assert "6 passed" in drawn


def on_terminal(bench: Bench, words: list[str]) -> str:
    import pty

    controller, terminal = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *words],
        cwd=bench.path,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**environment, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(terminal)
    text = b"".join(_read(controller)).decode("utf-8", "replace")
    os.close(controller)
    assert process.wait(timeout=100) == 0
    return text


def _read(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(descriptor, 4096)
        except OSError:
            # Linux says so when the other side is closed.
            return
        if not data:
            return
        yield data
