"""``--bench-select``: keys, scope, partial runs and how many of them are kept."""

from __future__ import annotations

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line

ROWS = {
    "t-001": {"tags": ["red", "old"], "category": "ruled"},
    "t-002": {"tags": ["red"], "group": "g1", "facets": {"suite": "s1", "variant": "v1"}},
    "t-003": {"tags": ["blue"], "category": "ruled", "facets": {"scenario": "z"}},
}


@pytest.fixture
def bench(pytester: pytest.Pytester) -> Bench:
    """Cases with tags, categories, groups and facets."""
    return Bench(pytester).make(rows=ROWS)


@pytest.mark.parametrize(
    ("wanted", "cases"),
    [
        (["case=t-003", "case=t-001"], ["t-001", "t-003"]),
        (["tag=red"], ["t-001", "t-002"]),
        (["category=ruled"], ["t-001", "t-003"]),
        (["group=g1"], ["t-002"]),
        (["suite=s1"], ["t-002"]),
        (["variant=v1"], ["t-002"]),
        (["scenario=z"], ["t-003"]),
        (["tag=red", "category=ruled"], ["t-001"]),
        (["tag=old", "tag=blue"], ["t-001", "t-003"]),
    ],
)
def test_keys_combine_with_and_values_with_or(
    bench: Bench, wanted: list[str], cases: list[str]
) -> None:
    words = [f"--bench-select={text}" for text in wanted]

    result = bench.run("--collect-only", "-q", *words)

    shown = [line.rpartition("::")[2] for line in result.outlines if "cases.jsonl::" in line]
    assert shown == cases


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("tga=red", ["*unknown key 'tga'*Did you mean 'tag'*"]),
        ("red", ["*must be KEY=VALUE*"]),
        ("tag=green", ["*leaves no case*tag=green*"]),
        ("case=t-01", ["*unknown case 't-01'*Did you mean 't-001'*"]),
    ],
)
def test_a_selection_of_nothing_is_refused(bench: Bench, wanted: str, words: list[str]) -> None:
    result = bench.run(f"--bench-select={wanted}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(words)
    assert bench.runs() == []


def test_a_narrower_scope_is_whole_and_single_cases_are_partial(bench: Bench) -> None:
    bench.record("base")

    scoped = bench.run("--baseline=base", "--bench-select=tag=red", "--bench-run=scoped")
    single = bench.run("--baseline=base", "--bench-select=case=t-001", "--bench-run=single")
    by_k = bench.run("--baseline=base", "-k", "t-001 or t-002", "--bench-run=by-k")

    assert bench.saved("scoped").record.scope == {"tag": ["red"]}
    assert bench.saved("scoped").record.partial == []
    assert last_line(scoped).startswith("benchbed: gate PASSED: ")
    for result, run_id, count in ((single, "single", 1), (by_k, "by-k", 2)):
        assert last_line(result).startswith("benchbed: gate INCOMPLETE: ")
        assert f"compared {count} of 4" in result.stdout.str()
        assert result.ret == pytest.ExitCode.OK
        assert bench.saved(run_id).record.partial


def test_of_unnamed_partial_runs_the_newest_are_kept(bench: Bench) -> None:
    bench.pytester.makeini("[pytest]\nbench_retention_count = 2\n")
    bench.run("--bench-select=case=t-001", "--bench-run=named")
    bench.run()
    whole = set(bench.runs()) - {"named"}
    for _ in range(3):
        bench.run("--bench-select=case=t-001")
        newest = max(set(bench.runs()), key=lambda name: bench.saved(name).record.started_at)

    assert {"named", newest, *whole} <= set(bench.runs())
    assert len(bench.runs()) == 4


def test_old_partial_runs_go_with_a_word_and_never_the_one_compared_with(bench: Bench) -> None:
    bench.pytester.makeini("[pytest]\nbench_retention_count = 1\n")
    first = bench.run("--bench-select=case=t-001")
    (base,) = bench.runs()
    bench.run("--bench-select=case=t-001", f"--baseline={base}")
    (old,) = set(bench.runs()) - {base}

    last = bench.run("--bench-select=case=t-001", f"--baseline={base}")

    assert base in bench.runs()
    assert old not in bench.runs()
    assert "removed" not in first.stdout.str()
    last.stdout.fnmatch_lines([f"  removed 1 old partial run ({old}), *bench_retention_count (1)"])


@pytest.mark.req("ENV-082")
def test_a_retired_case_is_neither_asked_nor_scored_and_is_counted(bench: Bench) -> None:
    import json

    manifest = bench.dataset / "manifest.json"
    value = json.loads(manifest.read_text("utf-8"))
    value["retired"] = [{"id": "t-004", "reason": "its answer was wrong", "since": "1"}]
    manifest.write_text(json.dumps(value), "utf-8")

    result = bench.run("--bench-run=own")

    result.assert_outcomes(passed=3)
    assert bench.calls() == ["t-001", "t-002", "t-003"]
    run = bench.saved("own")
    assert (run.record.counts.retired, run.record.counts.scored) == (1, 3)
    assert [case["id"] for case in json.loads(run.paths.request.read_text("utf-8"))["cases"]] == [
        "t-001",
        "t-002",
        "t-003",
    ]
    assert "1 retired" in result.stdout.str() or "retired 1" in result.stdout.str()
