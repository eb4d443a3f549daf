"""Requirement marks, and the option that lists what has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.arch import tree
from tests.plugin.bench import WITHOUT

LIST = """# Some requirements
- `ENV-001` first [S]: one.
- `ENV-002` second-one [S]: two.
- `DOS-001` third [S]: three.
Text with `ENV-003` is no requirement.
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest((tree.ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"))
    pytester.makefile(".md", requirements=LIST)
    return pytester


def listed(suite: pytest.Pytester, *ids: str):
    marks = ", ".join(repr(name) for name in ids)
    suite.makepyfile(f"import pytest\n@pytest.mark.req({marks})\ndef test_a(): raise ValueError\n")
    return suite.runpytest_inprocess(
        *WITHOUT, "--collect-only", "-q", "--req-coverage=requirements.md"
    )


def test_requirements_without_a_test_are_listed(suite: pytest.Pytester) -> None:
    result = listed(suite, "ENV-001")

    assert result.ret == 0
    assert [line for line in result.outlines if "ENV" in line or "DOS" in line] == [
        "untested: ENV-002 second-one",
        "untested: DOS-001 third",
        "ENV: 1 of 2 requirements have a test",
        "DOS: 0 of 1 requirements have a test",
    ]


def test_several_ids_stand_in_one_mark(suite: pytest.Pytester) -> None:
    result = listed(suite, "ENV-001", "ENV-002", "DOS-001")

    assert "untested" not in result.stdout.str()
    assert result.ret == 0


def test_an_id_that_is_not_in_the_list_fails(suite: pytest.Pytester) -> None:
    result = listed(suite, "ENV-003")

    result.stdout.fnmatch_lines(["unknown: ENV-003, cited by *::test_a"])
    assert result.ret == 1


@pytest.mark.parametrize("name", ["ENV-1", "ENV_001", "XYZ-001", "env-001", "ENV-0011"])
def test_an_id_of_another_form_is_refused(suite: pytest.Pytester, name: str) -> None:
    result = listed(suite, name)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "bad mark" in result.stdout.str() + result.stderr.str()


def test_a_list_that_is_not_there_is_refused(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess(*WITHOUT, "--collect-only", "--req-coverage=nothing.md")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--req-coverage: there is no file*"])


def test_the_list_of_this_repository_is_read_whole() -> None:
    text = (tree.ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
    ids = re.findall(r"^- `([A-Z]{3}-\d{3})` ", text, re.MULTILINE)

    assert len(ids) == len(set(ids))
    assert {prefix: sum(name.startswith(prefix) for name in ids) for prefix in ("ENV", "OSR")} == {
        "ENV": 115,
        "OSR": 46,
    }


def test_every_mark_of_this_suite_names_a_requirement() -> None:
    """The option says the same, but only when somebody asks."""
    text = (tree.ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^- `([A-Z]{3}-\d{3})` ", text, re.MULTILINE))
    cited: dict[str, Path] = {}
    for path in (tree.ROOT / "tests").rglob("test_*.py"):
        if path.name != Path(__file__).name:
            for arguments in re.findall(r"mark\.req\(([^)]*)\)", path.read_text(encoding="utf-8")):
                cited.update(dict.fromkeys(re.findall(r"[\"']([^\"']+)[\"']", arguments), path))

    assert {name: path.name for name, path in cited.items() if name not in known} == {}
