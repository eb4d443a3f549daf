"""A system that writes where it has no business: the session never turns green by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.crash.hostile import linux
from tests.hostile.repository import VICTIM
from tests.hostile.repository import Repository
from tests.hostile.repository import assert_technical
from tests.plugin.bench import last_line
from tests.plugin.programs import posix_only

LOOSE_ANSWERS = """
    path = ROOT / "cases" / "toy" / "v1" / "answers.jsonl"
    text = path.read_text("utf-8")
    path.write_text(text.replace("SECRET-t-003", "secret-t-003"), "utf-8")
"""
OTHER_CASES = """
    path = ROOT / "cases" / "toy" / "v1" / "cases.jsonl"
    path.write_text(path.read_text("utf-8").replace("text of t-003", "TEXT of t-003"), "utf-8")
"""


@pytest.mark.req("ENV-039", "ENV-041")
@pytest.mark.parametrize("how", [LOOSE_ANSWERS, OTHER_CASES], ids=["answers", "cases"])
def test_a_dataset_that_changes_under_the_run_blocks_it_for_good(
    repository: Repository, how: str
) -> None:
    result = repository.python(how).session()
    again = repository.session("--bench-resume=own")

    assert_technical(repository, result, cases=(), kind="tampered_dataset", words=".jsonl")
    # The dataset is not what its pins say, so nothing goes on with it.
    assert again.ret == pytest.ExitCode.USAGE_ERROR


def test_an_input_that_is_written_to_blocks_the_run_also_when_it_is_resumed(
    repository: Repository,
) -> None:
    repository.add_file("page.txt")
    repository.python(
        """
        path = case.files["page.txt"]
        path.chmod(0o644)
        path.write_text("easier")
        """
    )

    result = repository.session()
    again = repository.session("--bench-resume=own")

    for one in (result, again):
        assert_technical(repository, one, cases=(), kind="tampered_input", words="page.txt")


RECORD = {
    "emptied": "open(RUN / 'calls.jsonl', 'w').close()",
    "removed": "os.remove(RUN / 'calls.jsonl')",
    "exchanged": (
        "os.remove(RUN / 'calls.jsonl'); (RUN / 'calls.jsonl').write_text('{}')"
    ),
    "one letter": (
        "data = (RUN / 'calls.jsonl').read_bytes().replace(b'\"main\\\\\":[]', b'\"main\\\\\":{}');"
        "file = open(RUN / 'calls.jsonl', 'r+b'); file.write(data); file.close()"
    ),
    "a line more": "open(RUN / 'calls.jsonl', 'a').write('{}\\n')",
}  # fmt: skip


@pytest.mark.req("ENV-041")
@pytest.mark.parametrize("name", RECORD)
def test_a_record_of_calls_that_is_written_to_blocks_the_run(
    repository: Repository, name: str
) -> None:
    repository.python(RECORD[name])

    result = repository.session("--bench-jobs=1")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    record = repository.own.record
    assert "tampered_record" in {entry.kind for entry in record.technical}
    assert record.gate is not None
    assert record.gate.status == "blocked"
    assert record.status == "completed"


FILES = {
    "run.json removed": "os.remove(RUN / 'run.json')",
    "run.json with a verdict": "(RUN / 'run.json').write_text('{\"gate\": \"passed\"}')",
    "results written early": "(RUN / 'results.jsonl').write_text('{\"case\": \"t-001\"}\\n')",
    "the request": "(RUN / 'adapter-request.json').write_text('{}')",
    "the request removed": "os.remove(RUN / 'adapter-request.json')",
    "a report": "(RUN / 'report.html').write_text('passed'); (RUN / 'summary.md').write_text('ok')",
}


@pytest.mark.req("ENV-041")
def test_files_of_the_run_that_it_writes_decide_nothing(repository: Repository) -> None:
    repository.tricks(FILES)
    # Every case has an error, which no file of the run can take back.
    text = (repository.path / "hostile_adapter.py").read_text("utf-8")
    text = text.replace('GOOD = {"main": []', 'GOOD = {"main": ["wrong"]')
    (repository.path / "hostile_adapter.py").write_text(text, "utf-8")

    result = repository.session("--bench-jobs=1")

    count = 2 * len(FILES) + 1
    result.assert_outcomes(failed=count)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert repository.own.record.counts.scored == count
    assert all(row["errors"]["main"] for row in repository.own.rows().values())
    assert (repository.own.path / "report.html").read_text("utf-8") != "passed"


def test_a_removed_run_folder_ends_the_session_red(repository: Repository) -> None:
    repository.python("import shutil; shutil.rmtree(RUN)")

    result = repository.session()

    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERNAL_ERROR)
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")


BASELINE = """
    path = ROOT / "runs" / "base" / "results.jsonl"
    os.remove(path)
"""


@pytest.mark.req("ENV-059")
def test_a_baseline_that_is_removed_during_the_run_excuses_nothing(repository: Repository) -> None:
    repository.record("base")
    repository.python(BASELINE + "\n    return {'main': ['new'], 'side': []}")

    result = repository.session("--baseline=base")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    assert "tampered_run" in {entry.kind for entry in repository.own.record.technical}
    assert repository.own.rows()[VICTIM]["errors"]["main"]


@linux
@pytest.mark.req("ENV-051")
def test_a_system_that_kills_the_session_leaves_no_green_one(repository: Repository) -> None:
    repository.python(
        """
        parent = pathlib.Path(f"/proc/{os.getppid()}/stat").read_text().rsplit(")", 1)[1].split()[1]
        os.kill(int(parent), signal.SIGKILL)
        time.sleep(300)
        """
    )

    repository.bench_file()
    result = repository.pytest("--bench=toy", "--bench-run=own", subprocess=True)

    assert result.ret == -9
    assert repository.own.record.status == "running"
    assert repository.own.record.gate is None
    repository.sweep()


@posix_only
@pytest.mark.req("ENV-039")
def test_a_copy_of_the_answers_that_nobody_may_read_is_found_too(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = repository.dataset / "answers.jsonl"
    repository.executable(
        f"""
        import shutil
        shutil.copy({str(answers)!r}, output + "/copy")
        os.chmod(output + "/copy", 0)
        """
    )
    real = Path.open

    def as_a_user(path: Path, *words: Any, **more: Any) -> Any:
        # Root opens every file; a user does not.
        if path.name == "copy" and not path.stat().st_mode & 0o400:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *words, **more)

    monkeypatch.setattr(Path, "open", as_a_user)

    result = repository.session()

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert repository.own.record.status == "void"
