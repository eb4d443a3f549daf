"""A writer killed at any moment leaves the old file or the new one, whole."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs.atomic import sweep_temporary
from pytest_benchbed.runs.lock import lock_run
from pytest_benchbed.runs.lock import try_lock

KILLS = 12
ROWS = 2000


def start(code: str, *words: str) -> subprocess.Popen[str]:
    """Start ``code`` in a fresh interpreter; it prints a line when it has begun."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *words],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate(timeout=30)


WRITER = """
    import sys
    from pathlib import Path
    from pytest_benchbed.runs.atomic import write_lines

    path, rows = Path(sys.argv[1]), int(sys.argv[2])
    print("begun", flush=True)
    version = 0
    while True:
        version += 1
        write_lines(path, (b'{"row":%d,"version":%d}' % (row, version) for row in range(rows)))
"""


def test_a_killed_writer_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    for number in range(KILLS):
        process = start(WRITER, str(path), str(ROWS))
        until = time.monotonic() + 60
        # The first one writes once: from then on there is an old file.
        while not path.exists() and time.monotonic() < until:
            time.sleep(0.001)
        time.sleep(0.01 + 0.004 * (number % 7))
        kill(process)

        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert [row["row"] for row in rows] == list(range(ROWS))
        assert len({row["version"] for row in rows}) == 1

    sweep_temporary(tmp_path)
    assert list(tmp_path.iterdir()) == [path]


STUCK = """
    import sys
    import time
    from pathlib import Path
    from pytest_benchbed.runs import atomic

    def stop(descriptor):
        print("begun", flush=True)
        time.sleep(600)

    atomic.os.fsync = stop
    atomic.write_atomic(Path(sys.argv[1]), b"new" * 1000)
"""


def test_a_writer_killed_before_its_content_is_on_the_disk_leaves_the_old_file(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b"old")

    kill(start(STUCK, str(path)))

    assert path.read_bytes() == b"old"
    with lock_run(tmp_path):
        assert {file.name for file in tmp_path.iterdir()} == {"run.json", "run.lock"}


RACER = """
    import sys
    from pathlib import Path
    from pytest_benchbed.model.errors import RunError
    from pytest_benchbed.runs.create import create_run

    print("begun", flush=True)
    sys.stdin.readline()
    for number in range(int(sys.argv[2])):
        try:
            create_run(Path(sys.argv[1]), f"run-{number}")
        except RunError as error:
            print("refused" if "exists" in str(error) else error)
        else:
            print("made")
"""


@pytest.mark.req("ENV-090")
def test_of_two_processes_that_want_one_id_exactly_one_gets_it(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    racers = [start(RACER, str(runs), "60") for _ in range(2)]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()

    one, other = (racer.communicate(timeout=60)[0].splitlines() for racer in racers)

    assert len(one) == 60
    assert [sorted(pair) for pair in zip(one, other, strict=True)] == [["made", "refused"]] * 60
    assert all((runs / f"run-{number}" / "adapter").is_dir() for number in range(60))
    assert (runs / ".gitignore").read_text() == "*\n"


HOLDER = """
    import sys
    from pathlib import Path
    from pytest_benchbed.runs.lock import lock_run

    lock = lock_run(Path(sys.argv[1]))
    print("begun", flush=True)
    sys.stdin.readline()
"""


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    """A file with a process id would stay and lock the run out for ever."""
    holder = start(HOLDER, str(tmp_path))

    with pytest.raises(RunError, match="another process works on this run"):
        lock_run(tmp_path)
    kill(holder)

    lock = try_lock(tmp_path)
    assert lock is not None
    lock.release()
