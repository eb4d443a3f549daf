"""A benchmark type that breaks is a technical failure of the scorer, and no run is lost."""

from __future__ import annotations

import pytest

from tests.plugin.bench import CONFTEST
from tests.plugin.bench import Bench
from tests.plugin.bench import last_line


def _type(bench: Bench, **replaced: str) -> None:
    text = CONFTEST
    for old, new in replaced.items():
        text = text.replace({"scores": "        return scores\n"}[old], new)
    (bench.path / "conftest.py").write_text(text, "utf-8")


@pytest.mark.req("ENV-051")
@pytest.mark.parametrize(
    "line",
    [
        "        raise KeyError('lost')\n",
        "        return {'main': scores['main']}\n",
        "        return ProfileScore([], {'exact': float('nan')})\n",
        "        return None\n",
    ],
    ids=["raises", "a profile is missing", "NaN", "nothing"],
)
def test_a_scorer_that_breaks_gives_no_score(bench: Bench, line: str) -> None:
    bench.record("base")
    _type(bench, scores=line)

    result = bench.run("--baseline=base", "--bench-run=broken")

    result.assert_outcomes(failed=4)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    record = bench.saved("broken").record
    assert {failure.whose for failure in record.technical} == {"scorer"}
    assert record.counts.technical == 4


def test_a_summary_that_breaks_blocks_and_every_file_is_written(bench: Bench) -> None:
    bench.record("base")
    _type(
        bench,
        scores="        return scores\n\n    def summarise(self, profile, rows):\n"
        "        raise ZeroDivisionError(profile)\n",
    )

    result = bench.run("--baseline=base", "--bench-run=broken")

    result.assert_outcomes(passed=4)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    run = bench.saved("broken")
    assert run.record.status == "completed"
    assert run.paths.report.exists()
    assert run.metrics["profiles"]["main"]["summary"]["exact"]["counts"] == [4, 4]


@pytest.mark.parametrize("raised", ["SystemExit(0)", "ValueError('x')"])
def test_a_unit_that_raises_never_ends_green(bench: Bench, raised: str) -> None:
    bench.record("base")
    _type(
        bench,
        scores=f"        return scores\n\n    def unit(self, case):\n        raise {raised}\n",
    )

    result = bench.run("--baseline=base", "--bench-run=broken")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    assert bench.saved("broken").paths.report.exists()


@pytest.mark.parametrize(
    "hook", ["case_scored(config, result)", "run_finished(config, run)"], ids=["case", "run"]
)
def test_an_observer_that_exits_never_ends_green(bench: Bench, hook: str) -> None:
    bench.record("base")
    with (bench.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(f"\n\ndef pytest_benchbed_{hook}:\n    raise SystemExit(0)\n")

    result = bench.run("--baseline=base")

    assert result.ret != pytest.ExitCode.OK
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
