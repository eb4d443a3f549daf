from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess

import pytest

from pytest_benchbed.data import changes
from pytest_benchbed.data import pin as pin_module
from pytest_benchbed.data import replace
from pytest_benchbed.data.changes import Changes
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.pin import next_version
from pytest_benchbed.data.pin import pin
from pytest_benchbed.data.validate import validate
from pytest_benchbed.data.verify import verify_digests
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.errors import UsageProblem
from tests.unit.data.folder import ANSWERS
from tests.unit.data.folder import CASES
from tests.unit.data.folder import MANIFEST
from tests.unit.data.folder import Folder
from tests.unit.data.folder import answer_row
from tests.unit.data.folder import case_row
from tests.unit.data.folder import line


def read(folder):
    return json.loads(folder.read(MANIFEST))


class TestCreate:
    @pytest.mark.req("ENV-078", "ENV-079")
    def test_a_manifest_is_made_with_the_defaults_of_the_folder(self, unpinned):
        report = pin(unpinned.root)
        manifest = read(unpinned)

        assert report.is_new
        assert report.is_written
        assert manifest["schema"] == "benchbed.manifest.v1"
        assert {key: manifest[key] for key in ("id", "version", "benchmark")} == {
            "id": "words-small",
            "version": "1",
            "benchmark": "words",
        }
        assert (manifest["visibility"], manifest["license"]) == ("private", "unspecified")
        assert manifest["retired"] == []
        assert validate(unpinned.root) == []

    @pytest.mark.req("ENV-079")
    def test_every_file_is_pinned_by_size_and_sha256(self, unpinned):
        pin(unpinned.root)

        pins = {entry["path"]: entry for entry in read(unpinned)["files"]}
        assert list(pins) == [
            "LICENSE.txt",
            "assets/f1.txt",
            "assets/f2.txt",
            "assets/f3.txt",
            "assets/shared.txt",
        ]
        for path, entry in pins.items():
            data = unpinned.read(path)
            assert (entry["size"], entry["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())

    def test_given_names_are_taken(self, unpinned):
        pin(unpinned.root, benchmark="texts", id="me/texts", visibility="public")

        manifest = read(unpinned)
        assert (manifest["benchmark"], manifest["id"]) == ("texts", "me/texts")
        assert manifest["visibility"] == "public"

    def test_the_id_follows_a_given_benchmark(self, unpinned):
        pin(unpinned.root, benchmark="texts")

        assert read(unpinned)["id"] == "texts-small"

    def test_the_current_folder_can_be_pinned(self, unpinned, monkeypatch):
        monkeypatch.chdir(unpinned.root)
        pin(".")

        assert read(unpinned)["id"] == "words-small"

    @pytest.mark.parametrize("name", ["cases/mine", "my data/small", "ñ/small"])
    def test_a_folder_that_names_no_benchmark_asks_for_one(self, tmp_path, name):
        folder = Folder(tmp_path, name)

        with pytest.raises(UsageProblem, match=r"which benchmark(.|\n)*--benchmark=NAME"):
            pin(folder.root)
        assert not (folder.root / MANIFEST).exists()

    def test_a_folder_name_that_is_no_id_asks_for_one(self, tmp_path):
        folder = Folder(tmp_path, "words/año 1")

        with pytest.raises(UsageProblem, match=r"'words-año 1' is no dataset id(.|\n)*--id=NAME"):
            pin(folder.root)

    @pytest.mark.parametrize(
        "more", [{"visibility": "secret"}, {"id": "a/b/c"}, {"id": "a b"}, {"benchmark": "b c"}]
    )
    def test_an_argument_that_is_not_valid_is_refused(self, unpinned, more):
        with pytest.raises(UsageProblem):
            pin(unpinned.root, **more)
        assert not (unpinned.root / MANIFEST).exists()

    def test_bump_of_a_new_manifest_is_version_1(self, unpinned):
        assert pin(unpinned.root, bump=True).manifest.version == "1"

    def test_a_folder_that_does_not_exist_is_refused(self, tmp_path):
        with pytest.raises(DatasetError, match="there is no such folder"):
            pin(tmp_path / "nowhere")

    def test_a_folder_without_cases_is_refused(self, tmp_path):
        (tmp_path / "words" / "empty").mkdir(parents=True)

        with pytest.raises(DatasetError, match=r"cases\.jsonl: does not exist"):
            pin(tmp_path / "words" / "empty")


class TestRefresh:
    def test_nothing_changed_writes_nothing(self, folder):
        before = (folder.root / MANIFEST).stat().st_mtime_ns
        report = pin(folder.root)

        assert not report.is_written
        assert (folder.root / MANIFEST).stat().st_mtime_ns == before
        assert report.lines()[0].startswith("unchanged: ")

    def test_what_a_person_wrote_stays(self, folder):
        retired = [{"id": "c-2", "reason": "disputed", "since": "1"}]
        own = {"title": "Palabras ñ", "license": "CC0", "store": "s3://x", "version": "7.3"}
        folder.manifest(retired=retired, **own)
        folder.row(ANSWERS, 1, answer={"value": 0})
        pin(folder.root)

        manifest = read(folder)
        assert {key: manifest[key] for key in own} == own
        assert manifest["retired"] == retired
        assert "Palabras ñ" in folder.read(MANIFEST).decode()

    @pytest.mark.req("ENV-079", "ENV-080")
    def test_an_edited_answer_changes_one_digest_and_the_identity(self, folder):
        before, identity = read(folder), Dataset.open(folder.root).identity
        folder.row(ANSWERS, 1, answer={"value": 0})
        pin(folder.root)
        after = read(folder)

        assert after["digests"]["inputs"] == before["digests"]["inputs"]
        assert after["digests"]["answers"] != before["digests"]["answers"]
        assert Dataset.open(folder.root).identity != identity
        verify_digests(Dataset.open(folder.root))

    def test_files_that_came_went_and_changed_are_told(self, folder):
        folder.write("assets/new.txt", b"new")
        folder.write("LICENSE.txt", b"other")
        folder.row(CASES, 3, files=None)
        (folder.root / "assets/f3.txt").unlink()

        lines = pin(folder.root).lines()

        assert (
            "files: 1 added (assets/new.txt); 1 removed (assets/f3.txt); 1 changed (LICENSE.txt)"
        ) in lines

    def test_other_names_are_told(self, folder):
        lines = pin(folder.root, id="me/words", benchmark="texts", visibility="public").lines()

        assert "id: words-small -> me/words" in lines
        assert "benchmark: words -> texts" in lines
        assert "visibility: private -> public" in lines

    def test_a_broken_pin_is_made_anew(self, folder):
        folder.manifest(files=[{"path": "../x"}], digests=7)
        report = pin(folder.root)

        assert report.before is None
        assert validate(folder.root) == []

    @pytest.mark.parametrize(
        ("spoil", "message"),
        [
            (lambda f: f.write(MANIFEST, b"{"), r"manifest\.json:1: not readable"),
            (lambda f: f.manifest(schema="benchbed.manifest.v2"), "newer than this version"),
            (lambda f: f.manifest(retired=[{"id": "c-1"}]), "without a reason"),
            (lambda f: f.manifest(zzz=1), "unknown key 'zzz'"),
        ],
    )
    def test_a_manifest_that_cannot_be_kept_is_not_overwritten(self, folder, spoil, message):
        spoil(folder)
        before = folder.read(MANIFEST)

        with pytest.raises(DatasetError, match=message):
            pin(folder.root)
        assert folder.read(MANIFEST) == before

    def test_a_linked_manifest_is_not_written_through(self, folder, tmp_path):
        (folder.root / MANIFEST).rename(tmp_path / "elsewhere.json")
        (folder.root / MANIFEST).symlink_to(tmp_path / "elsewhere.json")

        with pytest.raises(DatasetError, match="symbolic link"):
            pin(folder.root)

    def test_many_faults_are_counted(self, unpinned):
        unpinned.rows(CASES, [case_row(n, catgory="x") for n in range(30)])
        unpinned.rows(ANSWERS, [answer_row(n) for n in range(30)])

        with pytest.raises(DatasetError) as caught:
            pin(unpinned.root)
        assert str(caught.value).count("\n") == 10
        assert str(caught.value).endswith("more faults")


class TestBump:
    @pytest.mark.req("ENV-079")
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("1", "2"),
            ("9", "10"),
            ("1.4", "1.5"),
            ("1.9", "1.10"),
            ("v3", "v4"),
            ("2026-01", "2026-02"),
            ("2026-09", "2026-10"),
            ("1.0-rc", "1.1-rc"),
        ],
    )
    def test_the_last_number_of_the_version_is_raised(self, before, after):
        assert next_version(before) == after

    def test_a_version_without_a_number_says_what_to_do(self):
        with pytest.raises(UsageProblem, match=r"'beta' has no number(.|\n)*without --bump"):
            next_version("beta")

    def test_a_bump_is_written_and_told(self, folder):
        report = pin(folder.root, bump=True)

        assert read(folder)["version"] == "2"
        assert "version 2 (was 1)" in report.lines()[0]

    def test_a_change_without_a_bump_is_pointed_out(self, folder):
        folder.row(ANSWERS, 1, answer={"value": 0})
        assert any("--bump" in text for text in pin(folder.root).lines())

        folder.row(ANSWERS, 1, answer={"value": 1})
        assert not any("--bump" in text for text in pin(folder.root, bump=True).lines())


class TestAtomic:
    def test_a_write_that_fails_leaves_the_old_manifest(self, folder, monkeypatch):
        before = folder.read(MANIFEST)
        folder.row(ANSWERS, 1, answer={"value": 0})

        def broken(_):
            raise OSError("disk full")

        monkeypatch.setattr(replace.os, "fsync", broken)
        with pytest.raises(OSError, match="disk full"):
            pin(folder.root)

        assert folder.read(MANIFEST) == before
        assert [path.name for path in folder.root.iterdir() if path.name.startswith(".")] == []

    def test_the_new_file_is_complete_before_it_takes_the_name(self, folder, monkeypatch):
        order = []
        real_sync = os.fsync
        monkeypatch.setattr(
            replace.os, "fsync", lambda file: (order.append("sync"), real_sync(file))
        )
        real_replace = replace.Path.replace
        monkeypatch.setattr(
            replace.Path,
            "replace",
            lambda self, target: (order.append("rename"), real_replace(self, target))[1],
        )
        pin(folder.root, bump=True)

        assert order[:2] == ["sync", "rename"]

    def test_a_manifest_can_be_read_by_others(self, unpinned):
        old = os.umask(0o022)
        try:
            pin(unpinned.root)
        finally:
            os.umask(old)

        if os.name == "posix":
            assert (unpinned.root / MANIFEST).stat().st_mode & 0o777 == 0o644


def test_a_system_that_cannot_sync_a_folder_still_pins(unpinned, monkeypatch):
    monkeypatch.delattr(replace.os, "O_DIRECTORY", raising=False)

    assert pin(unpinned.root).is_written


def git(folder, *command):
    # Inside a hook of Git these variables name the repository of the hook.
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    settings = ["user.name=x", "user.email=x@example.org", "commit.gpgsign=false"]
    options = [part for setting in settings for part in ("-c", setting)]
    subprocess.run(
        ["git", *options, *command], cwd=folder.root, env=own, check=True, capture_output=True
    )


@pytest.fixture
def committed(folder, monkeypatch):
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    git(folder, "init", "-q", "../..")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


class TestWhatChanged:
    def test_rows_are_compared_with_the_committed_ones(self, committed):
        committed.write(CASES, committed.read(CASES) + line(case_row(4, files=None)))
        committed.write(ANSWERS, committed.read(ANSWERS) + line(answer_row(4)))
        committed.row(CASES, 1, inputs={"text": "otra"})
        committed.row(ANSWERS, 3, answer={"value": 0})
        report = pin(committed.root, bump=True)

        assert report.case_changes == Changes(("c-4",), (), ("c-1",))
        assert report.answer_changes == Changes(("c-4",), (), ("c-3",))
        assert "cases: 1 added (c-4); 1 changed (c-1)" in report.lines()
        assert "answers: 1 added (c-4); 1 changed (c-3)" in report.lines()

    def test_rows_that_were_committed_broken_or_not_at_all_do_not_matter(self, committed):
        good = committed.read(CASES)
        committed.write(CASES, good + b"{broken\n")
        git(committed, "rm", "-q", "--cached", ANSWERS)
        git(committed, "add", CASES)
        git(committed, "commit", "-q", "-m", "broken")
        committed.write(CASES, good)
        committed.row(CASES, 2, category="other")
        committed.row(ANSWERS, 2, answer={"value": 0})
        report = pin(committed.root)

        assert report.case_changes == Changes((), (), ("c-2",))
        assert report.answer_changes is None

    def test_a_removed_case_is_told(self, committed):
        committed.rows(CASES, [case_row(1), case_row(3, context="doc", tags=["a", "b"])])
        committed.rows(ANSWERS, [answer_row(1), answer_row(3)])

        assert "cases: 1 removed (c-2)" in pin(committed.root).lines()

    def test_rows_in_another_order_and_form_are_no_change(self, committed):
        rows = committed.read(CASES).splitlines(keepends=True)
        committed.write(CASES, b"".join(reversed(rows)).replace(b'":', b'": '))
        report = pin(committed.root)

        assert report.case_changes == Changes((), (), ())
        assert not report.is_written

    def test_many_ids_are_cut(self, committed):
        committed.rows(CASES, [{"id": f"n-{n}", "inputs": {}} for n in range(30)])
        committed.rows(ANSWERS, [answer_row(n, id=f"n-{n}") for n in range(30)])

        text = "\n".join(pin(committed.root).lines())

        assert "30 added (n-0, n-1, n-10, n-11" in text
        assert "and 20 more)" in text

    def test_a_second_pin_does_not_tell_the_same_again(self, committed):
        committed.row(ANSWERS, 3, answer={"value": 0})
        pin(committed.root)
        committed.row(ANSWERS, 1, answer={"value": 0})
        report = pin(committed.root)

        assert report.answer_changes is None
        assert any(text.startswith("answers: changed (") for text in report.lines())
        assert not any(text.startswith("cases:") for text in report.lines())

    def test_without_git_only_that_something_changed_is_told(self, folder, monkeypatch):
        monkeypatch.setattr(changes.shutil, "which", lambda _: None)
        folder.row(CASES, 1, category="other")
        report = pin(folder.root)

        assert report.case_changes is None
        assert any(text.startswith("cases: changed (") for text in report.lines())

    @pytest.mark.parametrize("error", [OSError("no"), subprocess.TimeoutExpired("git", 60)])
    def test_a_git_that_does_not_answer_is_like_none(self, committed, monkeypatch, error):
        def broken(*_, **__):
            raise error

        monkeypatch.setattr(changes.subprocess, "run", broken)
        committed.row(CASES, 1, category="other")

        assert pin(committed.root).case_changes is None

    def test_a_committed_manifest_that_is_no_manifest_is_like_none(self, committed):
        good = committed.read(MANIFEST)
        for text in (b"{", b"[]"):
            committed.write(MANIFEST, text)
            git(committed, "add", ".")
            git(committed, "commit", "-q", "-m", "broken")
            committed.write(MANIFEST, good)
            committed.row(CASES, 1, category=f"other {text!r}")

            assert pin(committed.root).case_changes is None
            good = committed.read(MANIFEST)


def test_a_file_that_vanishes_while_it_is_pinned_is_a_fault(unpinned, monkeypatch):
    real = pin_module.read_facts

    def vanishing(root, path, token):
        (root / "LICENSE.txt").unlink(missing_ok=True)
        return real(root, path, token)

    monkeypatch.setattr(pin_module, "read_facts", vanishing)

    with pytest.raises(DatasetError, match=r"LICENSE\.txt: does not exist"):
        pin(unpinned.root)
