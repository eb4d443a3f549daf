from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.reference import SOLVERS
from pytest_benchbed.adapters.reference import Reference
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.generators.table_plan import case_plans
from pytest_benchbed.generators.table_plan import table
from pytest_benchbed.generators.table_variants import BASELINE
from pytest_benchbed.generators.table_variants import FLAKY
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import NoAnswer
from pytest_benchbed.model.errors import UsageProblem

ROOT = Path(__file__).parents[3]
CASES = ROOT / "cases"
DATASET = CASES / "table-separators" / "synthetic-v1"


def truth(case: str) -> dict[str, Any]:
    for line in (DATASET / "answers.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["id"] == case:
            return {name: row["answer"][name] for name in ("rows", "columns", "spans")}
    raise AssertionError(case)


def case_of(name: str, attempt: int = 1) -> Case:
    return Dataset.open(DATASET).case(name, attempt=attempt)


@pytest.mark.req("ENV-091")
@pytest.mark.parametrize("case", ["sep-001", "sep-004", "sep-013", "sep-156"])
def test_the_default_is_right(case: str) -> None:
    assert Reference().predict(case_of(case)) == truth(case)


@pytest.mark.req("ENV-091")
def test_the_baseline_variant_differs_from_the_default_in_its_documented_cases() -> None:
    text = Reference.__doc__ or ""

    for case in BASELINE:
        shown = case_of(case)
        assert Reference("baseline").predict(shown) != Reference().predict(shown)
        assert case in text
    for case in FLAKY:
        assert case in text


def test_the_wrong_cases_stand_in_the_documentation() -> None:
    page = (ROOT / "docs" / "reference-adapter.md").read_text(encoding="utf-8")
    layouts = {plan.id: plan.category for plan in case_plans()}
    rows = [line.split("|")[1:4] for line in page.splitlines() if line.startswith("| sep-")]
    documented = {case.strip(): (layout.strip(), text) for case, layout, text in rows}

    assert set(documented) == set(BASELINE) | set(FLAKY)
    for case, (layout, text) in documented.items():
        assert layout == layouts[case]
        names = (BASELINE[case],) if case in BASELINE else FLAKY[case]
        assert re.findall(r"`([a-z-]+)`", text)[: len(names)] == list(names)


@pytest.mark.req("ENV-091")
def test_every_public_synthetic_dataset_is_served() -> None:
    benchmarks = {
        json.loads(manifest.read_text(encoding="utf-8"))["benchmark"]
        for manifest in CASES.glob("*/*/manifest.json")
    }

    assert benchmarks == set(SOLVERS)
    assert all(Reference().supports(name) for name in benchmarks)


def test_another_benchmark_is_not_supported() -> None:
    assert not Reference().supports("my-own")


def test_a_case_that_the_generator_did_not_make_is_declined() -> None:
    mine = Case("sep-001", "table-separators", {"image": "a", "pdf": "b", "words": []})

    with pytest.raises(NoAnswer, match="not a case of the public synthetic dataset"):
        Reference().predict(mine)


def test_an_unknown_variant_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageProblem, match="Did you mean 'baseline'"):
        Reference("baselin")


def test_only_the_flaky_variant_is_not_deterministic_and_nothing_is_paid() -> None:
    assert Reference().deterministic
    assert Reference("baseline").deterministic
    assert not Reference("flaky").deterministic
    assert Reference.paid is False


def test_flaky_predictions_change_with_attempt_and_seed_and_repeat_with_both() -> None:
    def draws(seed: int) -> list[Any]:
        adapter = Reference("flaky", seed=seed)
        return [adapter.predict(case_of("sep-008", attempt)) for attempt in range(1, 9)]

    assert draws(3) == draws(3)
    assert draws(3) != draws(4)
    assert len({json.dumps(draw) for draw in draws(3)}) > 1


def test_without_a_seed_each_start_draws_anew() -> None:
    assert Reference("flaky", seed=None).seed != Reference("flaky", seed=None).seed


def test_the_adapter_needs_the_standard_library_alone_and_opens_no_dataset_file(
    tmp_path: Path,
) -> None:
    """In its own process it must start fast, and the answers must be out of its reach."""
    shown = table(case_plans()[0]).inputs("assets/sep-001.png", "assets/sep-001.pdf")
    (tmp_path / "inputs.json").write_text(json.dumps(shown))
    code = """
import json, sys
before = {name.partition(".")[0] for name in sys.modules}  # what the interpreter itself starts
opened = []
sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
from pytest_benchbed.adapters.reference import Reference
from pytest_benchbed.model.case import Case
inputs = json.load(open(sys.argv[1]))
Reference("baseline").predict(Case("sep-001", "table-separators", inputs))
roots = {name.partition(".")[0] for name in sys.modules}
foreign = roots - set(sys.stdlib_module_names) - {"pytest_benchbed", "sitecustomize"} - before
heavy = sorted(name for name in foreign if not name.startswith("_"))
print(json.dumps([heavy, [name for name in opened if name.endswith((".jsonl", ".pdf", ".png"))]]))
print("pytest_benchbed.generators.tables" in sys.modules)
"""
    result = subprocess.run(
        [sys.executable, "-I", "-c", code, str(tmp_path / "inputs.json")],
        check=True,
        capture_output=True,
        text=True,
    )

    assert result.stdout.splitlines() == ["[[], []]", "False"]
