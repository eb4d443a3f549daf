from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.runs import assets
from pytest_benchbed.runs.assets import copy_assets
from pytest_benchbed.runs.assets import image_extension

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"
IMAGES = {
    "png": PNG,
    "jpg": b"\xff\xd8\xff\xe0 JFIF",
    "gif": b"GIF89a....",
    "webp": b"RIFF\x10\x00\x00\x00WEBPVP8 ",
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg"/>',
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "report-assets"
    path.mkdir()
    return path


def file(tmp_path: Path, name: str, data: bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.req("ENV-076")
@pytest.mark.parametrize("kind", IMAGES)
def test_an_image_is_named_by_its_bytes(tmp_path: Path, folder: Path, kind: str) -> None:
    """Neither its own name nor its own extension is kept."""
    source = file(tmp_path, "page.html", IMAGES[kind])

    names = copy_assets([source], folder)

    name = f"{hashlib.sha256(IMAGES[kind]).hexdigest()}.{kind}"
    assert names == {source: name}
    assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_bytes() == IMAGES[kind]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"%PDF-1.7",
        b"<html><svg></svg></html>",
        b"<script>1</script><svg></svg>",
        b"<svgx></svgx>",
        b"PK\x03\x04",
        b" \x89PNG\r\n\x1a\n",
        b"RIFF\x10\x00\x00\x00WAVEfmt ",
        b"<!DOCTYPE html><svg></svg>",
        b'<!DOCTYPE svg [<!ENTITY a "b">]><svg></svg>',
    ],
)
def test_what_is_no_image_is_not_copied(tmp_path: Path, folder: Path, data: bytes) -> None:
    assert copy_assets([file(tmp_path, "crop.png", data)], folder) == {}
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "head",
    [
        b"<svg>",
        b"\xef\xbb\xbf<svg>",
        b'<?xml version="1.0"?>\n<svg width="3">',
        b"<!-- made [by hand] -->\n<!-- twice -->\n<svg\n",
        b'<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd"><svg>',
    ],
)
def test_a_drawing_is_known_behind_its_declarations(head: bytes) -> None:
    assert image_extension(head) == "svg"


@pytest.mark.parametrize("head", [b"<?xml " * 4000, b"<!--" * 4000, b" " * 4000, b"<!---->" * 500])
def test_a_head_without_an_end_costs_no_time(head: bytes) -> None:
    """A pattern that tries every way of reading it would not return."""
    assert image_extension(head) is None


def test_equal_images_are_one_file(tmp_path: Path, folder: Path) -> None:
    one, two = file(tmp_path, "1.png", PNG), file(tmp_path, "2.png", PNG)

    names = copy_assets([one, two, one], folder)

    assert names[one] == names[two]
    assert len(list(folder.iterdir())) == 1


def test_a_large_image_is_copied_whole(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assets, "_BLOCK_BYTES", 100)
    data = PNG + bytes(range(256)) * 40
    source = file(tmp_path, "1.png", data)

    name = copy_assets([source], folder)[source]

    assert (folder / name).read_bytes() == data
    assert name.startswith(hashlib.sha256(data).hexdigest())


def test_missing_files_folders_and_links_are_passed_over(tmp_path: Path, folder: Path) -> None:
    link = tmp_path / "link.png"
    link.symlink_to(file(tmp_path, "1.png", PNG))
    missing = tmp_path / "missing.png"

    assert copy_assets([missing, tmp_path, link], folder) == {}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_is_not_waited_for(tmp_path: Path, folder: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")

    assert copy_assets([tmp_path / "pipe.png"], folder) == {}


def test_a_full_disk_leaves_nothing_half_copied(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, target: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", full)

    with pytest.raises(RunError, match=r"report-assets: an image .* No space left"):
        copy_assets([file(tmp_path, "1.png", PNG)], folder)

    assert list(folder.iterdir()) == []
