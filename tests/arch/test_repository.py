"""What the repository says about itself, and what its files must agree on."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
import yaml

from tests.arch import tree
from tests.arch.docs_blocks import commands
from tests.arch.docs_blocks import read_page

README = (tree.ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((tree.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
COMPANIONS = {"pydantic-core": "pydantic", "markupsafe": "jinja2", "execnet": "pytest-xdist"}
"""Halves of a requirement that are imported under a name of their own."""
BUILT_FOR_ONE_PLACE = {"tests/perf", "tests/browser"}
"""They skip, with a reason, where a package or a program that is no requirement is absent."""


def declared(*extras: str) -> set[str]:
    """Return the normalised names of the core's requirements and of these extras."""
    lines = list(PROJECT["dependencies"])
    for extra in extras:
        lines += PROJECT["optional-dependencies"][extra]
    names = {re.match(r"[\w.-]+", line)[0].lower().replace("_", "-") for line in lines}  # type: ignore[index]
    return names - {PROJECT["name"]}


def imported(paths) -> dict[str, str]:
    """Return third-party distributions by name, with one file that imports each."""
    distributions = packages_distributions()
    found = {}
    for path in paths:
        for item in tree.imports(str(path.relative_to(tree.ROOT)), path):
            top = item.target.split(".")[0]
            if top in sys.stdlib_module_names or top in ("pytest_benchbed", "tests", ""):
                continue
            for distribution in distributions.get(top, []):
                name = distribution.lower().replace("_", "-")
                found.setdefault(COMPANIONS.get(name, name), f"{path.name} imports {top}")
    return found


def test_the_package_imports_only_what_it_requires() -> None:
    every_extra = PROJECT["optional-dependencies"]

    wrong = imported(tree.modules().values()).keys() - declared(*every_extra)

    assert not wrong, "a core requirement, or an extra: add it to pyproject.toml"


def test_the_suite_imports_only_what_the_test_extra_brings() -> None:
    paths = [
        path
        for path in tree.tracked()
        if path.suffix == ".py"
        and path.is_relative_to(tree.ROOT / "tests")
        and not any(path.is_relative_to(tree.ROOT / folder) for folder in BUILT_FOR_ONE_PLACE)
    ]

    found = imported(paths)
    wrong = found.keys() - declared("test", "documents", "latency")

    assert not wrong, {name: found[name] for name in wrong}


def test_the_gate_script_runs_the_two_commands_of_the_readme() -> None:
    script = (tree.ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (block,) = [
        block
        for block in read_page(README).blocks
        if ".ci/run" in block.directives.get("not run", "")
    ]

    for command in commands(block):
        assert command.text in script


def test_the_citation_names_the_version_and_says_pre_release() -> None:
    citation = yaml.safe_load((tree.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    section = README.partition("## Citation")[2]

    assert citation["cff-version"] == "1.2.0"
    assert citation["title"] == PROJECT["name"]
    assert citation["license"] == PROJECT["license"]
    assert citation["version"] == PROJECT["version"]
    assert citation["authors"] == PROJECT["authors"]
    for words in (PROJECT["version"], PROJECT["authors"][0]["name"], "year", "Pre-release"):
        assert words in section


@pytest.mark.req("ENV-115")
@pytest.mark.parametrize(
    "words",
    [
        r"small synthetic dataset",
        r"no\s+development\s+set",
        r"sealed\s+holdout",
        r"no scores are\s+published",
    ],
)
def test_the_readme_states_the_limits(words: str) -> None:
    limits = README.partition("## Limits")[2].partition("\n## ")[0]

    assert re.search(words, limits)


def test_the_licence_is_whole() -> None:
    text = (tree.ROOT / "LICENSE").read_text(encoding="utf-8")

    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_workflows_run_on_three_systems_and_three_pythons() -> None:
    folder = tree.ROOT / ".github" / "workflows"
    ci = yaml.safe_load((folder / "ci.yml").read_text(encoding="utf-8"))
    jobs = ci["jobs"]
    systems = {jobs["gate"]["runs-on"], *jobs["other-systems"]["strategy"]["matrix"]["os"]}

    assert {name.split("-")[0] for name in systems} == {"ubuntu", "macos", "windows"}
    for job in ("gate", "other-systems"):
        assert jobs[job]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    assert any(".ci/run" in step.get("run", "") for step in jobs["gate"]["steps"])
    nightly = yaml.safe_load((folder / "nightly.yml").read_text(encoding="utf-8"))
    assert all(job["continue-on-error"] for job in nightly["jobs"].values())
    axes = nightly["jobs"]["next"]["strategy"]["matrix"]
    assert axes["tests"] == ["tests/canary", "tests/plugin", "tests/neighbours"]
    assert axes["against"] == ["newest release", "main branches"]
    wanted = {
        step.get("if", "").rpartition("== ")[2].strip("'")
        for step in nightly["jobs"]["next"]["steps"]
    }
    assert set(axes["against"]) <= wanted
    assert all((tree.ROOT / folder).is_dir() for folder in axes["tests"])
