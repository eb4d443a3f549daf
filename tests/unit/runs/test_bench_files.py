from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.runs.bench_files import find_bench_files
from pytest_benchbed.runs.bench_files import load_bench_file
from pytest_benchbed.runs.bench_files import promoted_runs


def saved(folder: Path, value: Any) -> Path:
    path = folder / "bench.json"
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def test_each_benchmark_has_the_bench_file_of_its_folder(tmp_path: Path) -> None:
    for name in ("a/one", "a/two", "b/two", "a/none"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("a/one", "a/two", "b/two"):
        saved(tmp_path / name, {})
    paths = [tmp_path / "a", tmp_path / "b", tmp_path / "missing"]

    assert find_bench_files(paths) == {
        "one": tmp_path / "a" / "one" / "bench.json",
        "two": tmp_path / "a" / "two" / "bench.json",
    }


@pytest.mark.req("ENV-099")
def test_a_bench_file_holds_everything_a_benchmark_needs(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        {
            "schema": "benchbed.bench.v1",
            "dataset": "synthetic-v1",
            "adapter": "acme",
            "gate": "logical",
            "rule": "strict",
            "budget_usd": 2.5,
            "store": "s3://bucket",
            "adapters": {
                "acme": {
                    "entry": "acme.tables:Grid",
                    "options": {"variant": "año"},
                    "limits": {"call_s": 30},
                    "baseline": "base",
                    "controls": ["base-2"],
                    "history": [{"at": "2026-01-01T00:00:00Z", "baseline": None, "controls": []}],
                }
            },
        },
    )

    bench = load_bench_file(path)

    assert bench.dataset == "synthetic-v1"
    assert bench.budget_usd == Decimal("2.5")
    assert bench.adapters["acme"].options == {"variant": "año"}
    assert bench.adapters["acme"].limits == {"call_s": 30.0}


def test_an_empty_object_is_a_bench_file(tmp_path: Path) -> None:
    assert load_bench_file(saved(tmp_path, {})) == BenchFile()


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"jobs": 0}, "jobs"),
        ({"jobs": "4"}, "jobs"),
        ({"budget_usd": -1}, "budget_usd"),
        ({"rate": "60 per minute"}, "rate"),
        ({"retry": {"attempts": 0}}, "retry.attempts"),
        ({"adapters": {"acme": {"options": []}}}, "adapters.acme.options"),
    ],
)
def test_a_wrong_field_is_named_with_the_file(tmp_path: Path, value: Any, field: str) -> None:
    path = saved(tmp_path, value)

    with pytest.raises(UsageProblem) as caught:
        load_bench_file(path)

    assert str(caught.value).startswith(f"{path}: field {field}: ")


@pytest.mark.parametrize(
    ("value", "field", "advice"),
    [
        ({"adaptor": "x"}, "adaptor", "Did you mean 'adapter'?"),
        ({"adapters": {"acme": {"contols": []}}}, "adapters.acme.contols", "Did you mean 'cont"),
        ({"retry": {"attemps": 2}}, "retry.attemps", "Did you mean 'attempts'?"),
        ({"prices": {"m": {"in": 1, "outt": 2, "out": 1}}}, "prices.m.outt", "mean 'out'?"),
        (
            {
                "adapters": {
                    "a": {"history": [{"at": "", "baseline": None, "controls": [], "x": 1}]}
                }
            },
            "adapters.a.history.0.x",
            "Known: at, baseline, controls, reason.",
        ),
        ({"zzzzzz": 1}, "zzzzzz", "Known: adapter, adapters, "),
        (
            {"thresholds": {"qualty": -0.1}},
            "thresholds.qualty",
            "thresholds.qualty: no such limit. Did you mean 'quality'?",
        ),
        (
            {"thresholds": {"cost": 1, "speed": 1}},
            "thresholds.speed",
            "Known: quality, latency, cost.",
        ),
    ],
)
def test_an_unknown_field_comes_with_the_nearest(
    tmp_path: Path, value: Any, field: str, advice: str
) -> None:
    with pytest.raises(UsageProblem, match=f"field {field}") as caught:
        load_bench_file(saved(tmp_path, value))

    assert advice in str(caught.value)


@pytest.mark.parametrize(
    ("data", "where", "cause"),
    [
        (b'{\n  "dataset": "x"\n  "jobs": 4\n}', ":3", "Expecting ',' delimiter"),
        (b'{\n"nota": "\xc3\xb1",\n}', ":3", "Expecting property name"),
        (b"", "", "no document"),
        (b"\xef\xbb\xbf{}", "", "byte order mark"),
        (b"\xff", "", "UTF-8"),
        (b'{"jobs": 1, "jobs": 2}', "", "stands twice"),
    ],
)
def test_broken_json_is_named_with_its_line(
    tmp_path: Path, data: bytes, where: str, cause: str
) -> None:
    path = saved(tmp_path, data)

    with pytest.raises(UsageProblem, match=cause) as caught:
        load_bench_file(path)

    assert str(caught.value).startswith(f"{path}{where}: is no valid JSON")


def test_a_list_is_no_bench_file(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="holds no JSON object"):
        load_bench_file(saved(tmp_path, []))


def test_a_newer_schema_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"benchbed\.bench\.v2 is newer .*benchbed\.bench\.v1"):
        load_bench_file(saved(tmp_path, {"schema": "benchbed.bench.v2", "new": 1}))


def test_a_missing_bench_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"bench\.json: cannot be read: No such file"):
        load_bench_file(tmp_path / "bench.json")


def test_promoted_runs_are_those_of_today_and_before(tmp_path: Path) -> None:
    promotion = {"at": "2026-01-01T00:00:00Z", "baseline": "old", "controls": ["old-2"]}
    bench = BenchFile.from_json(
        {
            "adapters": {
                "acme": {"baseline": "base", "controls": ["base-2"], "history": [promotion]},
                "other": {"options": {}},
            }
        }
    )

    assert promoted_runs([bench, BenchFile()]) == {"base", "base-2", "old", "old-2"}
