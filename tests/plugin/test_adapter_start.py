"""An adapter that cannot start: one message, no item, a run that goes on once it is repaired."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line

WHY = "adapter toy_adapter:Toy cannot be started: *No module named 'not_installed'*"


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    """A benchmark of three cases whose adapter imports what is not there."""
    return broken(Bench(pytester).make(3))


def broken(bench: Bench) -> Bench:
    path = bench.path / "toy_adapter.py"
    path.write_text(f"import not_installed\n{path.read_text('utf-8')}", "utf-8")
    return bench


@pytest.mark.req("ENV-051")
@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "n2"])
def test_it_ends_the_session_with_one_message_and_the_run_goes_on_repaired(
    bench: Bench, workers: tuple[str, ...]
) -> None:
    result = bench.run("--bench-run=own", "--bench-unpaired", *workers)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes()
    result.stdout.fnmatch_lines([f"*{WHY}Go on with --bench-resume=own*"])
    assert last_line(result).startswith("benchbed: gate BLOCKED: technical failure of the run")
    blocked = bench.saved("own").record
    assert (blocked.counts.scored, blocked.counts.technical, blocked.counts.holes) == (0, 0, 3)
    if workers:
        return

    bench.answers({"t-002": ["cell"]}, version="2")
    again = bench.run("--bench-resume=own", "--bench-unpaired")

    again.assert_outcomes(passed=2, xfailed=1)
    repaired = bench.saved("own").record
    assert (repaired.status, repaired.adapter.version, repaired.technical) == ("completed", "2", [])
    assert repaired.adapter.code_sha256 != blocked.adapter.code_sha256
    # From here on it is a record of that code, and of no other.
    bench.answers(version="3", delay=0.001)
    assert "its adapter code is" in bench.run("--bench-resume=own").stderr.str()


def test_an_option_that_was_mistyped_may_be_corrected_on_the_way(bench: Bench) -> None:
    bench.answers()
    first = bench.run("--bench-run=own", "--bench-unpaired", "--bench-adapter-option=varaint=x")
    again = bench.run("--bench-resume=own", "--bench-unpaired", "--bench-adapter-option=variant=x")

    first.assert_outcomes()
    assert "'varaint'" in first.stdout.str()
    again.assert_outcomes(passed=3)
    assert bench.saved("own").record.adapter.options == {"variant": "x"}
    assert '"variant":"x"' in (bench.path / "runs/own/adapter-request.json").read_text("utf-8")


def test_tests_of_the_user_and_answers_on_record_are_not_lost(bench: Bench) -> None:
    (bench.path / "test_own.py").write_text("def test_own():\n    pass\n", "utf-8")
    mixed = bench.run("--bench-unpaired", "test_own.py", "cases")
    mixed.assert_outcomes(passed=1, errors=3)

    bench.answers({"t-003": "crash"})
    path = bench.path / "toy_adapter.py"
    stop = "        if os.path.exists('down'):\n            raise OSError('no database')\n"
    head = 'def __init__(self, variant="default"):\n'
    path.write_text(path.read_text("utf-8").replace(head, head + stop), "utf-8")
    bench.run("--bench-run=own", "--bench-unpaired")
    (bench.path / "down").touch()
    again = bench.run("--bench-resume=own", "--bench-unpaired")

    again.assert_outcomes(passed=2, errors=1)
    assert bench.saved("own").record.counts.scored == 2
