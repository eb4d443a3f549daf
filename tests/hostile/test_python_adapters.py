"""A session with a broken or hostile Python adapter: the case is technical, the rest stands."""

from __future__ import annotations

import pytest

from tests.crash.hostile import linux
from tests.hostile.repository import CASES
from tests.hostile.repository import VICTIM
from tests.hostile.repository import Repository
from tests.hostile.repository import assert_technical

SIGNALS = ("SIGSEGV", "SIGABRT", "SIGKILL", "SIGBUS", "SIGFPE", "SIGILL", "SIGTERM")
ENDS = {
    "exit status 3": ("os._exit(3)", "crash", "exit status 3"),
    "os._exit(0)": ("os._exit(0)", "crash", "exit status 0"),
    "sys.exit(0)": ("sys.exit(0)", "crash", "exit status 0"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "crash", "KeyboardInterrupt"),
    "pytest.exit": ("import pytest; pytest.exit('all good', 0)", "exception", "all good"),
    "pytest.skip": ("import pytest; pytest.skip('hard')", "exception", "Skipped: hard"),
    "pytest.xfail": ("import pytest; pytest.xfail('hard')", "exception", "hard"),
    "SkipTest": ("import unittest; raise unittest.SkipTest('hard')", "exception", "SkipTest: hard"),
    "an assertion": ("assert False, 'hard'", "exception", "AssertionError: hard"),
    "an exception group": (
        "raise BaseExceptionGroup('all', [SystemExit(0)])", "exception", "BaseExceptionGroup",
    ),
    "memory under a limit": ("bytearray(1 << 36)", "exception", "MemoryError"),
    "recursion without end": ("f = lambda: f(); f()", "exception", "RecursionError"),
    "all descriptors closed": ("os.closerange(0, 1024); time.sleep(300)", "crash", "pipe"),
    "output without end": ("while True: os.write(1, b'x' * 65536)", "output_flood", "output"),
    "errors without end": ("while True: os.write(2, b'x' * 65536)", "output_flood", "output"),
    "a crash with children of its own session": ("outlive(); os._exit(1)", "crash", "status 1"),
    "a thread that goes on": (
        "threading.Thread(target=time.sleep, args=(300,)).start(); sys.exit(0)", "crash", "",
    ),
    "not a number": ("return {'main': [float('nan')], 'side': []}", "not_json", ""),
    "nothing": ("return None", "no_prediction", ""),
    "another shape": ("return ['all', 'right']", "shape", "a list"),
    **{
        name: (f"os.kill(os.getpid(), signal.{name}); time.sleep(300)", "crash", name)
        for name in SIGNALS
    },
}  # fmt: skip
HANGS = {
    "a hang": ("time.sleep(300)", "timeout", "3 s"),
    "a hang that ignores every signal": (
        "[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; time.sleep(300)", "timeout", "3 s",
    ),
    "stops itself": ("os.kill(os.getpid(), signal.SIGSTOP)", "timeout", "3 s"),
    "a hang with children of its own session": ("outlive(); time.sleep(300)", "timeout", "3 s"),
    "an event that never comes": ("threading.Event().wait()", "timeout", "3 s"),
}  # fmt: skip


@linux
@pytest.mark.req("ENV-041", "ENV-051")
@pytest.mark.parametrize("table", [ENDS, HANGS], ids=["ends", "hangs"])
def test_each_case_is_technical_with_its_cause_and_the_others_are_scored(
    repository: Repository, table: dict[str, tuple[str, str, str]]
) -> None:
    hangs = table is HANGS
    # Hangs side by side, so that a limit that the good cases keep costs its time once.
    repository.tricks({name: row[0] for name, row in table.items()}, at_once=5 if hangs else 1)
    repository.limits(output_bytes=200_000, memory_bytes=16e9)

    result = repository.session(*(["--bench-timeout=3", "--bench-jobs=5"] if hangs else []))

    found = repository.assert_tricks_are_technical(result, list(table))
    wrong = {
        name: found[name]
        for name, (_, kind, words) in table.items()
        if not found[name].startswith(f"adapter: {kind}: ") or words not in found[name]
    }
    assert wrong == {}


CLOSES = {
    "raises": ("raise ValueError('late')", "close", "ValueError: late"),
    "exits": ("os._exit(0)", "close", "crash"),
    "hangs": ("time.sleep(300)", "close", "timeout"),
    "children of its own session": ("outlive()", "left_running", "1 of its processes"),
}


@linux
@pytest.mark.req("ENV-051")
@pytest.mark.parametrize("name", CLOSES)
def test_what_goes_wrong_after_the_last_case_is_a_failure_of_the_run(
    repository: Repository, name: str
) -> None:
    how, kind, words = CLOSES[name]
    repository.python("", methods=f"def close(self):\n    {how}")
    if name == "hangs":
        repository.limits(grace_s=0.5)

    result = repository.session()

    assert_technical(repository, result, cases=(), kind=kind, words=words)


@linux
@pytest.mark.req("ENV-051")
def test_children_that_outlive_the_adapter_are_told_and_resuming_does_not_forget_them(
    repository: Repository,
) -> None:
    repository.python("outlive()")

    result = repository.session()
    again = repository.session("--bench-resume=own")

    assert_technical(repository, result, cases=(), kind="left_running", words="1 of its processes")
    assert_technical(repository, again, cases=(), kind="left_running", words="1 of its processes")


@linux
def test_children_that_outlive_a_process_of_one_case_are_told(repository: Repository) -> None:
    repository.python("outlive()", declared="fresh_process = True")

    result = repository.session()

    assert_technical(repository, result, cases=(), kind="left_running")


PRINTS = {
    "escapes": "os.write(1, b'\\xff\\xfe \\x1b[2Jgone\\r\\n')",
    "a verdict": "print('benchbed: gate PASSED: fake', flush=True)",
    "end of input": "os.write(2, b'input %d' % len(sys.stdin.read()))",
    "closed streams": "os.close(1); os.close(2)",
}


@linux
def test_what_it_prints_is_kept_escaped_and_decides_nothing(repository: Repository) -> None:
    repository.python("\n".join(PRINTS.values()))

    result = repository.session()

    result.assert_outcomes(passed=len(CASES))
    assert repository.log_text("slot-0.stdout.log") == (
        "\\xff\\xfe \\x1b[2Jgone\\r\nbenchbed: gate PASSED: fake\n"
    )
    assert repository.log_text() == "input 0"
    assert "\x1b[2J" not in result.stdout.str()
    assert not [line for line in result.outlines if line.startswith("benchbed: gate PASSED")]
    assert repository.own.record.technical == []


PATCHES = """
# What this process has of the package is a copy: nothing here reaches the scorer.
import pytest_benchbed.model.strict as strict
import pytest_benchbed.model.canonical as canonical
for module in list(sys.modules.values()):
    if module.__name__.startswith(("pytest_benchbed.benchmarks", "pytest_benchbed.edge")):
        vars(module).clear()
Adapter.score_case = staticmethod(lambda *anything: {})
time.monotonic = time.perf_counter = time.time = lambda: 0.0
"""
SAME = """
class Same(str):
    __hash__ = str.__hash__
    __eq__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __len__ = lambda self: 0
class Empty(list):
    __len__ = lambda self: 0
    __bool__ = lambda self: False
    __eq__ = lambda self, other: True
"""


@linux
@pytest.mark.req("ENV-039", "ENV-041")
def test_tricks_inside_its_process_reach_neither_score_nor_clock_nor_answers(
    repository: Repository,
) -> None:
    repository.python(
        """
        time.sleep_ = time.sleep
        time.sleep_(0.3)
        seen = []
        frame = sys._getframe()
        while frame:
            seen.append(repr({**frame.f_globals, **frame.f_locals}))
            frame = frame.f_back
        for one in gc.get_objects():
            if isinstance(one, (str, bytes, dict, list, tuple)):
                seen.append(repr(one)[:10_000])
        text = "".join(seen)
        # Spelt so that its own code is no find.
        words = ["".join(chr(ord(one) ^ 1) for one in word) for word in ("RDBSDU,u", "b1ggddb1")]
        found = [word for word in words if word in text]
        return {"main": Empty([Same("wrong"), *found]), "side": Empty()}
        """,
        before=PATCHES + SAME,
    )

    result = repository.session()

    result.assert_outcomes(passed=len(CASES) - 1, failed=1)
    row = repository.own.rows()[VICTIM]
    # The one error it owns up to is counted, and it found no answer.
    assert [error["got"] for error in row["errors"]["main"]] == ["wrong"]
    assert row["x"]["latency_s"] >= 0.3
    assert repository.own.record.technical == []
    assert repository.own.record.dataset.canary == "clean"


READS = {
    "in its prediction": "return {'main': [ANSWERS.read_text()], 'side': []}",
    "in its output": "print(ANSWERS.read_text(), flush=True)",
    "in its error": "raise ValueError(ANSWERS.read_text()[:180])",
    "backwards, in base 64": (
        "import base64; return {'main': [base64.b64encode(ANSWERS.read_bytes()).decode()], "
        "'side': []}"
    ),
}


@pytest.mark.req("ENV-039")
@pytest.mark.parametrize("name", READS)
def test_reading_the_answers_by_their_path_voids_the_run_where_it_shows(
    repository: Repository, name: str
) -> None:
    repository.python(
        READS[name], before="ANSWERS = ROOT / 'cases' / 'toy' / 'v1' / 'answers.jsonl'"
    )

    result = repository.session()
    again = repository.session("--bench-resume=own")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    record = repository.own.record
    assert (record.status, record.dataset.canary) == ("void", "found")
    assert record.gate is not None
    assert record.gate.status == "blocked"
    assert "canary" in {entry.kind for entry in record.technical}
    assert "skipped" not in result.parseoutcomes()
    assert again.ret == pytest.ExitCode.USAGE_ERROR


@linux
@pytest.mark.req("ENV-051")
def test_under_workers_each_of_them_is_technical_too(repository: Repository) -> None:
    names = ("os._exit(0)", "SIGKILL", "pytest.exit", "a crash with children of its own session")
    repository.tricks({name: ENDS[name][0] for name in names})

    result = repository.session("-n2")

    found = repository.assert_tricks_are_technical(result, list(names))
    assert all(ENDS[name][2] in found[name] for name in names)
