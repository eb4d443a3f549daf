"""Finding an adapter's code without importing it."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest

from pytest_benchbed.adapters.locate import locate
from pytest_benchbed.adapters.spec import Located
from pytest_benchbed.model.errors import UsageProblem

CODE = "raise SystemExit('imported')\n"


def write(path: Path, text: str = CODE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def find(entry: str, root: Path, **settings) -> Located:
    return locate(entry, rootdir=root, invocation_dir=settings.pop("at", root), **settings)


def test_a_module_is_found_below_the_root_without_importing_its_package(tmp_path: Path) -> None:
    write(tmp_path / "acme" / "__init__.py")
    path = write(tmp_path / "acme" / "adapters.py")

    found = find("acme.adapters:Ours", tmp_path)

    assert (found.kind, found.path, found.folder) == ("class", path, tmp_path)
    assert (found.module, found.attribute) == ("acme.adapters", "Ours")
    assert found.code_sha256 == hashlib.sha256(CODE.encode()).hexdigest()
    assert "acme" not in sys.modules


def test_a_package_is_found_by_its_init(tmp_path: Path) -> None:
    path = write(tmp_path / "acme" / "__init__.py")

    assert find("acme:Ours", tmp_path).path == path


@pytest.mark.parametrize("folder", [".", "src", "lib/deep", "tools"])
def test_a_module_is_found_anywhere_below_the_root(tmp_path: Path, folder: str) -> None:
    path = write(tmp_path / folder / "mine.py")

    found = find("mine:f", tmp_path)

    assert (found.path, found.folder) == (path, path.parent)


def test_the_search_path_goes_before_the_walk_below_the_root(tmp_path: Path) -> None:
    write(tmp_path / "root" / "deep" / "mine.py")
    path = write(tmp_path / "lib" / "mine.py")

    assert find("mine:f", tmp_path / "root", search=[tmp_path / "lib"]).path == path


def test_a_module_in_two_folders_is_refused_with_both(tmp_path: Path) -> None:
    write(tmp_path / "a" / "mine.py")
    write(tmp_path / "b" / "mine.py")

    with pytest.raises(UsageProblem, match=r"several folders: a, b.\n.*FOLDER/mine.py:f"):
        find("mine:f", tmp_path)


@pytest.mark.parametrize("mark", ["runs/r/run.json", "data/manifest.json", "env/pyvenv.cfg"])
def test_runs_datasets_and_environments_are_not_searched(tmp_path: Path, mark: str) -> None:
    write(tmp_path / mark)
    write(tmp_path / Path(mark).parent / "mine.py")

    with pytest.raises(UsageProblem, match="no module 'mine'"):
        find("mine:f", tmp_path)


@pytest.mark.parametrize("module", ["xdist.plugin", "pluggy", "typing_extensions"])
def test_an_installed_module_is_found_without_a_search_path(tmp_path: Path, module: str) -> None:
    found = find(f"{module}:name", tmp_path)

    assert found.module == module
    assert found.folder is not None
    assert found.path.is_relative_to(found.folder)


def test_a_file_and_a_name_are_a_module(tmp_path: Path) -> None:
    path = write(tmp_path / "my tools" / "the_file.py")

    found = find("my tools/the_file.py:f", tmp_path)

    assert (found.kind, found.path, found.folder) == ("class", path, path.parent)
    assert (found.module, found.attribute) == ("the_file", "f")


def test_a_path_is_an_executable(tmp_path: Path) -> None:
    path = write(tmp_path / "bin" / "adapter")

    found = find("bin/adapter", tmp_path)

    assert (found.kind, found.path, found.folder) == ("executable", path, None)


def test_a_relative_path_counts_from_where_pytest_was_called_then_from_the_root(
    tmp_path: Path,
) -> None:
    at = tmp_path / "sub"
    near = write(at / "adapter")
    far = write(tmp_path / "adapter")
    other = write(tmp_path / "other")

    assert find("adapter", tmp_path, at=at).path == near
    assert find("other", tmp_path, at=at).path == other
    assert find("./adapter", tmp_path, at=tmp_path).path == far


def test_a_drive_letter_is_no_module_on_windows(tmp_path: Path) -> None:
    write(tmp_path / "C.py")

    with pytest.raises(UsageProblem, match="no file 'C:adapter'"):
        find("C:adapter", tmp_path, is_windows=True)
    assert find("C:adapter", tmp_path, is_windows=False).module == "C"


@pytest.mark.parametrize(
    "entry", [r"C:\tools\adapter.exe", "C:/tools/adapter.exe", "./none", "a/b"]
)
def test_a_missing_file_is_refused_with_where_it_was_looked_for(tmp_path: Path, entry: str) -> None:
    with pytest.raises(UsageProblem, match="there is no file") as caught:
        find(entry, tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_a_missing_file_with_a_name_is_refused_too(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"no file 'a/b.py'"):
        find("a/b.py:f", tmp_path)


def test_a_missing_module_is_refused_with_how_to_list(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"no module 'nowhere_at_all\.(.|\n)*--bench-list"):
        find("nowhere_at_all.adapters:A", tmp_path)


@pytest.mark.parametrize("entry", ["sys:exit", "xdist.nothing_there:f"])
def test_what_has_no_file_is_refused(tmp_path: Path, entry: str) -> None:
    with pytest.raises(UsageProblem, match="no module"):
        find(entry, tmp_path)


@pytest.mark.parametrize("entry", ["x" * 5000, "a\0b", ""], ids=["long", "nul", "empty"])
def test_a_text_that_no_file_can_have_is_an_unknown_name(tmp_path: Path, entry: str) -> None:
    with pytest.raises(UsageProblem, match="unknown adapter"):
        find(entry, tmp_path, known=["reference"])


def test_an_unknown_name_is_refused_with_the_nearest_and_how_to_list(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"'pdfplumber'\?\n.*--bench-list"):
        find("pdfplumer", tmp_path, known=["reference", "pdfplumber"])


def test_the_name_of_a_module_file_is_answered_with_how_to_name_it(tmp_path: Path) -> None:
    write(tmp_path / "mine.py")

    with pytest.raises(UsageProblem, match="--bench-adapter=mine:NAME"):
        find("mine", tmp_path)


def test_a_folder_is_no_adapter(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)

    with pytest.raises(UsageProblem, match="is a folder"):
        find("a/b", tmp_path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "mine.py").chmod(0)

    with pytest.raises(UsageProblem, match="cannot be read"):
        find("mine:f", tmp_path)
