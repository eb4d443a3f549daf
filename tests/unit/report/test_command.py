"""Commands from the record of a run: what was typed, quoted so that it can be pasted."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest

from pytest_benchbed.report.command import case_command
from pytest_benchbed.report.command import resume_command
from pytest_benchbed.report.command import shell_word
from pytest_benchbed.report.command import typed_command
from pytest_benchbed.report.command import whole_command
from tests.unit.report.builders import HOSTILE
from tests.unit.report.builders import record

TYPED = [
    "--bench", "table-separators", "--bench-adapter=tools/acme.py:Acme", "--bench-model", "small",
    "--bench-adapter-option=threshold=0.35", "--baseline=runs/base", "--bench-control=runs/base-1",
    "--bench-target=sep-007", "--bench-select=case=sep-001", "--bench-select", "category=dense",
    "-n", "2", "-k", "not slow", "--bench-jobs=8", "--bench-budget=5", "-x",
    "-p", "no:cacheprovider",
    "--bench-run=mine", "--bench-repeats=3", "--rootdir=..", "--bench-require-gate", "cases/",
]  # fmt: skip


def test_one_case_is_run_as_it_ran_and_compared_with_the_same_runs() -> None:
    command = case_command(record("after", argv=TYPED), "sep-007")

    assert shlex.split(command) == [
        "pytest", "--bench=table-separators", "--bench-select=case=sep-007",
        "--bench-adapter=tools/acme.py:Acme", "--bench-model=small",
        "--bench-adapter-option=threshold=0.35", "--baseline=runs/base",
        "--bench-control=runs/base-1", "-p", "no:cacheprovider", "--rootdir=..",
    ]  # fmt: skip


def test_all_cases_are_run_with_the_scope_but_without_the_single_case() -> None:
    words = shlex.split(whole_command(record("after", argv=TYPED)))

    assert "--bench-select=category=dense" in words
    assert not any("case=" in word for word in words)
    assert {"--bench-target=sep-007", "--bench-jobs=8", "--bench-require-gate"} <= set(words)
    assert {"--baseline=runs/base", "--bench-control=runs/base-1"} <= set(words)
    assert words[words.index("-n") + 1] == "2"
    assert not {"--bench-run=mine", "not slow", "cases/", "-x"} & set(words)


def test_another_baseline_replaces_baseline_and_controls() -> None:
    words = shlex.split(
        whole_command(record("after", argv=TYPED), baseline="runs/new", controls=["runs/new-1"])
    )

    assert [word for word in words if "runs/" in word] == [
        "--baseline=runs/new",
        "--bench-control=runs/new-1",
    ]


def test_an_unpaired_run_is_compared_with_nothing_and_has_no_targets() -> None:
    words = shlex.split(
        whole_command(record("after", argv=TYPED), is_unpaired=True, run_id="control-1")
    )

    assert {"--bench-unpaired", "--bench-run=control-1"} <= set(words)
    assert not any(word.startswith(("--baseline", "--bench-control", "--bench-target"))
                   for word in words)  # fmt: skip


def test_a_run_is_resumed_by_its_id_with_its_scope() -> None:
    words = shlex.split(resume_command(record("after", argv=TYPED)))

    assert "--bench-resume=after" in words
    assert {"--bench-select=case=sep-001", "--bench-select=category=dense"} <= set(words)
    assert "--bench-budget=5" in words


def test_a_used_up_budget_is_left_out_when_resuming() -> None:
    command = resume_command(record("after", argv=TYPED), is_over_budget=True)

    assert "--bench-budget" not in command


def test_a_dataset_for_another_benchmark_of_the_session_is_left_out() -> None:
    run = record("after", argv=["--bench-dataset=other=x", "--bench-dataset=table-separators=mine",
                                "--bench-dataset=cases/here"])  # fmt: skip

    assert shlex.split(case_command(run, "a"))[3:] == [
        "--bench-dataset=table-separators=mine",
        "--bench-dataset=cases/here",
    ]


def test_other_spellings_become_the_usual_one() -> None:
    run = record("after", argv=["--bench-baseline", "runs/b", "--override-ini=x=y", "-pno:xdist"])

    assert shlex.split(case_command(run, "a"))[3:] == [
        "--baseline=runs/b", "-o", "x=y", "-p", "no:xdist",
    ]  # fmt: skip


def test_a_secret_is_taken_from_the_environment_again() -> None:
    """The record holds ``[NAME]`` in the place of the value, in ``argv`` and in the options."""
    adapter = record("x").to_json()["adapter"] | {"options": {"key": "[ACME_KEY]"}}
    run = record("after", argv=["--bench-adapter-option=key=[ACME_KEY]"], adapter=adapter)

    assert case_command(run, "a").endswith(' --bench-adapter-option=key="$ACME_KEY"')


def test_a_list_of_one_word_is_no_secret() -> None:
    adapter = record("x").to_json()["adapter"] | {"options": {"kinds": ["WORD"]}}
    run = record("after", argv=["--bench-adapter-option=kinds=[WORD]"], adapter=adapter)

    assert shlex.split(case_command(run, "a"))[-1] == "--bench-adapter-option=kinds=[WORD]"


def test_what_was_typed_is_shown_whole() -> None:
    assert typed_command(record("after", argv=["-k", "a b", "cases"])) == "pytest -k 'a b' cases"


@pytest.mark.parametrize(
    "text",
    ["plain", "two words", "it's", '"$HOME" `id` $(id)', "a\\b", "ä ☂", "", "-n", "!x",
     "tab\there", "line\nfeed", "\x1b[31m", "##[error]x", "\u202eabc", "100%\t%s", HOSTILE],
)  # fmt: skip
@pytest.mark.skipif(shutil.which("sh") is None, reason="no POSIX shell")
def test_a_shell_reads_back_every_word_from_one_printable_line(text: str) -> None:
    word = shell_word(text)
    read = subprocess.run(["sh", "-c", f"printf %s {word}"], capture_output=True, check=True)

    assert read.stdout.decode("utf-8") == text
    assert word.isprintable()
    assert "##" not in word
