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


SAID = {
    "raise SystemExit(0)": "scorer_raised: *SystemExit at conftest.py:",
    "return self.score_case(case, answer, prediction)": "scorer_raised: *RecursionError",
    "ProfileScore([], {'n': float('nan')})": "*metric 'n' is nan",
    "ProfileScore([], {'n': float('inf')})": "*metric 'n' is inf",
    "Error('at', {'x': 0.5})": "*where?'x'? of error 'at' must be text, *not a float",
    "Error('at', {'x': {1, 2}})": "*where?'x'? of error 'at' must be text, *not a set",
    "Error('at', {'x': [[1]]})": "*where?'x'? of error 'at' must be text, *a list with a list",
    "ProfileScore(['text'], {})": "*errors must be Error values, not str",
    "return {**scores, 'main': ProfileScore([Error('at', {}, {1, 2})], {'exact': 1})}": (
        "bad_score: *error 'at' of profile 'main' holds what is no JSON"
    ),
    "return {**scores, 'main': ProfileScore([Error('at', {}, got=float('nan'))], {})}": (
        "bad_score: *error 'at' of profile 'main' holds what is no JSON"
    ),
    "return {'main': scores['main'], 'site': scores['side']}": "bad_score: *profile 'site'",
}
"""Lines of a scorer, and what is said of the case they ran for."""


@pytest.mark.req("ENV-008", "ENV-051")
def test_what_a_type_returns_wrongly_is_named_with_type_and_case(
    pytester: pytest.Pytester,
) -> None:
    bench = Bench(pytester).make(len(SAID) + 1)
    cases = {f"t-{number:03}": line for number, line in enumerate(SAID, start=1)}
    lines = [
        f"        if case.id == '{case}':\n            {line}\n" for case, line in cases.items()
    ]
    _type(bench, scores="".join([*lines, "        return scores\n"]))

    result = bench.run("--bench-run=broken")

    result.assert_outcomes(passed=1, failed=len(SAID))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    for case, line in cases.items():
        result.stdout.fnmatch_lines([f"*benchbed: no score for {case}: scorer: {SAID[line]}*"])
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    technical = bench.saved("broken").record.technical
    assert [(failure.case, failure.whose) for failure in technical] == [
        (case, "scorer") for case in cases
    ]
    for failure in technical:
        assert failure.detail.startswith(f"Toy (conftest), case {failure.case}: ")


def test_an_error_named_twice_counts_once(bench: Bench) -> None:
    _type(
        bench,
        scores="        errors = [Error('at', {'x': 1}, got=1), Error('at', {'x': 1}, got=2)]\n"
        "        return {**scores, 'main': ProfileScore(errors, {'exact': (0, 1)})}\n",
    )

    bench.run("--bench-run=twice")

    rows = bench.saved("twice").rows()
    assert [len(row["errors"]["main"]) for row in rows.values()] == [1, 1, 1, 1]


def test_a_scorer_that_wavers_shows_when_a_run_is_scored_twice(bench: Bench) -> None:
    """Each case is scored once, so a session alone cannot see it; two equal runs differ."""
    _type(
        bench,
        scores="        import secrets\n"
        "        errors = [Error('at', {'x': secrets.token_hex(8)})]\n"
        "        return {**scores, 'main': ProfileScore(errors, {'exact': (0, 1)})}\n",
    )

    bench.run("--bench-run=base", "--bench-unpaired")
    again = bench.run("--baseline=base")

    assert again.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(again).startswith("benchbed: gate FAILED: 4 regressions")


@pytest.mark.req("ENV-051")
@pytest.mark.parametrize(
    "raised", ["raise ZeroDivisionError(profile)", "raise SystemExit(0)", "pytest.skip(profile)"]
)
def test_a_summary_that_breaks_blocks_and_every_file_is_written(bench: Bench, raised: str) -> None:
    bench.record("base")
    _type(
        bench,
        scores="        return scores\n\n    def summarise(self, profile, rows):\n"
        f"        {raised}\n",
    )

    result = bench.run("--baseline=base", "--bench-run=broken")

    result.assert_outcomes(passed=4)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    run = bench.saved("broken")
    assert run.record.status == "completed"
    assert run.paths.report.exists()
    assert run.metrics["profiles"]["main"]["summary"]["exact"]["counts"] == [4, 4]


MODEL = """
import pydantic

class Loud(pydantic.BaseModel):
    main: list[str]
    side: list[str]

    @pydantic.field_validator("main")
    @classmethod
    def _look(cls, value):
        {raised}

class Toy(Benchmark):
    prediction_model = Loud
"""


@pytest.mark.req("ENV-050", "ENV-051")
@pytest.mark.parametrize(
    "raised", ["raise KeyError(value)", "raise SystemExit(0)", "pytest.skip()"]
)
def test_a_validator_that_breaks_gives_no_score_and_skips_nothing(
    bench: Bench, raised: str
) -> None:
    bench.record("base")
    text = CONFTEST.replace("class Toy(Benchmark):\n", MODEL.format(raised=raised))
    (bench.path / "conftest.py").write_text(text, "utf-8")

    result = bench.run("--baseline=base", "--bench-run=broken")

    result.assert_outcomes(errors=4)
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    technical = bench.saved("broken").record.technical
    assert {(one.whose, one.kind) for one in technical} == {("scorer", "validator_raised")}


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
