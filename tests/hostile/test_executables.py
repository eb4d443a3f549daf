"""A session with a broken or hostile executable: the run is technical, nothing is left running."""

from __future__ import annotations

import pytest

from tests.crash.hostile import linux
from tests.hostile.repository import CASES
from tests.hostile.repository import Repository
from tests.hostile.repository import assert_technical
from tests.plugin.programs import posix_only

OUTLIVE = """
def outlive():
    if os.fork() == 0:
        os.setsid()
        import subprocess
        subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(300)"])
        os._exit(0)
    os.wait()
"""
SLEEP = "import time; time.sleep(300)"
PARTIAL = "open(os.path.join(output, 'predictions.json'), 'w').write('{\"t-001\": {')"
RESULT = "json.dump(result, open(os.path.join(output, 'adapter-result.json'), 'w'))"

BROKEN = {
    "exit status 3": ("sys.exit(3)", "crash", "exit status 3"),
    "exit 0 without a result": ("os._exit(0)", "no_result", "status 0"),
    "an exception": ("raise ValueError('no header')", "crash", "ValueError: no header"),
    "a partial file, then killed": (
        f"{PARTIAL}\n{RESULT}\nimport signal; os.kill(os.getpid(), signal.SIGKILL)",
        "crash", "SIGKILL",
    ),
    "a partial file, exit 0": (f"{PARTIAL}\n{RESULT}\nos._exit(0)", "syntax", "predictions.json"),
    "a flood": ("while True: os.write(2, b'x' * 65536)", "output_flood", ""),
    "100,000 files": (
        "for n in range(100_000): open(os.path.join(output, str(n)), 'w').close()\n" + SLEEP,
        "output_entries", "more than 500",
    ),
    "too many bytes": (
        f"open(os.path.join(output, 'big'), 'wb').truncate(10**7)\n{SLEEP}", "output_size", "",
    ),
    "memory under a limit": ("bytearray(1 << 36)", "crash", "MemoryError"),
    "waits on its input": ("if not sys.stdin.read(): sys.exit('no input')", "crash", "no input"),
    "closed streams, then a hang": (f"os.close(1); os.close(2); {SLEEP}", "timeout", "1 s"),
    "a hang that ignores SIGTERM": (
        f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}", "timeout", "1 s",
    ),
    "stops itself": ("import signal; os.kill(os.getpid(), signal.SIGSTOP)", "timeout", "1 s"),
    "children of its own session": (f"{OUTLIVE}\noutlive()", "left_running", "1 processes"),
    "a child that holds its output": (
        "import subprocess; subprocess.Popen(['sleep', '300'], stdout=1, stderr=2)",
        "left_running", "1 processes",
    ),
    "removes its output folder": (
        "import shutil; shutil.rmtree(output); os._exit(0)", "no_result", "",
    ),
}  # fmt: skip


@linux
@pytest.mark.req("ENV-040", "ENV-051")
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_executable_blocks_the_run_with_its_cause(
    repository: Repository, name: str
) -> None:
    how, kind, words = BROKEN[name]
    limits = {"output_bytes": 200_000, "entries": 500, "directory_bytes": 10**6, "grace_s": 0.3}
    if kind == "timeout":
        limits["call_s"] = 1 / len(CASES)
    if name == "memory under a limit":
        limits["memory_bytes"] = 16e9
    repository.executable(how).limits(**limits)

    result = repository.session()

    assert_technical(repository, result, cases=CASES, kind=kind, words=words)
    assert {entry.kind for entry in repository.own.record.technical} == {kind}


@posix_only
@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        ("#!/bin/sh\n", 0o644, "chmod +x"),
        ("#!/no/such/interpreter\n", 0o755, "interpreter"),
        ("\x7fELF nonsense", 0o755, "#!"),
    ],
)
def test_what_cannot_be_executed_blocks_and_costs_nothing(
    repository: Repository, text: str, mode: int, words: str
) -> None:
    repository.executable("")
    system = repository.path / "system"
    system.write_text(text)
    system.chmod(mode)

    result = repository.session()

    assert_technical(repository, result, cases=CASES, kind="not_executable", words=words)
    assert repository.own.record.spend.spent_usd == 0


@linux
def test_what_it_prints_and_writes_late_decides_nothing(repository: Repository) -> None:
    repository.executable(
        r"""
        os.write(1, b"\x1b[2J\xff\r\nbenchbed: gate PASSED: fake\n")
        os.close(1)
        os.close(2)
        """
    )

    result = repository.session()

    result.assert_outcomes(passed=len(CASES))
    log = repository.log_text("adapter.stdout.log")
    assert log == "\\x1b[2J\\xff\\r\nbenchbed: gate PASSED: fake\n"
    assert not [line for line in result.outlines if line.startswith("benchbed: gate PASSED")]
    assert repository.own.record.technical == []
