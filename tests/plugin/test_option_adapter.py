"""``--bench-adapter`` and ``--bench-adapter-option``: names, functions, executables."""

from __future__ import annotations

import json

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.programs import posix_only
from tests.plugin.programs import write_executable

FUNCTION = """
def predict(case):
    return {"main": ["cell"] if case.id == "t-003" else [], "side": []}
"""


def test_an_unknown_adapter_is_refused_with_the_nearest(bench: Bench) -> None:
    result = bench.pytest("--bench=toy", "--bench-adapter=referense")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*unknown adapter*referense*Did you mean 'reference'*"])
    assert bench.runs() == []


@pytest.mark.parametrize(
    ("adapter", "words"),
    [("toy_adaptor:Toy", "*toy_adaptor*"), ("./missing", "*missing*")],
)
def test_an_adapter_that_is_nowhere_is_refused(bench: Bench, adapter: str, words: str) -> None:
    result = bench.pytest("--bench=toy", f"--bench-adapter={adapter}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([words])
    assert bench.runs() == []


def test_a_name_that_the_module_lacks_blocks_and_says_so(bench: Bench) -> None:
    result = bench.pytest("--bench=toy", "--bench-adapter=toy_adapter:Tou")

    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.USAGE_ERROR)
    assert "Tou" in result.stdout.str() + result.stderr.str()
    assert bench.calls() == []


@pytest.mark.req("ENV-003")
def test_a_plain_function_is_an_adapter(bench: Bench) -> None:
    (bench.path / "mine.py").write_text(FUNCTION, "utf-8")

    result = bench.pytest("--bench=toy", "--bench-adapter=mine:predict", "--bench-run=own")

    result.assert_outcomes(passed=3, failed=1)
    adapter = bench.saved("own").record.adapter
    assert (adapter.name, adapter.kind) == ("mine:predict", "class")


@posix_only
@pytest.mark.req("ENV-040", "ENV-045", "ENV-046")
def test_an_executable_is_run_once_for_the_selected_cases(bench: Bench, workers: list[str]) -> None:
    write_executable(bench, 'predictions["t-002"]["main"] = ["cell"]')

    result = bench.pytest(
        "--bench=toy", "--bench-adapter=./system", "--bench-run=own", "-k", "not t-004", *workers
    )

    result.assert_outcomes(passed=2, failed=1)
    run = bench.saved("own")
    assert run.record.adapter.kind == "executable"
    request = json.loads(run.paths.request.read_text("utf-8"))
    assert [case["id"] for case in request["cases"]] == ["t-001", "t-002", "t-003"]


@posix_only
@pytest.mark.req("ENV-044", "ENV-047", "ENV-048", "ENV-049", "ENV-051")
@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ("text = '{\"t-001\": {}, ' + json.dumps(predictions)[1:]", "duplicate_case"),
        ("predictions['t-999'] = {}", "extra_case"),
        ("text = 'not json'", "*"),
        ("result['score'] = 1", "result_record"),
        ("system['execution_failures'] = 1", "execution_failures"),
        ("system['unpriced_attempts'] = 1", "unpriced_attempts"),
        ("sys.exit(3)", "crash"),
        ("sys.exit(0)", "no_result"),
    ],
)
def test_a_broken_batch_result_blocks_the_whole_run(bench: Bench, how: str, kind: str) -> None:
    write_executable(bench, how)

    result = bench.pytest("--bench=toy", "--bench-adapter=./system", "--bench-run=own")

    result.assert_outcomes(errors=4)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    run = bench.saved("own")
    assert [row["state"] for row in run.results()] == ["technical"] * 4
    kinds = {entry.kind for entry in run.record.technical if entry.case is None}
    assert kinds
    assert kind == "*" or kind in kinds
    assert run.record.spend.spent_usd is None or kind != "unpriced_attempts"


@posix_only
@pytest.mark.req("ENV-047", "ENV-050", "ENV-051")
@pytest.mark.parametrize(
    "how", ["del predictions['t-002']", "predictions['t-002'] = ['no object']"]
)
def test_a_missing_or_malformed_prediction_is_technical_for_its_case(
    bench: Bench, how: str
) -> None:
    write_executable(bench, how)

    result = bench.pytest("--bench=toy", "--bench-adapter=./system", "--bench-run=own")

    outcomes = result.parseoutcomes()
    assert outcomes["passed"] == 3
    assert outcomes.get("errors", 0) + outcomes.get("failed", 0) == 1
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    states = {row["case"]: row["state"] for row in bench.saved("own").results()}
    assert [case for case, state in states.items() if state == "technical"] == ["t-002"]


@pytest.mark.req("ENV-053")
@posix_only
def test_the_budget_stands_in_the_request_of_an_executable(bench: Bench) -> None:
    write_executable(bench, "system['cost_usd'] = 2")

    result = bench.pytest(
        "--bench=toy", "--bench-adapter=./system", "--bench-budget=1.5", "--bench-run=own"
    )

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    run = bench.saved("own")
    assert json.loads(run.paths.request.read_text("utf-8"))["budget_usd"] == 1.5
    assert "over_budget" in {entry.kind for entry in run.record.technical}
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")


def test_a_declared_variable_that_is_unset_is_refused_and_leaves_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOY_KEY", raising=False)
    code = (bench.path / "toy_adapter.py").read_text("utf-8")
    code = code.replace("    version =", '    env = ("TOY_KEY",)\n    version =', 1)
    (bench.path / "toy_adapter.py").write_text(code, "utf-8")

    result = bench.run()

    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.USAGE_ERROR)
    assert "TOY_KEY, which is not set" in result.stdout.str() + result.stderr.str()
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    assert bench.calls() == []
    assert [path.name for path in (bench.path / "runs").glob("*") if path.is_dir()] == []


@posix_only
def test_a_variable_of_the_bench_file_that_is_unset_is_refused_for_an_executable(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOY_KEY", raising=False)
    write_executable(bench)
    fields = {"adapters": {"mine": {"entry": str(bench.path / "system"), "env": ["TOY_KEY"]}}}
    (bench.dataset.parent / "bench.json").write_text(json.dumps(fields), "utf-8")

    result = bench.pytest("--bench=toy", "--bench-adapter=mine", "--bench-run=own")

    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.USAGE_ERROR)
    assert "TOY_KEY, which is not set" in result.stdout.str() + result.stderr.str()
    assert not (bench.path / "runs" / "own").exists()


@pytest.mark.req("ENV-041")
def test_options_reach_constructor_request_and_record(bench: Bench) -> None:
    result = bench.run("--bench-adapter-option=variant=baseline", "--bench-run=own")

    assert result.ret == pytest.ExitCode.OK
    run = bench.saved("own")
    assert run.record.adapter.options == {"variant": "baseline"}
    request = json.loads(run.paths.request.read_text("utf-8"))
    assert request["options"] == {"variant": "baseline"}


@pytest.mark.parametrize("text", ["variant", "=x", "variant={a: 1}"])
def test_an_option_of_bad_form_is_refused(bench: Bench, text: str) -> None:
    result = bench.run(f"--bench-adapter-option={text}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{text}*"])
    assert bench.runs() == []


def test_an_option_that_the_constructor_does_not_know_is_named(bench: Bench) -> None:
    result = bench.run("--bench-adapter-option=varient=x")

    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.USAGE_ERROR)
    assert "varient" in result.stdout.str() + result.stderr.str()
    assert bench.calls() == []
