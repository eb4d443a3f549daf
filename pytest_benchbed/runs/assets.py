"""Copy the images that a report shows into ``report-assets/``, named by content.

The name is the SHA-256 of the bytes with an extension of ours, chosen by the
first bytes and never by the file's own name: a case cannot smuggle a page or a
script into the folder. Other kinds of files are not copied. An SVG may hold
scripts; it is only ever shown through ``<img>``, where they do not run.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from pytest_benchbed.model.errors import RunError
from pytest_benchbed.model.images import image_kind

_BEFORE_SVG = ((b"<?xml", b"?>"), (b"<!--", b"-->"), (b"<!DOCTYPE svg", b">"))
_HEAD_BYTES = 4096
_BLOCK_BYTES = 1 << 20
_OPEN = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def copy_assets(files: Iterable[Path], folder: Path) -> dict[Path, str]:
    """Copy the images among ``files`` into ``folder``; return the new name of each.

    Names are ``<sha256>.<png|jpg|gif|webp|svg>``; equal images are one file.
    Files that are no image, no regular file or not there have no name.

    Raises:
        RunError: the copy cannot be written.
    """
    names: dict[Path, str] = {}
    for path in files:
        if path not in names:
            name = _copy(path, folder)
            if name is not None:
                names[path] = name
    return names


def image_extension(head: bytes) -> str | None:
    """Return the extension for a file that starts with ``head``; None if it is no image."""
    kind = image_kind(head)
    if kind is not None:
        return "jpg" if kind == "jpeg" else kind
    return "svg" if _is_svg(head) else None


def _is_svg(head: bytes) -> bool:
    """Look behind declarations and comments, one by one: a pattern could not be made linear."""
    rest = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    while end := next((end for start, end in _BEFORE_SVG if rest.startswith(start)), None):
        rest = rest.partition(end)[2].lstrip()
    return rest[:4] == b"<svg" and rest[4:5] in (b">", b"/", b" ", b"\t", b"\r", b"\n")


def _copy(path: Path, folder: Path) -> str | None:
    try:
        descriptor = os.open(path, _OPEN)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as source:
        head = source.read(_HEAD_BYTES)
        extension = image_extension(head)
        if extension is None:
            return None
        temporary = folder / f".{secrets.token_hex(8)}.tmp"
        try:
            name = f"{_write(source, head, temporary)}.{extension}"
            # No fsync: an image can be copied again from the dataset, and one
            # fsync for each would take minutes for a large report.
            temporary.replace(folder / name)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise RunError(
                f"{folder}: an image of the report cannot be written: {error.strerror}. "
                "Make room on the disk, then make the report again."
            ) from error
    return name


def _write(source: BinaryIO, head: bytes, target: Path) -> str:
    """Copy and hash in one pass; what the name says is what was written."""
    digest = hashlib.sha256(head)
    with target.open("xb") as file:
        file.write(head)
        while block := source.read(_BLOCK_BYTES):
            digest.update(block)
            file.write(block)
    return digest.hexdigest()
