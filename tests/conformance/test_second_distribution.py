"""A type, a dataset and an adapter that another distribution brings, unknown to this package."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.distribution import FOLDER
from tests.conformance.distribution import install
from tests.conformance.distribution import pytest_with

PACKAGE = Path(__file__).parents[2] / "pytest_benchbed"


@pytest.mark.req("ENV-004", "ENV-106")
def test_what_a_distribution_registers_is_listed_and_runs(tmp_path: Path) -> None:
    environment = install(tmp_path / "site")

    listed = pytest_with(environment, tmp_path, "--bench-list")
    run = pytest_with(environment, tmp_path, "--bench=letters", "--bench-adapter=ascii-letters")

    assert listed.returncode == 0, listed.stdout + listed.stderr
    data = FOLDER / "benchbed_example_letters" / "cases" / "letters" / "example-v1"
    for line in (
        "  letters: Letters of a text",
        f"    dataset letters-example 1: {data}",
        "  ascii-letters: benchbed_example_letters.reader:Reader",
    ):
        assert line in listed.stdout.splitlines()
    # It cannot read one of the four texts.
    assert run.returncode == 1, run.stdout + run.stderr
    assert "1 failed, 3 passed" in run.stdout
    assert "missing" in run.stdout
    assert run.stdout.strip().splitlines()[-1].startswith("benchbed: gate BASELINE REQUIRED: ")


@pytest.mark.req("ENV-004", "ENV-105")
def test_the_suite_runs_over_a_type_of_another_distribution(tmp_path: Path) -> None:
    environment = install(tmp_path / "site")

    done = pytest_with(
        environment, tmp_path, "--pyargs", "pytest_benchbed.conformance", "-k", "letters"
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "20 passed" in done.stdout
    assert "skipped" not in done.stdout


def test_this_package_does_not_know_the_second_distribution() -> None:
    knowing = [
        path.name
        for path in PACKAGE.rglob("*.py")
        if "benchbed_example_letters" in path.read_text(encoding="utf-8")
    ]

    assert not knowing
