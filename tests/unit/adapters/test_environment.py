"""The environment of an adapter's process: empty plus what is declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchbed.adapters.environment import child_environment
from pytest_benchbed.model.errors import UsageProblem

SCRATCH = Path("/scratch")
OURS = {
    "PATH": "/bin",
    "HOME": "/home/me",
    "API_KEY": "key-123456",
    "OTHER_KEY": "other-123456",
    "PYTEST_CURRENT_TEST": "cases.jsonl::sep-001 (call)",
    "HTTPS_PROXY": "http://user:hunter22@proxy:8080",
    "NO_PROXY": "*",
}


@pytest.mark.req("ENV-039")
def test_nothing_is_passed_on_but_what_is_declared() -> None:
    got = child_environment(["API_KEY"], scratch=SCRATCH, source=OURS)

    assert got.variables == {
        "PATH": "/bin",
        "HOME": "/scratch",
        "TMPDIR": "/scratch",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "API_KEY": "key-123456",
    }


def test_the_values_that_are_passed_are_redacted() -> None:
    got = child_environment(["API_KEY"], scratch=SCRATCH, source=OURS)

    assert got.redactor.text("key-123456 other-123456") == "[API_KEY] other-123456"


def test_a_declared_variable_that_is_unset_is_refused_by_name() -> None:
    with pytest.raises(UsageProblem, match=r"MISSING_KEY, which is not set"):
        child_environment(["MISSING_KEY"], scratch=SCRATCH, source=OURS)


@pytest.mark.parametrize("name", ["HOME", "TMPDIR", "PYTEST_CURRENT_TEST"])
def test_a_variable_of_ours_cannot_be_declared(name: str) -> None:
    with pytest.raises(UsageProblem, match=name):
        child_environment([name], scratch=SCRATCH, source=OURS)


@pytest.mark.parametrize("name", ["A=B", "", "a b", "1A"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UsageProblem, match="no name"):
        child_environment([name], scratch=SCRATCH, source=OURS)


def test_the_path_may_be_declared_and_changes_nothing() -> None:
    got = child_environment(["PATH"], scratch=SCRATCH, source=OURS)

    assert got.variables["PATH"] == "/bin"
    assert got.redactor.values == {}


def test_a_value_too_short_to_be_redacted_is_refused() -> None:
    with pytest.raises(UsageProblem, match="--bench-adapter-option"):
        child_environment(["REGION"], scratch=SCRATCH, source={"REGION": "eu"})


def test_network_all_passes_proxies_and_hides_their_credentials() -> None:
    got = child_environment([], network="all", scratch=SCRATCH, source=OURS)

    assert got.variables["HTTPS_PROXY"] == OURS["HTTPS_PROXY"]
    assert got.variables["NO_PROXY"] == "*"
    assert got.redactor.text(f"via {OURS['HTTPS_PROXY']} *") == "via [HTTPS_PROXY] *"
    assert "hunter22" not in got.redactor.text("password hunter22")


def test_network_none_passes_no_proxy() -> None:
    got = child_environment([], network="none", scratch=SCRATCH, source=OURS)

    assert "HTTPS_PROXY" not in got.variables
