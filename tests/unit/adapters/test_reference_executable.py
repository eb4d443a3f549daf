from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.reference import Reference
from pytest_benchbed.adapters.reference_executable import main
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.model.request import AdapterRequest
from pytest_benchbed.model.request import AdapterResult

ROOT = Path(__file__).parents[3]
DATASET = ROOT / "cases" / "table-separators" / "synthetic-v1"
SCRIPT = ROOT / "examples" / "reference-adapter"


def request(folder: Path, *cases: str, **changes: Any) -> Path:
    dataset = Dataset.open(DATASET)
    row = {
        "schema": "benchbed.adapter-request.v1",
        "run_id": "r1",
        "benchmark": "table-separators",
        "format": "benchbed.table-separators.v1",
        "model": None,
        "budget_usd": None,
        "options": {},
        "attempt": 1,
        "files_dir": str(DATASET),
        "contexts": [],
        "cases": [
            {"id": case, "inputs": dict(dataset.case(case).inputs), "files": []} for case in cases
        ],
    }
    if "benchmark" not in changes:
        AdapterRequest.from_json(row | changes)
    path = folder / "adapter-request.json"
    path.write_text(json.dumps(row | changes), encoding="utf-8")
    return path


def run(path: Path) -> tuple[int, Path]:
    output = path.parent / "out"
    return main(["run", f"--request={path}", f"--output={output}"]), output


def predictions(output: Path) -> dict[str, Any]:
    return json.loads((output / "predictions.json").read_text(encoding="utf-8"))


@pytest.mark.req("ENV-091")
def test_it_answers_exactly_the_requested_cases_as_the_class_does(tmp_path: Path) -> None:
    code, output = run(request(tmp_path, "sep-002", "sep-004"))

    dataset = Dataset.open(DATASET)
    assert code == 0
    assert predictions(output) == {
        case: Reference().predict(dataset.case(case)) for case in ("sep-002", "sep-004")
    }


def test_its_result_has_the_shape_of_the_protocol_and_cost_nothing(tmp_path: Path) -> None:
    _, output = run(request(tmp_path, "sep-001"))
    row = json.loads((output / "adapter-result.json").read_text(encoding="utf-8"))

    result = AdapterResult.from_json(row)

    assert (result.id, result.format) == ("table-separators", "benchbed.table-separators.v1")
    assert result.data == "predictions.json"
    assert row["systems"] == [
        {
            "role": "candidate",
            "model": "none",
            "cost_usd": 0,
            "execution_failures": 0,
            "unpriced_attempts": 0,
        }
    ]


def test_options_and_attempt_are_honoured(tmp_path: Path) -> None:
    options = {"variant": "flaky", "seed": 3}
    dataset = Dataset.open(DATASET)

    for attempt in (1, 2, 3, 4):
        _, output = run(request(tmp_path, "sep-008", options=options, attempt=attempt))
        shown = dataset.case("sep-008", attempt=attempt)
        assert predictions(output)["sep-008"] == Reference(**options).predict(shown)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"options": {"variant": "baselin"}}, "Did you mean 'baseline'"),
        ({"options": {"color": "red"}}, "color"),
        ({"benchmark": "mine"}, "no cases of 'mine' are known"),
    ],
)
def test_what_it_cannot_answer_ends_with_2_and_a_reason_and_no_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any], text: str
) -> None:
    code, output = run(request(tmp_path, "sep-001", **changes))

    assert code == 2
    assert text in capsys.readouterr().err
    assert not (output / "adapter-result.json").exists()


def test_a_case_it_does_not_know_is_left_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = request(tmp_path, "sep-001", "sep-002")
    row = json.loads(path.read_text(encoding="utf-8"))
    row["cases"][1]["id"] = "mine"
    path.write_text(json.dumps(row), encoding="utf-8")

    code, output = run(path)

    assert code == 0
    assert list(predictions(output)) == ["sep-001"]
    assert "mine: not a case" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        [sys.executable, str(SCRIPT)],
        [sys.executable, "-m", "pytest_benchbed.adapters.reference_executable"],
    ],
    ids=["script", "module"],
)
def test_it_runs_as_a_program(tmp_path: Path, command: list[str]) -> None:
    path = request(tmp_path, "sep-001")

    subprocess.run(
        [*command, "run", "--request", str(path), "--output", str(tmp_path / "out")], check=True
    )

    assert list(predictions(tmp_path / "out")) == ["sep-001"]


@pytest.mark.skipif(os.name != "posix", reason="a mode bit of POSIX")
def test_the_example_is_executable_and_says_which_interpreter() -> None:
    assert os.access(SCRIPT, os.X_OK)
    assert SCRIPT.read_text(encoding="utf-8").startswith("#!/usr/bin/env python3\n")


def test_the_example_runs_in_a_checkout_without_any_package(tmp_path: Path) -> None:
    """``python3`` on the path is often another one than that of the test session."""
    path = request(tmp_path, "sep-001")

    subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            str(SCRIPT),
            "run",
            f"--request={path}",
            f"--output={tmp_path}",
        ],
        check=True,
    )

    assert list(predictions(tmp_path)) == ["sep-001"]


def test_a_copy_elsewhere_says_that_the_package_is_missing(tmp_path: Path) -> None:
    copy = tmp_path / "examples" / "my-adapter"
    copy.parent.mkdir()
    copy.write_bytes(SCRIPT.read_bytes())

    result = subprocess.run(
        [sys.executable, "-I", "-S", str(copy), "run"], capture_output=True, text=True
    )

    assert result.returncode == 1
    assert "pytest-benchbed is not installed for" in result.stderr
