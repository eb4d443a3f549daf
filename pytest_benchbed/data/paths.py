"""Which paths a dataset may use, and how they are opened.

A path in a manifest or a row must mean the same file on every system, and
must not lead out of the dataset folder: :func:`check_path` judges the text,
:func:`open_inside` opens it segment by segment without following a link.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

MAX_PATH_BYTES = 200
RESERVED = ("manifest.json", "cases.jsonl", "contexts.jsonl", "answers.jsonl")
"""The dataset's own files; no other file of it has such a name at the top."""

_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])", re.IGNORECASE
)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")

# Opening relative to a folder's descriptor closes the gap between checking a
# segment and using it; Windows has neither that nor O_NOFOLLOW.
_HAS_DIR_FD = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)
# A FIFO would block the open for ever without it.
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)

FileProblemKind = Literal["refused", "missing", "link", "special", "unreadable"]


class FileProblem(Exception):
    """A file of the dataset cannot be opened as the regular file it must be.

    The text is a cause without the path, such as ``is a symbolic link``.
    """

    def __init__(self, kind: FileProblemKind, text: str) -> None:
        """Keep both parts."""
        super().__init__(text)
        self.kind: FileProblemKind = kind


def check_path(text: str) -> str | None:
    """Return why ``text`` may not be a path in a dataset, or None if it may.

    Paths are relative, POSIX, NFC, at most 200 bytes, without empty, ``.`` or
    ``..`` segments, backslash, colon, control character, blank at an end, dot
    at the end, or a device name of Windows in any segment.
    """
    if not text:
        return "is empty"
    if text[0] in "/\\" or _DRIVE.match(text):
        return "is an absolute path"
    if "\\" in text:
        return "has a backslash"
    if ":" in text:
        return "has a colon"
    if _CONTROL.search(text):
        return "has a control character"
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        return "is not UTF-8"
    if size > MAX_PATH_BYTES:
        return f"is longer than {MAX_PATH_BYTES} bytes"
    if not unicodedata.is_normalized("NFC", text):
        return "is not in Unicode form NFC"
    for segment in text.split("/"):
        reason = _check_segment(segment)
        if reason is not None:
            return reason
    return None


def _check_segment(segment: str) -> str | None:
    if not segment:
        return "has an empty segment"
    if segment in (".", ".."):
        return f"has the segment '{segment}'"
    if segment != segment.strip():
        return "has a blank at the start or end of a segment"
    if segment.endswith("."):
        return "has a dot at the end of a segment"
    # Windows takes "nul.txt" and "con .log" for the devices too.
    if _DEVICE.fullmatch(segment.partition(".")[0].rstrip()):
        return "has a device name of Windows"
    return None


def twin_key(text: str) -> str:
    """Return what is equal for texts that differ only by case or Unicode form."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", folded)


def find_twins(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs (first, other) of paths or folders that are one on some file systems.

    Folders count too: ``Assets/a.png`` and ``assets/b.png`` are two folders
    here and one elsewhere. Each other spelling is told once.
    """
    first: dict[str, str] = {}
    told: set[str] = set()
    for path in paths:
        end = len(path)
        prefixes = [path[:at] for at in range(end) if path[at] == "/"]
        for prefix in (*prefixes, path):
            known = first.setdefault(twin_key(prefix), prefix)
            if known != prefix and prefix not in told:
                told.add(prefix)
                yield known, prefix
                break


def open_inside(root: Path, relative: str) -> int:
    """Open a regular file below ``root``; return a descriptor to read, which the caller closes.

    No segment below ``root`` may be a link. ``root`` itself is what the user named.

    Raises:
        FileProblem: the path is refused, or no regular file is there.
    """
    reason = check_path(relative)
    if reason is not None:
        raise FileProblem("refused", reason)
    if _HAS_DIR_FD:
        return _open_by_segments(root, relative.split("/"))
    return _open_checked(root, relative.split("/"))


def _open_by_segments(root: Path, segments: list[str]) -> int:
    try:
        folder = os.open(root, _READ | _FOLDER)
    except OSError as error:
        raise _problem(error) from None
    try:
        for segment in segments[:-1]:
            inner = _open_at(folder, segment, _READ | _FOLDER | _NO_FOLLOW)
            os.close(folder)
            folder = inner
        file = _open_at(folder, segments[-1], _READ | _NO_FOLLOW | _NO_WAIT)
    finally:
        os.close(folder)
    return _regular(file)


def _open_at(folder: int, segment: str, flags: int) -> int:
    try:
        return os.open(segment, flags, dir_fd=folder)
    except OSError as error:
        # The error number of a refused link differs between systems and flags.
        try:
            mode = os.stat(segment, dir_fd=folder, follow_symlinks=False).st_mode
        except OSError:
            raise _problem(error) from None
        if stat.S_ISLNK(mode):
            raise FileProblem("link", "is a symbolic link, or lies behind one") from None
        if error.errno == errno.ENXIO or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise FileProblem("special", "is not a regular file") from None
        raise _problem(error) from None


def _open_checked(root: Path, segments: list[str]) -> int:
    path = root
    try:
        for segment in segments:
            path = path / segment
            if is_link(path.lstat()):
                raise FileProblem("link", "is a symbolic link, or lies behind one")
        before = path.lstat()
        if not stat.S_ISREG(before.st_mode):
            raise FileProblem("special", "is not a regular file")
        file = os.open(path, _READ | _NO_WAIT)
    except OSError as error:
        raise _problem(error) from None
    after = os.fstat(file)
    if before.st_ino and (before.st_ino, before.st_dev) != (after.st_ino, after.st_dev):
        os.close(file)
        raise FileProblem("unreadable", "was replaced while it was opened")
    return _regular(file)


def is_link(status: os.stat_result) -> bool:
    """Say whether an ``lstat`` result is of a symbolic link or a Windows junction."""
    tag = getattr(status, "st_reparse_tag", 0)
    return stat.S_ISLNK(status.st_mode) or (
        tag != 0 and tag == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
    )


def _regular(file: int) -> int:
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise FileProblem("special", "is not a regular file")
    return file


def _problem(error: OSError) -> FileProblem:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return FileProblem("missing", "does not exist")
    return FileProblem("unreadable", f"cannot be read ({error.strerror or type(error).__name__})")
