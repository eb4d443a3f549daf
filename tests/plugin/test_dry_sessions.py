"""Sessions that only look: nothing is started, written, spent or judged."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench


@pytest.mark.req("ENV-103")
@pytest.mark.parametrize(
    "words",
    [
        "--collect-only", "--setup-only", "--setup-plan", "--fixtures", "--fixtures-per-test",
        "--collect-only -n2", "--setup-only -n2",
    ],
)  # fmt: skip
def test_no_call_no_file_no_verdict(bench: Bench, words: str) -> None:
    result = bench.run(*words.split())

    assert result.ret == pytest.ExitCode.OK
    assert bench.calls() == []
    assert not (bench.path / "runs").exists()
    result.stdout.no_fnmatch_line("benchbed: gate*")


@pytest.mark.req("ENV-103")
def test_the_header_of_collect_only_is_the_full_command(bench: Bench) -> None:
    bench.record("base")

    result = bench.run("--collect-only", "--baseline=base", "--bench-adapter-option=variant=x y")

    result.stdout.fnmatch_lines(
        [
            "benchbed: stands for: pytest --bench=toy --bench-dataset=toy-v1 "
            "--bench-adapter=toy_adapter:Toy '--bench-adapter-option=variant=x y' "
            "--baseline=runs/base --bench-gate=main --bench-rule=auto*"
        ]
    )


def test_a_session_without_benchmarks_has_not_a_word_of_ours(bench: Bench) -> None:
    bench.pytester.makepyfile("def test_unit():\n    assert True\n")

    result = bench.pytest()

    result.assert_outcomes(passed=1)
    # Once in pytest's own list of plugins.
    assert sum("benchbed" in line for line in result.outlines) <= 1
    assert not (bench.path / "runs").exists()
