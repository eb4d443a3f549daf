"""Kill or stop a whole session at the worst moment: what is paid is kept, nothing is paid twice."""

from __future__ import annotations

import json
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.crash.hostile import linux
from tests.crash.sessions import Session
from tests.crash.sessions import open_intents
from tests.crash.sessions import outcomes
from tests.crash.sessions import start
from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.programs import benchbed
from tests.plugin.programs import write_executable

pytestmark = linux
COUNT = 8


CLOSING = """
from pytest_benchbed.calls.broker import Broker

close = Broker.close

def told(broker, wait_s):
    open({closing!r}, "w").close()
    return close(broker, wait_s)

Broker.close = told
"""


@pytest.fixture
def slow(pytester: pytest.Pytester) -> Bench:
    """Eight cases, two at a time, and a baseline of the same system."""
    bench = Bench(pytester).make(COUNT)
    bench.record("base", max_concurrency=2)
    return bench.answers(max_concurrency=2)


def tell_closing(bench: Bench) -> Path:
    """Return a file that is there once a session starts no call any more and waits for the rest."""
    closing = bench.path / "closing"
    bench.extend(CLOSING.format(closing=str(closing)))
    return closing


def wait_for_hung(session: Session, bench: Bench, *hung: str) -> None:
    """Wait until these cases are all that is still asked."""
    session.wait_for(
        lambda: (
            {*hung} <= {*bench.calls()} and len(outcomes(bench)) == len(bench.calls()) - len(hung)
        )
    )


def go_on(bench: Bench, before: list[str]) -> None:
    """Resume the run and check that each case was asked once, but for calls in flight."""
    in_flight = open_intents(bench)
    # The code stays: another system could not go on with the run.
    (bench.path / "replies.json").write_text("{}", "utf-8")
    result = bench.run("--bench-resume=own", "--baseline=base", "--bench-jobs=2")

    result.assert_outcomes(passed=COUNT)
    assert last_line(result).startswith("benchbed: gate PASSED: ")
    assert set(before) <= {row["case"] for row in bench.saved("own").results()}
    asked = Counter(bench.calls())
    assert len(asked) == COUNT
    assert {case for case, times in asked.items() if times > 1} <= set(in_flight)
    assert max(asked.values()) <= 2


def refused_everywhere(bench: Bench, status: str) -> None:
    """An unfinished run decides nothing and is compared with nothing."""
    assert bench.saved("own").record.status == status
    offline = benchbed(bench, "gate", "own", "--baseline=base")
    assert offline.returncode == 4, offline.stdout
    assert "benchbed: gate INCOMPLETE: " in offline.stdout
    calls = len(bench.calls())
    for words in (["--baseline=own"], ["--baseline=base", "--bench-control=own"]):
        result = bench.run(*words)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"*'own' is not completed: its status is '{status}'*"])
    assert len(bench.calls()) == calls


@pytest.mark.req("ENV-090")
def test_a_controller_that_is_killed_loses_nothing_that_was_acknowledged(
    slow: Bench, workers: list[str]
) -> None:
    slow.answers({"t-004": "hang", "t-005": "hang"}, max_concurrency=2)
    session = start(slow, "--bench-jobs=2", "--baseline=base", *workers)
    wait_for_hung(session, slow, "t-004", "t-005")
    session.kill()
    kept = outcomes(slow)

    assert session.left() == []
    assert session.code == -signal.SIGKILL
    assert kept
    assert open_intents(slow) == Counter({"t-004": 1, "t-005": 1})
    if not workers:
        refused_everywhere(slow, "running")
    go_on(slow, kept)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_term_and_hangup_end_the_adapters_and_the_run_goes_on(slow: Bench, number: int) -> None:
    """pytest has no handler for them: it dies at once, and its adapters with it."""
    slow.answers({"t-003": "hang"}, max_concurrency=2)
    session = start(slow, "--bench-jobs=1", "--baseline=base")
    wait_for_hung(session, slow, "t-003")
    session.signal(number)
    kept = outcomes(slow)
    session.end()

    assert session.code == -number
    assert session.left() == []
    go_on(slow, kept)


@pytest.mark.req("ENV-090")
def test_one_ctrl_c_lets_calls_in_flight_finish_and_starts_no_other(
    slow: Bench, workers: list[str]
) -> None:
    slow.answers({"t-003": "held", "t-004": "held"}, max_concurrency=2)
    closing = tell_closing(slow)
    session = start(slow, "--bench-jobs=2", "--baseline=base", *workers)
    session.wait_for_calls(4)
    session.signal(signal.SIGINT)
    session.wait_for(closing.exists)
    slow.go.touch()
    session.end()

    assert session.code == pytest.ExitCode.INTERRUPTED, session.out
    assert session.last_line.startswith("benchbed: gate INCOMPLETE: ")
    assert "--bench-resume=own" in session.out
    assert session.left() == []
    # Nothing but what had begun, and all of that to its end.
    assert sorted(slow.calls()) == ["t-001", "t-002", "t-003", "t-004"]
    assert open_intents(slow) == Counter()
    assert sorted(outcomes(slow)) == sorted(slow.calls())
    if not workers:
        refused_everywhere(slow, "interrupted")
    go_on(slow, outcomes(slow))


INTERRUPTED = """
@pytest.fixture(autouse=True)
def interrupted(request, tmp_path):
    if "t-003" in request.node.name:
        raise KeyboardInterrupt
"""
USER_TEST = """
import pytest

@pytest.mark.bench_cases("toy")
def test_mine(bench_case):
    pass
"""


@pytest.mark.parametrize("what", ["case", "user test"])
def test_ctrl_c_at_any_moment_of_a_setup_ends_as_interrupted(bench: Bench, what: str) -> None:
    # pytest makes no report of an interrupted setup, and tmp_path asks for one.
    bench.extend(INTERRUPTED)
    words = ["--bench-run=own"]
    if what == "user test":
        (bench.path / "test_mine.py").write_text(USER_TEST, "utf-8")
        words.append("test_mine.py")

    result = bench.pytest("--bench=toy", "--bench-adapter=toy_adapter:Toy", *words, subprocess=True)

    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "Traceback" not in result.stderr.str()
    assert last_line(result).startswith("benchbed: gate BASELINE REQUIRED: ")
    assert bench.saved("own").record.status == "interrupted"


def test_a_second_ctrl_c_kills_the_calls_in_flight_and_the_run_is_written(slow: Bench) -> None:
    slow.answers({"t-003": "hang"}, max_concurrency=2)
    closing = tell_closing(slow)
    session = start(slow, "--bench-jobs=1", "--baseline=base")
    wait_for_hung(session, slow, "t-003")
    session.signal(signal.SIGINT)
    session.wait_for(closing.exists)
    session.signal(signal.SIGINT)
    session.end()

    assert session.code == pytest.ExitCode.INTERRUPTED
    assert session.left(0) == []
    assert session.last_line.startswith("benchbed: gate INCOMPLETE: ")
    assert "--bench-resume=own" in session.out
    record = slow.saved("own").record
    assert (record.status, record.counts.technical) == ("interrupted", 0)
    assert open_intents(slow) == Counter({"t-003": 1})
    go_on(slow, outcomes(slow))


def test_ctrl_c_during_a_batch_leaves_an_unknown_spend_and_the_command_to_go_on(
    bench: Bench,
) -> None:
    started = bench.path / "started"
    write_executable(bench, f"open({str(started)!r}, 'w').close(); __import__('time').sleep(600)")
    session = start(bench, adapter="--bench-adapter=./system")
    session.wait_for(started.exists)
    session.signal(signal.SIGINT)
    session.end()

    assert session.code == pytest.ExitCode.INTERRUPTED
    assert session.last_line.startswith("benchbed: gate ")
    assert "--bench-resume=own" in session.out
    assert session.left() == []
    record = bench.saved("own").record
    assert (record.status, record.spend.spent_usd) == ("interrupted", None)


@pytest.mark.req("ENV-051")
@pytest.mark.parametrize("which", ["host", "supervisor"])
def test_an_adapter_killed_in_mid_call_costs_its_case_alone(slow: Bench, which: str) -> None:
    slow.answers({"t-002": "hang"})
    session = start(slow, "--bench-jobs=1", "--baseline=base")
    wait_for_hung(session, slow, "t-002")
    victim = session.adapters()[which]
    subprocess.run(["kill", "-9", str(victim)], check=True)
    session.end()

    assert session.code == pytest.ExitCode.TESTS_FAILED
    assert session.last_line.startswith("benchbed: gate BLOCKED: 1 technical failure (t-002)")
    assert session.left() == []
    record = slow.saved("own").record
    assert (record.counts.scored, record.counts.technical) == (COUNT - 1, 1)
    assert (record.technical[0].case, record.technical[0].kind) == ("t-002", "crash")
    (slow.path / "replies.json").write_text("{}", "utf-8")
    result = slow.run("--bench-resume=own", "--baseline=base")
    result.assert_outcomes(passed=COUNT)
    assert Counter(slow.calls()) == Counter({**dict.fromkeys(set(slow.calls()), 1), "t-002": 2})


def test_an_intent_without_an_outcome_counts_at_its_bound_after_a_resume(
    pytester: pytest.Pytester,
) -> None:
    bench = Bench(pytester).make(6).answers({"t-002": "hang"}, paid=True, cost=0.25)
    session = start(bench, "--bench-jobs=1", "--bench-budget=1")
    wait_for_hung(session, bench, "t-002")
    session.kill()
    (bench.path / "replies.json").write_text("{}", "utf-8")

    result = bench.run("--bench-resume=own", "--bench-jobs=1", "--bench-budget=1")

    # One paid, one lost and counted like it: of four quarters two are left.
    assert sorted(Counter(bench.calls()).items()) == [("t-001", 1), ("t-002", 2), ("t-003", 1)]
    record = bench.saved("own").record
    assert (record.spend.spent_usd, record.counts.technical) == (1, 3)
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    assert "budget_exhausted" in last_line(result)


@pytest.mark.req("ENV-080")
def test_of_two_sessions_with_one_run_id_exactly_one_goes_on(slow: Bench) -> None:
    two = [start(slow, "--bench-jobs=2", "--baseline=base") for _ in range(2)]
    for session in two:
        session.end()

    winner, loser = sorted(two, key=lambda session: session.code)
    assert (winner.code, loser.code) == (0, pytest.ExitCode.USAGE_ERROR), loser.out
    assert "run 'own' exists" in loser.out
    assert sorted(slow.calls()) == [f"t-00{number}" for number in range(1, COUNT + 1)]


def test_a_run_that_another_process_works_on_is_not_gone_on_with(slow: Bench) -> None:
    slow.answers({"t-001": "hang"})
    session = start(slow, "--bench-jobs=1", "--baseline=base")
    session.wait_for_calls(1)

    second = slow.run("--bench-resume=own", "--baseline=base")

    assert second.ret == pytest.ExitCode.USAGE_ERROR
    second.stderr.fnmatch_lines(["*another process works on this run*"])
    assert session.process.poll() is None
    session.kill()
    assert slow.calls() == ["t-001"]


def spoil(bench: Bench, number: int, old: bytes, new: bytes) -> str:
    """Change one line of ``calls.jsonl`` (from 1) and return how a message names it."""
    path = bench.path / "runs" / "own" / "calls.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    assert old in lines[number - 1]
    lines[number - 1] = lines[number - 1].replace(old, new)
    path.write_bytes(b"".join(lines))
    return f"calls.jsonl:{number}"


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [(b'{"at"', b'{{"at"', "broken record"), (b'"state":"ok"', b'"state":"no"', "sha256")],
)
def test_a_record_that_was_changed_is_refused_by_file_and_line(
    bench: Bench, old: bytes, new: bytes, cause: str
) -> None:
    bench.record("own", {"t-002": "raise"})
    where = spoil(bench, 2, old, new)

    result = bench.run("--bench-resume=own")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = result.stdout.str() + result.stderr.str()
    assert where in text
    assert cause in text.lower()
    assert bench.calls() == []


def test_a_torn_last_line_is_cut_off_and_its_case_asked_again(bench: Bench) -> None:
    run = bench.record("own")
    data = run.paths.calls.read_bytes()
    run.paths.calls.write_bytes(data[:-30])
    record = json.loads(run.paths.run.read_text("utf-8"))
    run.paths.run.write_text(json.dumps({**record, "status": "running"}), "utf-8")

    result = bench.run("--bench-resume=own")

    result.assert_outcomes(passed=4)
    assert bench.calls() == ["t-004"]
    lines = run.paths.calls.read_bytes().splitlines()
    assert [json.loads(line)["kind"] for line in lines[-3:]] == ["intent", "intent", "outcome"]
