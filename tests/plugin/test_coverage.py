"""Nothing ends green while a case of the scope was not compared: selections and holes.

Each session is looked at from all sides: exit status, last line, summary, record,
verdict of every profile, and the exit code of ``benchbed gate``.
"""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line

FILE = "cases/toy/v1/cases.jsonl"
PLUGIN = "def pytest_collection_modifyitems(items):\n    del items[2:]\n"
SWALLOW = """
@pytest.hookimpl(tryfirst=True)
def {hook}(item):
    if item.name == "t-002":
        {how}
"""


@pytest.fixture
def bench(bench: Bench) -> Bench:
    """Four cases, and a saved run that is right everywhere."""
    bench.record("base")
    return bench


def incomplete(bench: Bench, result: pytest.RunResult, compared: int, words: str) -> None:
    """Check what every side says of a run that was not compared as a whole."""
    start = f"benchbed: gate INCOMPLETE: {words}, compared {compared} of 4"
    assert last_line(result).startswith(start), result.stdout.str()
    result.stdout.fnmatch_lines([f"  compared {compared} of 4 · *"])
    record = bench.saved("own").record
    assert record.gate is not None
    assert (record.gate.status, record.counts.scored) == ("incomplete", compared)
    for gate in bench.gates("own").values():
        assert gate["status"] == "incomplete"
        assert (gate["coverage"]["compared"], gate["coverage"]["of"]) == (compared, 4)
    assert bench.gate_code("own") == 4


@pytest.mark.req("ENV-065")
@pytest.mark.parametrize(
    ("words", "hook"),
    [
        (["-k", "t-001 or t-002"], ""),
        ([f"{FILE}::t-001", f"{FILE}::t-002"], ""),
        (["--bench-select=case=t-001", "--bench-select=case=t-002"], ""),
        ([f"--deselect={FILE}::t-003", f"--deselect={FILE}::t-004"], ""),
        ([], PLUGIN),
    ],
    ids=["-k", "ids", "case=", "--deselect", "plugin"],
)
def test_a_part_is_incomplete_and_red_only_where_a_pass_is_required(
    bench: Bench, words: list[str], hook: str
) -> None:
    bench.extend(hook)

    result = bench.run("--baseline=base", "--bench-run=own", *words)
    required = bench.run("--baseline=base", "--bench-require-gate", *words)

    incomplete(bench, result, 2, "2 cases not selected")
    result.stdout.fnmatch_lines(["  not selected 2"])
    assert (result.ret, required.ret) == (0, 1)
    record = bench.saved("own").record
    assert (record.counts.scope, record.counts.selected) == (4, 2)
    assert record.partial
    assert record.status == "completed"
    assert record.holes == []


@pytest.mark.req("ENV-065")
@pytest.mark.parametrize("source", ["ini", "environment"])
def test_an_option_that_deselects_nothing_leaves_a_run_whole(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    if source == "ini":
        bench.pytester.makeini("[pytest]\naddopts = -m 'not slow'\nmarkers = slow: slow\n")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", "-k 'not slow' --deselect=tests")

    result = bench.run("--baseline=base", "--bench-run=own", "--bench-require-gate")

    assert result.ret == 0
    assert last_line(result).endswith("compared 4 of 4")
    assert bench.saved("own").record.partial == []
    assert bench.gate_code("own") == 0


@pytest.mark.parametrize(
    ("hook", "holes"),
    [
        (SWALLOW.format(hook="pytest_runtest_protocol", how="return True"), {"t-002": "no result"}),
        (SWALLOW.format(hook="pytest_runtest_call", how="pytest.skip('slow')"), {"t-002": "slow"}),
        (
            SWALLOW.format(hook="pytest_runtest_setup", how="item.runtest = lambda: None"),
            {"t-002": "no result"},
        ),
        (
            "def pytest_collection_modifyitems(items):\n"
            "    items[1].add_marker(pytest.mark.skip(reason='not today'))\n",
            {"t-002": "not today"},
        ),
        (
            "def pytest_collection_modifyitems(items):\n"
            "    items[1].add_marker(pytest.mark.xfail(run=False, reason='known'))\n",
            {"t-002": "[NOTRUN] known"},
        ),
        (
            "@pytest.fixture(autouse=True)\n"
            "def broken(request):\n"
            "    assert request.node.name != 't-002'\n",
            {"t-002": "fixture error"},
        ),
        (
            "def pytest_runtest_teardown(item):\n"
            "    if item.name == 't-002':\n"
            "        item.session.shouldfail = 'time is up'\n",
            {"t-003": "not run: time is up", "t-004": "not run: time is up"},
        ),
        (
            "@pytest.hookimpl(trylast=True)\n"
            "def pytest_collection_finish(session):\n"
            "    session.items = session.items[1:]\n",
            {"t-001": "no result"},
        ),
        (
            "@pytest.hookimpl(tryfirst=True)\ndef pytest_runtestloop(session):\n    return True\n",
            {f"t-00{number}": "no result" for number in range(1, 5)},
        ),
    ],
    ids=[
        "protocol", "call", "runtest", "skip", "norun", "fixture", "stop", "items", "loop",
    ],
)  # fmt: skip
def test_a_case_that_another_plugin_kept_from_its_result_is_a_named_hole(
    bench: Bench, hook: str, holes: dict[str, str]
) -> None:
    bench.extend(hook)

    result = bench.run("--baseline=base", "--bench-run=own")

    count = f"{len(holes)} case{'s' if len(holes) > 1 else ''}"
    incomplete(bench, result, 4 - len(holes), f"{count} without a result ({', '.join(holes)})")
    assert result.ret == 1
    record = bench.saved("own").record
    assert {hole.case: hole.reason for hole in record.holes} == holes
    assert (record.status, record.partial) == ("interrupted", [])
    assert bench.gates("own")["main"]["coverage"]["holes"] == list(holes)
    for reason in set(holes.values()):
        assert f"  no result: {reason} (" in result.stdout.str()


@pytest.mark.parametrize(
    ("words", "status"), [(["-x"], 1), (["--maxfail=1", "--bench-require-gate"], 1)]
)
def test_a_stop_after_a_failure_names_what_was_left(
    bench: Bench, words: list[str], status: int
) -> None:
    bench.answers({"t-002": {"main": ["cell"], "side": ["cell"]}})

    result = bench.run("--baseline=base", "--bench-run=own", "--bench-jobs=1", *words)

    incomplete(bench, result, 2, "2 cases without a result (t-003, t-004)")
    assert "1 regression so far (t-002)" in last_line(result)
    assert result.ret == status
    reasons = {hole.reason for hole in bench.saved("own").record.holes}
    assert reasons == {"not run: stopping after 1 failures"}


def test_a_test_that_ends_the_session_with_status_0_ends_it_red(bench: Bench) -> None:
    bench.extend(SWALLOW.format(hook="pytest_runtest_call", how="pytest.exit('bye', returncode=0)"))

    result = bench.run("--baseline=base", "--bench-run=own", "-q")

    incomplete(bench, result, 1, "3 cases without a result (t-002, t-003, t-004)")
    assert result.ret == 1


@pytest.mark.parametrize("order", ["tryfirst", "trylast"])
def test_a_later_plugin_does_not_turn_a_red_gate_green(bench: Bench, order: str) -> None:
    bench.extend(
        SWALLOW.format(hook="pytest_runtest_protocol", how="return True")
        + f"@pytest.hookimpl({order}=True)\n"
        "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
    )

    result = bench.run("--baseline=base", "--bench-run=own")

    incomplete(bench, result, 3, "1 case without a result (t-002)")
    assert result.ret == 1


@pytest.mark.parametrize(
    ("words", "hook"),
    [
        ([FILE, "cases/toy/v1", "--keep-duplicates"], ""),
        ([f"{FILE}::t-001", FILE], ""),
        ([], "def pytest_collection_modifyitems(items):\n    items.append(items[0])\n"),
    ],
    ids=["--keep-duplicates", "id and file", "plugin"],
)
def test_an_item_that_runs_twice_is_one_case_asked_once(
    bench: Bench, words: list[str], hook: str
) -> None:
    bench.extend(hook)

    result = bench.run("--baseline=base", "--bench-run=own", *words)

    assert result.ret == 0
    assert last_line(result).endswith("compared 4 of 4")
    assert bench.saved("own").record.counts.selected == 4
    assert sorted(bench.calls()) == ["t-001", "t-002", "t-003", "t-004"]


def test_one_item_in_the_place_of_another_leaves_that_one_out(bench: Bench) -> None:
    bench.extend("def pytest_collection_modifyitems(items):\n    items[1] = items[0]\n")

    result = bench.run("--baseline=base", "--bench-run=own")

    incomplete(bench, result, 3, "1 case not selected")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ([".", "-k", "test_user"], 0),
        ([".", "-k", "test_user", "--bench-require-gate"], 1),
        (["test_user.py::test_user", "--bench-require-gate"], 1),
        ([".", "--ignore=cases"], 1),
        ([".", "-o", "norecursedirs=v1 cases"], 1),
    ],
)
def test_no_case_among_other_tests_is_no_pass(bench: Bench, words: list[str], status: int) -> None:
    (bench.path / "test_user.py").write_text("def test_user():\n    pass\n", "utf-8")

    result = bench.run("--baseline=base", *words)

    result.assert_outcomes(passed=1, deselected=4 if "-k" in words else 0)
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: toy: no case was ")
    assert result.ret == status
    assert bench.runs() == ["base"]


@pytest.mark.parametrize("name", ["controller", "last-line", "item-reports", "collector"])
def test_a_part_of_the_gate_is_not_taken_away(bench: Bench, name: str) -> None:
    result = bench.run("--baseline=base", "-p", f"no:benchbed-{name}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*-p no:benchbed-{name} takes a part of the gate away*"])
    assert bench.calls() == []
