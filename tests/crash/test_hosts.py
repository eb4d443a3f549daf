"""Python adapters that are broken or hostile: technical, nothing left running, others unharmed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.python_host import PythonHost
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.outcome import Outcome
from tests.crash.hostile import HASTY
from tests.crash.hostile import QUICK
from tests.crash.hostile import case
from tests.crash.hostile import leftovers
from tests.crash.hostile import linux
from tests.crash.hostile import log_text
from tests.crash.hostile import make_host
from tests.crash.hostile import posix
from tests.crash.hostile import wait_for
from tests.crash.hostile import zombies


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A run's folder; nothing that was started with it may outlive the test."""
    yield tmp_path
    if sys.platform == "linux":
        assert leftovers(tmp_path) == []
        assert zombies() == []


def started(folder: Path, code: str, attribute: str = "predict", **settings: Any) -> PythonHost:
    host = make_host(folder, code, attribute, **settings)
    host.start()
    return host


def outcome_of(
    folder: Path, code: str, timeout_s: float = 60, **settings: Any
) -> tuple[Outcome, PythonHost]:
    """Ask one case of ``predict(case)`` whose body is ``code``; end the host."""
    host = started(
        folder, "def predict(case):\n" + textwrap.indent(textwrap.dedent(code), "    "), **settings
    )
    outcome = host.predict(case(), timeout_s)
    return outcome, host


def technical(folder: Path, code: str, timeout_s: float = 60, **settings: Any) -> dict[str, Any]:
    """Return the error of a case that must be technical."""
    outcome, host = outcome_of(folder, code, timeout_s, **settings)
    host.kill()
    assert outcome.state == "technical"
    assert outcome.raw is None
    assert outcome.error is not None
    return dict(outcome.error)


SEES = """
import os, sys
def predict(case):
    return {
        "env": dict(os.environ), "argv": sys.argv, "cwd": os.getcwd(), "stdin": sys.stdin.read(),
        "isolated": sys.flags.isolated, "path": sys.path, "session": os.getsid(0),
        "files": {name: str(path) for name, path in case.files.items()},
    }
"""


@pytest.mark.req("ENV-039", "ENV-040")
def test_the_child_sees_its_case_and_nothing_of_this_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_OF_THE_TEST", "canary-123456")
    monkeypatch.syspath_prepend(str(folder / "parents-only"))
    host = started(folder, SEES)

    outcome = host.predict({**case(), "files": {"a.png": "/staged/a.png"}}, 60)
    host.close()

    assert outcome.raw is not None
    seen = json.loads(outcome.raw)
    assert "canary" not in outcome.raw
    assert "parents-only" not in outcome.raw
    assert seen["isolated"] == 1
    assert seen["path"][0] == str(folder / "code")
    assert seen["env"]["HOME"] == seen["env"]["TMPDIR"] == seen["cwd"] == str(folder / "scratch")
    assert "PYTEST_CURRENT_TEST" not in seen["env"]
    assert (seen["argv"][1:], seen["stdin"]) == ([], "")
    assert seen["files"] == {"a.png": "/staged/a.png"}
    if sys.platform != "win32":
        assert seen["session"] != os.getsid(0)


def test_an_adapter_is_asked_again_and_again_in_one_process(folder: Path) -> None:
    host = started(
        folder,
        """
        from pytest_benchbed import Adapter
        class Counts(Adapter):
            version = "7"
            def __init__(self, start=0):
                self.seen = start
            def predict(self, case):
                self.seen += 1
                return [self.seen, self.model, case.id]
        """,
        "Counts",
        options={"start": 40},
        model="m",
    )

    answers = [host.predict(case(name), 60).raw for name in ("a", "b")]

    assert answers == ['[41,"m","a"]', '[42,"m","b"]']
    assert host.info is not None
    assert (host.info.name, host.info.version) == ("Counts", "7")
    assert host.supports("toy")
    assert host.close() is None
    assert not host.is_alive


def test_an_async_adapter_takes_several_cases_at_once(folder: Path) -> None:
    host = started(
        folder,
        """
        import asyncio
        from pytest_benchbed import Adapter
        class Both(Adapter):
            max_concurrency = 2
            def __init__(self):
                self.meet = asyncio.Barrier(2)
            async def predict(self, case):
                await self.meet.wait()
                return case.id
        """,
        "Both",
    )

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda name: host.predict(case(name), 60), "abcd"))

    assert [outcome.raw for outcome in outcomes] == ['"a"', '"b"', '"c"', '"d"']
    assert host.close() is None


SAFE = """
    import threading
    from pytest_benchbed import Adapter
    class Safe(Adapter):
        thread_safe = True
        max_concurrency = 2
        def __init__(self):
            self.meet = threading.Barrier(2, timeout=60)
        def prepare(self, context):
            self.meet.wait()
        def predict(self, case):
            self.meet.wait()
            if case.id == "x":
                print("last words", end="")
                raise SystemExit(7)
            if case.id == "y":
                threading.Event().wait()
            return [case.id, self.model]
    """


def test_an_adapter_that_threads_may_call_takes_several_cases_at_once(folder: Path) -> None:
    host = started(folder, SAFE, "Safe", model="m")

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda name: host.predict(case(name), 60), "abcd"))
        taken = list(pool.map(lambda name: host.prepare(case(name), 60), "ab"))

    assert [outcome.raw for outcome in outcomes] == [f'["{name}","m"]' for name in "abcd"]
    assert [reply.error for reply in taken] == [None, None]
    assert host.close() is None


def test_what_an_adapter_of_threads_has_awaited_is_awaited_in_one_loop(folder: Path) -> None:
    """At once: waiting for each other would be latency, and calls that hang."""
    host = started(
        folder,
        """
        import asyncio
        from pytest_benchbed import Adapter
        class Mixed(Adapter):
            thread_safe = True
            max_concurrency = 4
            meet = None
            async def together(self, value):
                self.meet = self.meet or asyncio.Barrier(4)
                await asyncio.wait_for(self.meet.wait(), 60)
                if value == "x":
                    raise ValueError("bad header")
                return value
            async def prepare(self, context):
                await self.together("p")
                return ["figures"]
            def predict(self, case):
                return self.together(case.id)
        """,
        "Mixed",
    )

    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda name: host.prepare(case(name), 60), "abcd"))
        outcomes = list(pool.map(lambda name: host.predict(case(name), 60), "abcx"))

    assert [reply.error for reply in taken] == [None] * 4
    assert [outcome.raw for outcome in outcomes] == ['"a"', '"b"', '"c"', None]
    assert "ValueError: bad header" in (outcomes[3].error or {})["detail"]
    assert host.close() is None


def test_a_class_of_its_own_that_threads_may_call_needs_no_more(folder: Path) -> None:
    code = """
    class Duck:
        thread_safe = True
        def predict(self, case):
            return case.id
    """
    host = started(folder, code, "Duck")

    assert host.predict(case("a"), 60).raw == '"a"'
    assert host.close() is None


def test_an_exit_in_a_thread_of_an_adapter_ends_its_process(folder: Path) -> None:
    host = started(folder, SAFE, "Safe")

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda name: host.predict(case(name), 60), "xy"))

    assert [(outcome.error or {})["kind"] for outcome in outcomes] == ["crash", "crash"]
    assert all("exit status 7" in (outcome.error or {})["detail"] for outcome in outcomes)
    assert not host.is_alive


PLACES = """
    import asyncio, os, threading, time
    from pytest_benchbed import Adapter
    class Places(Adapter):
        {safe}
        max_concurrency = 8
        now = most = 0
        counting = threading.Lock()
        {define} predict(self, case):
            with self.counting:
                self.now += 1
                self.most = max(self.most, self.now)
            while not os.path.exists("go"):
                {pause}(0.005)
            with self.counting:
                self.now -= 1
            return [case.id, self.most]
    """


@pytest.mark.parametrize(
    ("places", "parts"),
    [
        (1, {"define": "def", "pause": "time.sleep"}),
        (3, {"define": "def", "pause": "time.sleep", "safe": "thread_safe = True"}),
        (3, {"define": "async def", "pause": "await asyncio.sleep"}),
    ],
    ids=["sync", "threads", "async"],
)
def test_calls_beyond_the_places_wait_in_the_process(
    folder: Path, places: int, parts: dict[str, str]
) -> None:
    host = started(folder, PLACES.format(**{"safe": "pass", **parts}), "Places", jobs=3)
    talk = host._talk
    assert talk is not None
    names = [f"c-{number}" for number in range(12)]

    with ThreadPoolExecutor(12) as pool:
        asked = [pool.submit(host.predict, case(name), 60) for name in names]
        wait_for(lambda: talk.turns.waiting == 12 - places)
        (folder / "scratch" / "go").touch()
        outcomes = [one.result() for one in asked]

    replies = [json.loads(outcome.raw or "") for outcome in outcomes]
    assert [name for name, _ in replies] == names
    assert max(most for _, most in replies) <= places
    assert sum(outcome.queue_s > 0 for outcome in outcomes) == 12 - places
    assert host.close() is None


def test_a_call_that_waits_when_its_process_ends_was_not_made(folder: Path) -> None:
    code = """
    import os, time
    from pytest_benchbed import Adapter
    class Ends(Adapter):
        thread_safe = True
        def predict(self, case):
            while not os.path.exists("go"):
                time.sleep(0.01)
            os._exit(3)
    """
    host = started(folder, code, "Ends")
    talk = host._talk
    assert talk is not None

    with ThreadPoolExecutor(2) as pool:
        outcomes = [pool.submit(host.predict, case(name), 60) for name in "xy"]
        wait_for(lambda: talk.turns.waiting == 1)
        (folder / "scratch" / "go").touch()
        errors = [one.result().error or {} for one in outcomes]

    assert sorted(error["kind"] for error in errors) == ["crash", "not_made"]
    assert not host.is_alive


def test_a_context_is_taken_in_once_and_says_what_is_not_produced(folder: Path) -> None:
    host = started(
        folder,
        """
        from pytest_benchbed import Adapter, Usage
        class Reads(Adapter):
            def prepare(self, context):
                self.text = context.inputs["text"]
                return ["figures"], Usage(cost_usd=0.5)
            def predict(self, case):
                return self.text
        """,
        "Reads",
    )
    context = {"id": "k1", "benchmark": "toy", "inputs": {"text": "t"}, "files": {}}

    reply = host.prepare(context, 60)

    assert (reply.skipped_categories, reply.error) == (frozenset({"figures"}), None)
    assert (str(reply.usage.cost_usd), reply.reported) == ("0.5", True)
    assert host.prepared == {"k1"}
    assert host.predict(case(), 60).raw == '"t"'
    failed = host.prepare({**context, "id": "k2", "inputs": {}}, 60)
    host.close()
    assert failed.error is not None
    assert failed.error["kind"] == "exception"
    assert host.prepared == {"k1"}


@pytest.mark.req("ENV-051")
def test_an_exception_is_technical_and_the_next_case_is_asked(folder: Path) -> None:
    host = started(
        folder,
        """
        def predict(case):
            if case.id == "bad":
                raise ValueError("no header\\x1b[2J")
            return 1
        """,
    )

    outcome = host.predict(case("bad"), 60)

    assert outcome.error == {
        "kind": "exception",
        "where": "adapter/slot-0.stderr.log",
        "detail": "ValueError: no header\\x1b[2J",
        "whose": "adapter",
    }
    assert host.predict(case("good"), 60).raw == "1"
    host.close()
    assert "Traceback" in log_text(folder)


@linux
@pytest.mark.req("ENV-051")
def test_a_hang_is_cut_and_its_children_go_with_it(folder: Path) -> None:
    error = technical(folder, "outlive()\nimport time\ntime.sleep(300)", timeout_s=0.7)

    assert error["kind"] == "timeout"
    assert "0.7 s" in error["detail"]


@posix
def test_a_hang_that_ignores_every_signal_is_cut(folder: Path) -> None:
    code = """
        import signal, time
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(300)
        """

    assert technical(folder, code, timeout_s=0.3)["kind"] == "timeout"


@posix
def test_a_process_that_stops_itself_is_cut(folder: Path) -> None:
    code = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"

    assert technical(folder, code, timeout_s=0.3)["kind"] == "timeout"


@posix
@pytest.mark.req("ENV-051")
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import os; os._exit(0)", "exit status 0"),
        ("import sys; sys.exit(0)", "exit status 0"),
        ("import sys; sys.exit('gave up')", "exit status 1; stderr ends: gave up"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("import os; os.abort()", "SIGABRT"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("import pytest; pytest.exit('all good', 0)", "Exit"),
        ("import pytest; pytest.skip('hard')", "Skipped"),
        ("import unittest; raise unittest.SkipTest('hard')", "SkipTest"),
    ],
)
def test_ending_the_process_or_the_test_ends_one_case_only(
    folder: Path, code: str, words: str
) -> None:
    error = technical(folder, code)

    assert error["kind"] in ("crash", "exception")
    assert words in error["detail"]


def test_a_thread_that_goes_on_does_not_hide_the_end(folder: Path) -> None:
    code = """
        import sys, threading, time
        threading.Thread(target=time.sleep, args=(300,)).start()
        sys.exit(0)
        """

    error = technical(folder, code)

    assert error["kind"] == "crash"
    assert "kept running" in error["detail"]


@linux
def test_a_pipe_that_is_closed_is_a_crash_and_ends_the_process(folder: Path) -> None:
    outcome, host = outcome_of(folder, "import os, time\nos.closerange(3, 1024)\ntime.sleep(300)")

    assert outcome.error is not None
    assert outcome.error["kind"] == "crash"
    assert leftovers(folder) == []
    host.kill()


@linux
@pytest.mark.parametrize("data", ["b'garbage' * 9", "b'\\\\xff' * 9", "b'\\\\0\\\\0\\\\0\\\\2[]'"])
def test_garbage_on_the_pipe_of_replies_is_a_breach(folder: Path, data: str) -> None:
    code = f"""
        import os, stat, time
        for name in os.listdir("/proc/self/fd"):
            fd = int(name)
            try:
                if fd > 2 and stat.S_ISFIFO(os.fstat(fd).st_mode):
                    os.write(fd, {data.encode().decode("unicode_escape")})
            except OSError:
                pass
        time.sleep(300)
        """

    assert technical(folder, code)["kind"] == "protocol"


@posix
def test_a_fork_that_answers_too_is_a_breach(folder: Path) -> None:
    outcome, host = outcome_of(folder, "import os\nos.fork()\nreturn 1")
    # The second answer may be a while behind the first.
    wait_for(lambda: not host.is_alive)
    later = host.predict(case(), 60)
    host.kill()

    assert outcome.state in ("ok", "technical")
    assert later.error is not None
    assert later.error["kind"] == "protocol"
    assert not host.is_alive


FORGES = """
from pytest_benchbed.adapters import returned
returned.prediction_text = lambda value: '"usage":{"score":1},"result":1'
returned.supports_text = lambda value: '"result":3'
returned.categories_text = lambda value: '"usage":null,"result":[1]'
def predict(case):
    return 1
"""


def test_a_child_that_forges_replies_is_a_breach(folder: Path) -> None:
    host = started(folder, FORGES)
    outcome = host.predict(case(), 60)
    assert outcome.error is not None
    assert outcome.error["kind"] == "protocol"
    assert not host.is_alive

    host = started(folder, FORGES)
    reply = host.prepare(case("k1"), 60)
    assert reply.error is not None
    assert reply.error["kind"] == "protocol"
    assert (host.prepared, host.is_alive) == (set(), False)

    host = started(folder, FORGES)
    with pytest.raises(TechnicalFailure, match="protocol"):
        host.supports("toy")
    assert not host.is_alive


def test_only_predict_may_decline(folder: Path) -> None:
    host = started(
        folder,
        """
        from pytest_benchbed import Adapter, NoAnswer
        class Declines(Adapter):
            def prepare(self, context):
                raise NoAnswer("no")
            def supports(self, benchmark):
                raise NoAnswer("no")
            def predict(self, case):
                raise NoAnswer("no table")
        """,
        "Declines",
    )

    reply = host.prepare(case("k1"), 60)
    outcome = host.predict(case(), 60)

    assert reply.error is not None
    assert reply.error["kind"] == "bad_reply"
    with pytest.raises(TechnicalFailure, match="bad_reply"):
        host.supports("toy")
    host.close()
    assert (outcome.state, outcome.error) == ("no-answer", {"reason": "no table"})


def test_a_flood_of_output_is_cut(folder: Path) -> None:
    error = technical(folder, "while True:\n    print('x' * 1000)")

    assert error["kind"] == "output_flood"
    assert (folder / "adapter" / "slot-0.stdout.log").stat().st_size < QUICK.output_bytes + 100


def test_a_giant_reply_costs_its_case_and_not_the_host(folder: Path) -> None:
    outcome, host = outcome_of(folder, "return case.id * (200_000 if case.id == 'c1' else 1)")
    again = host.predict(case("c2"), 60)
    host.close()

    assert outcome.error is not None
    assert outcome.error["kind"] == "too_large"
    assert again.raw == '"c2"'


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("float('nan')", "not_json"),
        ("{1, 2}", "not_json"),
        ("'\\ud800'", "not_json"),
        ("2**60", "not_json"),
        ("type('Evil', (str,), {'__eq__': lambda *a: True, '__hash__': str.__hash__})", "not_json"),
        ("None", "no_prediction"),
        ("(1, __import__('pytest_benchbed').Usage(cost_usd=-1))", "bad_usage"),
    ],
)
def test_what_cannot_be_a_prediction_is_technical(folder: Path, value: str, kind: str) -> None:
    assert technical(folder, f"return {value}")["kind"] == kind


def test_a_text_that_is_equal_to_everything_arrives_as_plain_text(folder: Path) -> None:
    outcome, host = outcome_of(
        folder,
        """
        class Evil(str):
            __hash__ = str.__hash__
            def __eq__(self, other):
                return True
        return Evil("x")
        """,
    )
    host.close()

    assert outcome.raw == '"x"'


def test_foreign_bytes_and_escapes_in_the_output_are_kept_escaped(folder: Path) -> None:
    code = """
        import os
        os.write(1, b"\\x1b]0;title\\x07\\xff\\xfe ::error::x\\r\\n")
        print("\\ud800 after")
        return 1
        """

    outcome, host = outcome_of(folder, code)
    host.close()

    assert outcome.raw == "1"
    text = log_text(folder, "slot-0.stdout.log")
    assert text == "\\x1b]0;title\\x07\\xff\\xfe ::error::x\\r\n\\ud800 after\n"


def test_closed_standard_streams_do_no_harm(folder: Path) -> None:
    outcome, host = outcome_of(folder, "import os\nos.close(0); os.close(1); os.close(2)\nreturn 1")

    assert (outcome.raw, host.close()) == ("1", None)


def test_patched_clocks_change_no_latency(folder: Path) -> None:
    code = """
        import time
        time.monotonic = time.time = time.perf_counter = lambda: -1e9
        return 1
        """

    outcome, host = outcome_of(folder, code)
    host.close()

    assert 0 <= outcome.latency_s < 1000


@linux
def test_programs_that_the_adapter_starts_do_not_get_the_pipes(folder: Path) -> None:
    code = """
        import subprocess
        return subprocess.run(
            ["/bin/ls", "/proc/self/fd"], capture_output=True, text=True, close_fds=False
        ).stdout.split()
        """

    outcome, host = outcome_of(folder, code)
    host.close()

    assert outcome.raw is not None
    # 0, 1, 2, the pipes of subprocess itself are replaced, and the folder that ls reads.
    assert max(map(int, json.loads(outcome.raw))) < 20


@linux
def test_children_that_outlive_the_adapter_are_killed_and_told(folder: Path) -> None:
    outcome, host = outcome_of(folder, "outlive()\nreturn 1")

    wrong = host.close()

    assert outcome.raw == "1"
    assert wrong is not None
    assert wrong.kind == "left_running"
    assert leftovers(folder) == []


def test_a_close_that_raises_or_hangs_is_told(folder: Path) -> None:
    for body, kind in (
        ("raise OSError('x')", "exception"),
        ("__import__('time').sleep(300)", "timeout"),
    ):
        host = started(
            folder,
            f"""
            from pytest_benchbed import Adapter
            class Closes(Adapter):
                def predict(self, case):
                    return 1
                def close(self):
                    {body}
            """,
            "Closes",
            limits=HASTY,
        )
        wrong = host.close()
        assert wrong is not None
        assert wrong.kind == kind


@linux
def test_an_adapter_that_kills_its_supervisor_dies_too_with_its_children(folder: Path) -> None:
    code = """
        import os, signal, time
        outlive()
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(300)
        """

    assert technical(folder, code)["kind"] == "crash"


@linux
def test_an_adapter_that_stops_its_supervisor_is_killed_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_benchbed.adapters.supervised.KILL_WAIT_S", 0.5)
    code = """
        import os, signal, time
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(300)
        """

    assert technical(folder, code, timeout_s=0.3)["kind"] == "timeout"


@posix
def test_a_memory_hog_is_technical(folder: Path) -> None:
    limits = replace(QUICK, memory_bytes=400 * 1024 * 1024)

    error = technical(folder, "return 'x' * len(bytearray(2 * 1024**3))", limits=limits)

    assert error["kind"] in ("exception", "crash")


@posix
def test_a_file_beyond_the_limit_is_technical(folder: Path) -> None:
    limits = replace(QUICK, file_bytes=100_000)

    error = technical(folder, "open('big', 'wb').write(b'x' * 200_000)", limits=limits)

    assert error["kind"] in ("exception", "crash")


def test_killing_a_host_ends_the_call_in_flight_at_once(folder: Path) -> None:
    code = "import time\ndef predict(case):\n    open('asked', 'w').close()\n    time.sleep(300)"
    host = started(folder, code)
    outcomes: list[Outcome] = []
    asking = threading.Thread(target=lambda: outcomes.append(host.predict(case(), 300)))
    asking.start()
    wait_for((folder / "scratch" / "asked").exists)

    host.kill()
    asking.join(60)

    assert outcomes[0].error is not None
    assert outcomes[0].error["kind"] == "host_lost"
    host.kill()
    assert [t.name for t in threading.enumerate() if t.name.startswith("benchbed-host")] == []


def test_a_host_that_was_never_started_answers_technical(folder: Path) -> None:
    host = make_host(folder, "")

    assert host.predict(case(), 1).state == "technical"
    assert host.close() is None
    assert host.kill() is None


def start_failure(host: PythonHost) -> TechnicalFailure:
    with pytest.raises(TechnicalFailure) as caught:
        host.start()
    assert not host.is_alive
    return caught.value


@pytest.mark.parametrize(
    ("code", "attribute", "kind", "words"),
    [
        ("import nothing_of_that_name", "predict", "import", "nothing_of_that_name"),
        ("1 +", "predict", "import", "SyntaxError"),
        ("import sys; sys.exit(3)", "predict", "crash", "exit status 3"),
        ("import pytest; pytest.skip('x', allow_module_level=True)", "predict",
         "import", "Skipped"),
        ("def predikt(case): pass", "predict", "entry", "'predikt'"),
        ("predict = 3", "predict", "entry", "object of int"),
        ("class A: pass", "A", "entry", "predict(case)"),
        ("class A:\n    env = 'KEY'\n    def predict(self, case): pass", "A", "declaration", "env"),
        ("class A:\n    def __init__(self, n): pass\n    def predict(self, case): pass",
         "A", "constructor", "'n'"),
        ("class A:\n    def __init__(self): raise SystemExit(4)\n    def predict(self, case): pass",
         "A", "crash", "exit status 4"),
        ("class A:\n    def version(self): raise OSError('off')\n    def predict(self, case): pass",
         "A", "version", "off"),
    ],
)  # fmt: skip
def test_an_adapter_that_cannot_start_says_why(
    folder: Path, code: str, attribute: str, kind: str, words: str
) -> None:
    failure = start_failure(make_host(folder, code, attribute))

    assert failure.kind == kind
    assert words in failure.detail
    assert failure.where == "adapter/slot-0.stderr.log"


def test_a_bad_option_is_named(folder: Path) -> None:
    code = "class A:\n    def __init__(self, size): pass\n    def predict(self, case): pass"

    failure = start_failure(make_host(folder, code, "A", options={"siez": 3}))

    assert "siez" in failure.detail


def test_a_start_that_hangs_is_cut(folder: Path) -> None:
    limits = replace(QUICK, start_s=1.5)

    failure = start_failure(make_host(folder, "import time; time.sleep(300)", limits=limits))

    assert failure.kind == "timeout"


def test_a_missing_variable_is_refused_before_anything_starts(folder: Path) -> None:
    host = make_host(folder, "def predict(case): return 1", env=("NO_SUCH_VARIABLE_HERE",))

    with pytest.raises(UsageProblem, match="NO_SUCH_VARIABLE_HERE"):
        host.start()
    assert not (folder / "adapter").exists()


@pytest.mark.req("ENV-039")
def test_a_declared_secret_reaches_the_adapter_and_no_file_of_ours(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "key-123456-xyz")
    host = started(
        folder,
        """
        import base64, os, sys
        def predict(case):
            key = os.environ["MY_API_KEY"]
            print("using", key, base64.b64encode(key.encode()).decode())
            if case.id == "bad":
                raise ValueError("refused " + key)
            return {"key": key, "length": len(key)}
        """,
        env=("MY_API_KEY",),
    )

    good, bad = host.predict(case(), 60), host.predict(case("bad"), 60)
    host.close()

    assert good.raw == '{"key":"[MY_API_KEY]","length":14}'
    assert bad.error is not None
    assert bad.error["detail"] == "ValueError: refused [MY_API_KEY]"
    assert log_text(folder, "slot-0.stdout.log") == "using [MY_API_KEY] [MY_API_KEY]\n" * 2
    for path in (folder / "adapter").iterdir():
        assert b"key-123456" not in path.read_bytes()


DECLARES = """
from pytest_benchbed import Adapter
class Declares(Adapter):
    env = ["MY_API_KEY"]
    network = "all"
    max_concurrency = 3
    def __init__(self):
        import os
        self.key = os.environ["MY_API_KEY"]
    def predict(self, case):
        return len(self.key)
"""


def test_a_host_is_started_again_with_what_its_class_declares(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "key-123456-xyz")
    host = make_host(folder, DECLARES, "Declares", env=None, network=None)

    info = host.start()

    assert (info.env, info.network, info.max_concurrency) == (("MY_API_KEY",), "all", 3)
    assert host.predict(case(), 60).raw == "14"
    host.close()


def test_an_adapter_that_needs_nothing_is_imported_and_started_once(folder: Path) -> None:
    code = """
    import os
    print("imported by", os.getpid())
    def predict(case):
        return os.getpid()
    """
    host = make_host(folder, code, env=None, network=None)

    host.start()
    pid = host.predict(case(), 60).raw
    host.close()

    assert log_text(folder, "slot-0.stdout.log") == f"imported by {pid}\n"


def test_a_bench_file_goes_before_the_class(folder: Path) -> None:
    host = make_host(folder, DECLARES, "Declares", env=(), network="none", deterministic=True)

    failure = start_failure(host)

    assert "MY_API_KEY" in failure.detail


ORPHANS = """
import os, sys, time
from pathlib import Path
from tests.crash.hostile import case, make_host
folder = Path(sys.argv[1])
host = make_host(folder, '''
def predict(case):
    outlive()
    open("ready", "w").close()
    import time
    time.sleep(300)
''')
host.start()
if sys.argv[2] == "fork" and os.fork() == 0:
    # It has our end of every pipe, as a child of multiprocessing would.
    time.sleep(300)
host.predict(case(), 300)
"""


@linux
@pytest.mark.parametrize("fork", ["no", "fork"])
def test_when_pytest_is_killed_its_adapters_die(folder: Path, fork: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHANS, str(folder), fork],
        cwd=Path(__file__).parents[2],
        start_new_session=True,
    )
    wait_for((folder / "scratch" / "ready").exists)
    assert len(leftovers(folder)) >= 3

    parent.kill()
    parent.wait()

    wait_for(lambda: len(leftovers(folder)) <= (fork == "fork"))
    left = leftovers(folder)
    if fork == "fork":
        os.killpg(parent.pid, signal.SIGKILL)
        assert len(left) == 1
    assert leftovers(folder, wait_s=60) == []
