"""Executable adapters that are broken or hostile: technical for the run, nothing left running."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.batch_reply import BatchFailure
from pytest_benchbed.adapters.batch_reply import BatchReply
from pytest_benchbed.adapters.executable import run_executable
from pytest_benchbed.adapters.limits import Limits
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.request import AdapterRequest
from tests.crash.hostile import GRANDCHILD
from tests.crash.hostile import HASTY
from tests.crash.hostile import QUICK
from tests.crash.hostile import leftovers
from tests.crash.hostile import linux
from tests.crash.hostile import log_text
from tests.crash.hostile import posix
from tests.crash.hostile import zombies

pytestmark = posix

START = """
import json, os, sys, time
assert sys.argv[1:2] == ["run"] and sys.argv[2::2] == ["--request", "--output"], sys.argv
request = json.load(open(sys.argv[3]))
output = sys.argv[5]
RESULT = {"id": request["benchmark"], "status": "completed", "format": request["format"],
          "data": "predictions.json",
          "systems": [{"role": "candidate", "model": "m", "cost_usd": 0.25,
                       "execution_failures": 0, "unpriced_attempts": 0}]}
def answer(predictions=None, **changes):
    if predictions is None:
        predictions = {case["id"]: {"got": case["inputs"]} for case in request["cases"]}
    with open(output + "/predictions.json", "w") as file:
        json.dump(predictions, file)
    with open(output + "/adapter-result.json", "w") as file:
        json.dump({**RESULT, **changes}, file)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A run's folder; nothing that was started with it may outlive the test."""
    yield tmp_path
    if sys.platform == "linux":
        assert leftovers(tmp_path) == []
        assert zombies() == []


def write(folder: Path, body: str, start: str = START) -> Path:
    path = folder / "my adapter"
    code = f"#!{sys.executable} -IB\n{GRANDCHILD}{start}{textwrap.dedent(body)}\n"
    path.write_text(code)
    path.chmod(0o755)
    return path


def request(budget: str | None = None) -> AdapterRequest:
    return AdapterRequest(
        run_id="r",
        benchmark="toy",
        format="toy.v1",
        model="m",
        budget_usd=None if budget is None else Decimal(budget),
        options={"variant": "x"},
        attempt=1,
        files_dir="/staged",
        contexts=[],
        cases=[{"id": name, "inputs": {"n": name}, "files": []} for name in "ab"],  # type: ignore[list-item]
    )


def run(
    folder: Path,
    path: Path,
    *,
    limits: Limits = QUICK,
    timeout_s: float = 60,
    tick: Any = lambda elapsed_s: None,
    budget: str | None = None,
    **settings: Any,
) -> BatchReply:
    spec = AdapterSpec("mine", "executable", str(path), path, limits=limits, **settings)
    return run_executable(
        spec,
        request(budget),
        request_path=folder / "adapter-request.json",
        output=folder / "adapter",
        scratch=folder / "scratch",
        log_dir=folder / "adapter",
        timeout_s=timeout_s,
        tick=tick,
    )


def failure(folder: Path, body: str, **settings: Any) -> BatchFailure:
    with pytest.raises(BatchFailure) as caught:
        run(folder, write(folder, body), **settings)
    return caught.value


@pytest.mark.req("ENV-040", "ENV-045")
def test_a_good_executable_answers_every_case(folder: Path) -> None:
    reply = run(folder, write(folder, "answer()"))

    assert reply.predictions == {"a": '{"got":{"n":"a"}}', "b": '{"got":{"n":"b"}}'}
    assert (reply.missing, reply.result.systems[0].model) == ([], "m")
    assert reply.usage.cost_usd == Decimal("0.25")
    assert reply.latency_s > 0


@pytest.mark.req("ENV-041")
def test_it_gets_the_request_as_written(folder: Path) -> None:
    reply = run(folder, write(folder, "answer({'a': request, 'b': 1})"), budget="1.5")

    seen = json.loads(reply.predictions["a"])
    assert seen == request("1.5").to_json()
    assert (folder / "adapter-request.json").is_file()


def test_a_request_that_stands_there_is_not_written_again(folder: Path) -> None:
    (folder / "adapter-request.json").write_text(json.dumps(request().to_json(), indent=1))
    before = (folder / "adapter-request.json").read_bytes()

    run(folder, write(folder, "answer()"))

    assert (folder / "adapter-request.json").read_bytes() == before


@pytest.mark.req("ENV-039")
def test_it_sees_nothing_of_this_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_OF_THE_TEST", "canary-123456")
    path = write(
        folder,
        """
        answer({"a": [dict(os.environ), os.getcwd(), sys.stdin.read(), os.getsid(0),
                      sorted(os.listdir("/proc/self/fd")) if os.path.exists("/proc") else []],
                "b": 1})
        """,
    )

    environment, cwd, stdin, session, fds = json.loads(run(folder, path).predictions["a"])

    assert "CANARY_OF_THE_TEST" not in environment
    assert environment["HOME"] == cwd == str(folder / "scratch")
    assert stdin == ""
    assert session != os.getsid(0)
    assert fds in ([], ["0", "1", "2", "3"])


@pytest.mark.req("ENV-052")
def test_what_it_writes_and_prints_besides_is_kept(folder: Path) -> None:
    path = write(
        folder,
        r"""
        open(output + "/trace.log", "w").write("trace")
        os.write(1, b"\x1b[31mred\xff\n")
        os.write(2, b"warning\n")
        answer()
        """,
    )

    run(folder, path)

    assert log_text(folder, "trace.log") == "trace"
    assert log_text(folder, "adapter.stdout.log") == "\\x1b[31mred\\xff\n"
    assert log_text(folder, "adapter.stderr.log") == "warning\n"


@pytest.mark.req("ENV-051")
@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("answer(); sys.exit(3)", "crash", "exit status 3"),
        ("answer(); sys.exit('gave up')", "crash", "stderr ends: gave up"),
        ("answer(); raise ValueError('bad')", "crash", "ValueError: bad"),
        ("answer(); os.abort()", "crash", "SIGABRT"),
        ("import ctypes; ctypes.string_at(0)", "crash", "SIGSEGV"),
        ("", "no_result", "adapter-result.json"),
        ("os._exit(0)", "no_result", "status 0"),
        ("open(output + '/adapter-result.json', 'w').write('{\"id\": ')", "syntax", ""),
        ("answer(); os.remove(output + '/predictions.json')", "missing_file", ""),
        ("answer(); open(output + '/predictions.json', 'w').write('{\"a\": 1')", "syntax", ""),
        ("answer(id='other')", "result_record", "id is 'other'"),
        ("answer({'a': 1, 'b': 1, 'c': 1})", "extra_case", "'c'"),
        ("while True: print('x' * 1000)", "output_flood", "more output"),
        ("import shutil; shutil.rmtree(output)", "no_result", ""),
    ],
)
def test_a_broken_executable_is_a_technical_failure_of_the_run(
    folder: Path, body: str, kind: str, words: str
) -> None:
    caught = failure(folder, body)

    assert caught.kind == kind
    assert words in caught.detail


@pytest.mark.req("ENV-047")
def test_a_missing_case_keeps_the_others(folder: Path) -> None:
    reply = run(folder, write(folder, "answer({'b': 1})"))

    assert (reply.predictions, reply.missing) == ({"b": "1"}, ["a"])


@pytest.mark.req("ENV-053")
def test_spend_above_the_budget_is_a_technical_failure_that_says_the_spend(folder: Path) -> None:
    caught = failure(folder, "answer()", budget="0.2")

    assert caught.kind == "over_budget"
    assert caught.usage is not None
    assert caught.usage.cost_usd == Decimal("0.25")
    assert caught.latency_s > 0


@linux
@pytest.mark.req("ENV-051")
@pytest.mark.parametrize(
    "body",
    [
        "answer(); time.sleep(300)",
        "outlive(); time.sleep(300)",
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)",
        "os.kill(os.getpid(), 19)",
        "os.close(1); os.close(2); time.sleep(300)",
        "os.fork(); os.fork(); time.sleep(300)",
    ],
)
def test_a_hang_is_cut_with_everything_it_started(folder: Path, body: str) -> None:
    caught = failure(folder, body, timeout_s=0.6, limits=HASTY)

    assert caught.kind == "timeout"
    assert caught.where == "adapter/adapter.stderr.log"


@linux
@pytest.mark.parametrize(
    "body",
    [
        "outlive()",
        "os.fork() or time.sleep(300)",
        "import subprocess; subprocess.Popen(['sleep', '300'], stdout=1, stderr=2)",
    ],
)
def test_children_that_outlive_it_are_killed_and_told(folder: Path, body: str) -> None:
    caught = failure(folder, f"answer()\n{body}")

    assert caught.kind == "left_running"
    assert "processes running" in caught.detail


def test_children_that_end_shortly_after_it_do_no_harm(folder: Path) -> None:
    path = write(folder, "answer()\nimport subprocess\nsubprocess.Popen(['sleep', '0.05'])")

    assert run(folder, path, limits=replace(QUICK, linger_s=60)).missing == []


def test_too_many_files_are_cut(folder: Path) -> None:
    body = """
        for n in range(100_000):
            open(f"{output}/{n}", "w").close()
        answer()
        time.sleep(300)
        """

    caught = failure(folder, body, limits=replace(QUICK, entries=50))

    assert caught.kind == "output_entries"
    assert "50" in caught.detail


def test_too_many_folders_in_folders_are_cut(folder: Path) -> None:
    body = """
        os.chdir(output)
        for n in range(200):
            os.mkdir("d" * 100)
            os.chdir("d" * 100)
        os.chdir(output)
        answer()
        """

    assert failure(folder, body, limits=replace(QUICK, entries=30)).kind == "output_entries"


def test_too_many_bytes_are_cut(folder: Path) -> None:
    body = "answer()\nopen(output + '/big', 'wb').truncate(10**6)"

    assert failure(folder, body, limits=replace(QUICK, directory_bytes=10**5)).kind == "output_size"


def test_a_file_beyond_the_limit_of_one_file_is_technical(folder: Path) -> None:
    body = "answer()\nopen(output + '/big', 'wb').write(b'x' * 10**6)"

    assert failure(folder, body, limits=replace(QUICK, file_bytes=10**5)).kind == "crash"


@pytest.mark.parametrize(
    "trick",
    [
        "os.symlink('/etc/hostname', path)",
        "os.symlink(path, path)",
        "os.link(output + '/adapter-result.json', path)",
        "os.mkfifo(path)",
        "os.mkdir(path)",
    ],
)
def test_a_trick_in_place_of_the_predictions_is_refused(folder: Path, trick: str) -> None:
    body = f"answer()\npath = output + '/predictions.json'\nos.remove(path)\n{trick}"

    assert failure(folder, body).kind == "bad_file"


@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        ("#!/bin/sh\n", 0o644, "chmod +x"),
        ("#!/no/such/interpreter\n", 0o755, "interpreter"),
        ("\x7fELF nonsense", 0o755, "#!"),
        ("", 0o755, "#!"),
    ],
)
def test_what_cannot_be_executed_says_what_to_do(
    folder: Path, text: str, mode: int, words: str
) -> None:
    path = folder / "adapter-file"
    path.write_text(text)
    path.chmod(mode)

    with pytest.raises(TechnicalFailure, match="not_executable") as caught:
        run(folder, path)
    assert words in caught.value.detail
    assert not isinstance(caught.value, BatchFailure)


def test_a_missing_variable_is_refused_before_anything_starts(folder: Path) -> None:
    path = write(folder, "answer()")

    with pytest.raises(UsageProblem, match="NO_SUCH_VARIABLE_HERE"):
        run(folder, path, env=("NO_SUCH_VARIABLE_HERE",))
    assert not (folder / "adapter").exists()


def test_a_declared_secret_is_redacted_in_logs_and_predictions(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "key-123456-xyz")
    path = write(
        folder,
        """
        print(os.environ["MY_API_KEY"])
        answer({"a": os.environ["MY_API_KEY"], "b": 1})
        """,
    )

    reply = run(folder, path, env=("MY_API_KEY",))

    assert reply.predictions["a"] == '"[MY_API_KEY]"'
    assert log_text(folder, "adapter.stdout.log") == "[MY_API_KEY]\n"


def test_the_result_of_an_earlier_try_does_not_pass_for_a_new_one(folder: Path) -> None:
    run(folder, write(folder, "answer()"))

    assert failure(folder, "").kind == "no_result"
    assert (folder / "adapter" / "adapter-result.earlier-1.json").is_file()


def test_the_seconds_are_told_while_it_runs(folder: Path) -> None:
    ticks: list[float] = []

    run(folder, write(folder, "time.sleep(1.3)\nanswer()"), tick=ticks.append)

    assert ticks
    assert ticks == sorted(ticks)


@linux
def test_ctrl_c_while_it_runs_kills_its_tree(folder: Path) -> None:
    def interrupt(elapsed_s: float) -> None:
        raise KeyboardInterrupt

    path = write(folder, "outlive()\ntime.sleep(300)")

    with pytest.raises(KeyboardInterrupt):
        run(folder, path, tick=interrupt)
    assert leftovers(folder) == []
