"""The adapter ``command``: a program a case, without a shell."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.programs import posix_only

PROGRAM = """
import json, os, subprocess, sys, time

text = json.load(sys.stdin)["text"]
if text == "env":
    alive = []
    for pid in open("pids").read().split():
        try:
            os.kill(int(pid), 0)
            alive.append(pid)
        except ProcessLookupError:
            pass
    print(json.dumps({"main": sorted(os.environ), "side": alive}))
elif text == "exit":
    print("first", file=sys.stderr)
    print("no se pudo leer: año", file=sys.stderr)
    sys.exit(3)
elif text == "signal":
    os.kill(os.getpid(), 9)
elif text == "hang":
    child = subprocess.Popen(["sleep", "60"])
    other = subprocess.Popen(["sleep", "60"], start_new_session=True)
    with open("pids", "w") as file:
        print(child.pid, other.pid, os.getpid(), file=file)
    time.sleep(60)
elif text == "empty":
    pass
elif text == "not-json":
    print("<html>\\x1b[31m")
elif text == "declined":
    print("null")
else:
    print(json.dumps({"main": [], "side": []}))
"""
CASES = ["right", "exit", "signal", "hang", "empty", "not-json", "declined", "env"]
pytestmark = posix_only


def bench_file(bench: Bench, options: dict[str, Any], **fields: Any) -> None:
    adapter = {"entry": "command", "options": options, **fields}
    text = json.dumps({"adapter": "mine", "adapters": {"mine": adapter}})
    (bench.dataset.parent / "bench.json").write_text(text, "utf-8")


def test_what_a_program_can_do_wrong_is_technical(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_HIDDEN", "hidden-value")
    ids = {f"t-{number:03}": name for number, name in enumerate(CASES, start=1)}
    rows = {case: {"inputs": {"text": name}} for case, name in ids.items()}
    bench = Bench(pytester).make(len(ids), rows)
    (bench.path / "ask.py").write_text(PROGRAM, "utf-8")
    bench_file(bench, {"command": "python3 ask.py", "timeout_s": 4, "version": "7"})

    result = bench.pytest("--bench=toy", "--bench-run=own")

    run = bench.saved("own")
    lines = [json.loads(line) for line in run.paths.calls.read_text("utf-8").splitlines()]
    errors = {ids[line["case"]]: line["error"] for line in lines if line["kind"] == "outcome"}
    found = {name: (error["kind"], error["detail"]) for name, error in errors.items() if error}
    assert found == {
        "exit": ("exit_status", "exit status 3: no se pudo leer: año"),
        "signal": ("exit_status", "killed by SIGKILL: no message"),
        "hang": ("timeout", "python3 ran longer than 4 s; killed with all it started"),
        "empty": ("bad_response", "exit status 0 with an empty output"),
        "not-json": (
            "bad_response",
            "the output is no JSON (Expecting value at character 0): <html>\\x1b[31m",
        ),
        "declined": ("no-answer", "the reply has null at its top"),
    }
    assert {name for name, error in errors.items() if error and error["whose"] == "system"} == set(
        found
    )
    pids = [int(word) for word in (bench.path / "pids").read_text().split()]
    assert len(pids) == 3
    assert last_line(result).startswith("benchbed: gate BLOCKED: 5 technical failures")
    result.stdout.fnmatch_lines(["*calls at once 1: the adapter takes no more*"])
    # The environment is that of any adapter: empty, but for what makes a program start.
    names = next(line["raw"] for line in lines if line.get("case") == "t-008" and "raw" in line)
    assert "PATH" in json.loads(names)["main"]
    # A later case of the same process saw nothing of the one that hung.
    assert json.loads(names)["side"] == []
    assert "TOY_HIDDEN" not in names
    assert run.record.isolation["reads"] == [str(bench.path / "ask.py")]
    assert run.record.adapter.version == "7"


def test_words_take_the_case_and_no_shell_reads_them(bench: Bench) -> None:
    """One pointer on stdin, text as the output, a key around it."""
    (bench.path / "touched").write_text("", "utf-8")
    code = (
        "import sys; "
        "print(sys.argv[1:] == ['text of t-001; rm touched', '$HOME', chr(123) + 'id}', 't-001'], "
        "sys.stdin.read() == 'text of t-001', sep='|')"
    )
    bench_file(
        bench,
        {
            "command": ["python3", "-c", code, "{/text}; rm touched", "$HOME", "{{id}}", "{id}"],
            "stdin": "{/text}",
            "output": "text",
            "key": "said",
        },
    )

    bench.pytest("--bench=toy", "--bench-run=own", "--bench-select=case=t-001")

    (outcome,) = [
        row
        for line in bench.saved("own").paths.calls.read_text("utf-8").splitlines()
        if (row := json.loads(line))["kind"] == "outcome"
    ]
    assert json.loads(outcome["raw"]) == {"said": "True|True"}
    assert (bench.path / "touched").exists()


def test_a_command_is_typed_as_an_option(bench: Bench) -> None:
    (bench.path / "ask.py").write_text(PROGRAM, "utf-8")
    command = '--bench-adapter-option=command="python3 ask.py"'

    first = bench.pytest(
        "--bench=toy", "--bench-adapter=command", command, "--bench-run=own",
        "--bench-adapter-option=max_concurrency=4",
    )  # fmt: skip
    wrong = bench.pytest(
        "--bench=toy", "--bench-adapter=command", "--bench-adapter-option=command=pyton3 ask.py"
    )

    first.assert_outcomes(passed=4)
    assert bench.saved("own").record.executor.slots == 4
    assert wrong.ret == pytest.ExitCode.USAGE_ERROR
    wrong.stderr.fnmatch_lines(["*option command begins with 'pyton3': no such program*"])


@pytest.mark.parametrize("said", ["", "\\n", " \\r\\n"], ids=["nothing", "line-end", "blanks"])
def test_an_empty_text_is_technical_and_never_scored(bench: Bench, said: str) -> None:
    """A program that broke and ended with 0 must not look like one that is often wrong."""
    code = f"print('{said}', end='')"
    bench_file(bench, {"command": ["python3", "-c", code], "output": "text", "key": "said"})

    result = bench.pytest("--bench=toy", "--bench-run=own", "--bench-select=case=t-001")

    result.assert_outcomes(errors=1)
    (failure,) = bench.saved("own").record.technical
    assert (failure.whose, failure.kind) == ("system", "bad_response")
    assert "exit status 0 with an empty output" in failure.detail
