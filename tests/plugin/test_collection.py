"""Cases as items: user fixtures, markers, run directories."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line


def test_module_scoped_autouse_fixtures_of_a_user_work(bench: Bench, workers: list[str]) -> None:
    conftest = bench.path / "conftest.py"
    conftest.write_text(
        conftest.read_text("utf-8")
        + """
@pytest.fixture(scope="module", autouse=True)
def whole_file(request):
    assert request.module.__file__.endswith("cases.jsonl")

@pytest.fixture(autouse=True)
def each(tmp_path):
    assert tmp_path.exists()
""",
        "utf-8",
    )

    result = bench.run(*workers)

    result.assert_outcomes(passed=4)


def test_a_fixture_that_fails_spends_nothing_and_leaves_a_hole(bench: Bench) -> None:
    bench.record("base")
    conftest = bench.path / "conftest.py"
    conftest.write_text(
        conftest.read_text("utf-8")
        + """
@pytest.fixture(autouse=True)
def picky(request):
    assert request.node.name != "t-002"
""",
        "utf-8",
    )

    result = bench.run("--baseline=base", "--bench-jobs=1", "--bench-run=holed")

    result.assert_outcomes(passed=3, errors=1)
    assert last_line(result).startswith("benchbed: gate INCOMPLETE: ")
    record = bench.saved("holed").record
    assert [(hole.case, hole.reason) for hole in record.holes] == [("t-002", "fixture error")]
    assert record.status == "interrupted"


def test_cases_carry_one_marker_that_m_understands(bench: Bench) -> None:
    bench.pytester.makepyfile("def test_unit():\n    assert True\n")

    only = bench.run(".", "-m", "benchbed", "--strict-markers")
    without = bench.run(".", "-m", "not benchbed")

    only.assert_outcomes(passed=4, deselected=1)
    without.assert_outcomes(passed=1, deselected=4)


def test_k_knows_tags_and_categories(pytester: pytest.Pytester) -> None:
    bench = Bench(pytester).make(rows={"t-002": {"tags": ["spanish"], "category": "ruled"}})

    by_tag = bench.run("-k", "spanish")
    by_category = bench.run("-k", "ruled")

    by_tag.assert_outcomes(passed=1, deselected=3)
    by_category.assert_outcomes(passed=1, deselected=3)


@pytest.mark.parametrize("typed", [[], ["--bench=toy"]], ids=["bare", "bench"])
def test_a_conftest_that_an_adapter_left_in_a_run_never_runs(
    bench: Bench, typed: list[str]
) -> None:
    run = bench.record("base")
    (run.path / "adapter" / "conftest.py").write_text("raise SystemExit('planted')\n", "utf-8")
    (run.path / "adapter" / "test_planted.py").write_text("def test_planted(): pass\n", "utf-8")
    bench.pytester.makepyfile("def test_unit():\n    assert True\n")

    result = bench.pytest("--bench-adapter=toy_adapter:Toy", *typed, ".")

    result.assert_outcomes(passed=5 if typed else 1)


def test_results_of_cases_reach_observers_once(bench: Bench, workers: list[str]) -> None:
    conftest = bench.path / "conftest.py"
    conftest.write_text(
        conftest.read_text("utf-8")
        + """
def pytest_benchbed_case_scored(config, result):
    with open(config.rootpath / "seen.txt", "a") as file:
        file.write(result["benchmark"] + " " + result["case"] + "\\n")

def pytest_benchbed_run_finished(config, run):
    with open(config.rootpath / "seen.txt", "a") as file:
        file.write("finished " + run.record.status + "\\n")
""",
        "utf-8",
    )

    bench.run(*workers)

    seen = (bench.path / "seen.txt").read_text("utf-8").splitlines()
    assert sorted(seen[:-1]) == [f"toy t-00{number}" for number in range(1, 5)]
    assert seen[-1] == "finished completed"


def test_a_case_outside_the_root_folder_has_one_id_however_it_is_named(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a wheel: an IDE discovers the ids by the options and runs one by its path."""
    root = bench.path / "repository"
    root.mkdir()
    (bench.dataset.parent / "bench.json").write_text('{"type": "fields"}', "utf-8")
    (root / "pytest.ini").write_text("[pytest]\nbench_paths = ../cases\n", "utf-8")
    # The benchmark comes from its bench file here.
    (bench.path / "conftest.py").unlink()
    monkeypatch.chdir(root)
    file = bench.dataset / "cases.jsonl"
    ways = [
        ["--bench=toy", "--bench-select=case=t-001"],
        [f"{file}::t-001"],
        ["--bench=toy", "../cases/toy/v1/cases.jsonl::t-001"],
        [str(bench.dataset), "--bench-select=case=t-001"],
        [str(bench.dataset.parent), "--bench-select=case=t-001"],
    ]

    for words in ways:
        listed = bench.pytest(f"--rootdir={root}", f"-c{root / 'pytest.ini'}", "--co", "-q", *words)

        ids = [line for line in listed.outlines if "::" in line]
        assert ids == ["cases/toy/v1/cases.jsonl::t-001"], words
