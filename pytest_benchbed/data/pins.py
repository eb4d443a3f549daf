"""Size and SHA-256 of the files of a dataset, and why a file is not the pinned one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import NamedTuple

from pytest_benchbed.data.faults import Fault
from pytest_benchbed.data.faults import pin_remedy
from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.paths import FileProblem
from pytest_benchbed.data.paths import open_inside
from pytest_benchbed.data.paths import twin_key
from pytest_benchbed.data.rows import LFS_FAULT
from pytest_benchbed.data.rows import LFS_POINTER
from pytest_benchbed.model.dataset import PinnedFile

BLOCK = 1 << 20
_POINTER_BYTES = 1024


class Use(NamedTuple):
    """The first row that names a file."""

    shown: str
    """File of the row, for messages."""
    line: int
    case: str | None
    """None: it is a context that names it."""


class FileFacts:
    """One reading of a file: its pin, and what was found in it."""

    __slots__ = ("has_token", "is_pointer", "pin")

    def __init__(self, pin: PinnedFile, is_pointer: bool, has_token: bool) -> None:
        """Keep what was seen."""
        self.pin = pin
        """The pin that fits the file as it is."""
        self.is_pointer = is_pointer
        """It is the pointer that Git LFS puts in the place of a file."""
        self.has_token = has_token
        """The token that was looked for stands in it."""


def read_facts(root: Path, path: str, token: str | None = None) -> FileFacts:
    """Read a file once: size, hash, whether it is a pointer, whether it holds ``token``.

    Raises:
        FileProblem: it is no regular file that can be read.
    """
    sha = hashlib.sha256()
    size = 0
    is_pointer = has_token = False
    needle = None if token is None else token.encode("ascii")
    tail = b""
    for block in read_blocks(root, path):
        if size == 0:
            is_pointer = block.startswith(LFS_POINTER)
        if needle is not None:
            has_token = has_token or needle in tail + block[: len(needle)] or needle in block
            tail = block[-len(needle) :]
        sha.update(block)
        size += len(block)
    pin = PinnedFile(path=path, size=size, sha256=sha.hexdigest())
    return FileFacts(pin, is_pointer and size <= _POINTER_BYTES, has_token)


def read_blocks(root: Path, path: str) -> Iterator[bytes]:
    """Yield the content of a file in blocks of 1 MiB.

    Raises:
        FileProblem: it is no regular file that can be read.
    """
    file = open_inside(root, path)
    try:
        while block := os.read(file, BLOCK):
            yield block
    except OSError as error:
        raise FileProblem("unreadable", f"cannot be read ({error.strerror})") from None
    finally:
        os.close(file)


def pin_faults(
    root: Path,
    pins: Sequence[PinnedFile],
    files: AbstractSet[str],
    uses: Mapping[str, Use],
    token: str | None,
) -> Iterator[Fault]:
    """Compare a folder with the pins of its manifest.

    Args:
        root: the dataset folder.
        pins: of the manifest.
        files: what lies in the folder and can be pinned.
        uses: files that rows name.
        token: canary of the answers, which no file may hold.
    """
    present = {twin_key(path): path for path in files}
    pinned = {pin.path for pin in pins}
    for pin in pins:
        use = uses.get(pin.path)
        yield from _pin_faults(root, pin, None if use is None else use.case, present, token)
    for path, use in uses.items():
        if path not in pinned:
            lies = "" if path in files else " and does not exist"
            cause = f"the file {quoted(path)} is not pinned{lies}"
            yield Fault(use.shown, use.line, use.case, cause, pin_remedy(root))
    for path in sorted(files - pinned - uses.keys()):
        cause = "the file is not listed in manifest.json"
        remedy = f"Remove it, or pin it. {pin_remedy(root)}"
        yield Fault(str(root / path), None, None, cause, remedy)


def _pin_faults(
    root: Path, pin: PinnedFile, case: str | None, present: Mapping[str, str], token: str | None
) -> Iterator[Fault]:
    try:
        facts = read_facts(root, pin.path, token)
    except FileProblem as problem:
        near = present.get(twin_key(pin.path))
        there = ""
        if problem.kind == "missing" and near is not None:
            there = f"; there is {quoted(near)}, which differs only by case"
        cause = f"pinned in manifest.json, but {problem}{there}"
        remedy = f"Restore the file, or pin without it. {pin_remedy(root, ' --bump')}"
        yield Fault(str(root / pin.path), None, case, cause, remedy)
        return
    yield from content_faults(root, facts, case)
    if facts.pin != pin and not facts.is_pointer:
        yield changed_fault(root, pin, facts.pin, case)


def content_faults(root: Path, facts: FileFacts, case: str | None) -> Iterator[Fault]:
    """What is wrong with a file whatever its pin says."""
    shown = str(root / facts.pin.path)
    if facts.is_pointer:
        yield Fault(shown, None, case, *LFS_FAULT)
    if facts.has_token:
        cause = "the canary of the answers stands in this file"
        yield Fault(shown, None, case, cause, "Take the answers out of it.")


def changed_fault(root: Path, pin: PinnedFile, found: PinnedFile, case: str | None) -> Fault:
    """Say how a file differs from its pin; line ends that Git changed are told as such."""
    shown = str(root / pin.path)
    line_ends = _line_ends(root, pin, found)
    if line_ends is not None:
        name = f'"{pin.path}"' if " " in pin.path else pin.path
        remedy = (
            f"Add the line '{name} -text' to {root / '.gitattributes'}, then remove the file and "
            "check it out again."
        )
        return Fault(shown, None, case, f"differs only in line ends: {line_ends}", remedy)
    cause = "the content is not the pinned one"
    if pin.size != found.size:
        cause = f"the file has {found.size} bytes, pinned are {pin.size}"
    remedy = f"Restore the file, or: {pin_remedy(root, ' --bump')}"
    return Fault(shown, None, case, cause, remedy)


def _line_ends(root: Path, pin: PinnedFile, found: PinnedFile) -> str | None:
    """Say which line ends the file has instead of the pinned ones, if that is all."""
    if pin.size == found.size:
        return None
    if _hash_with(root, pin.path, b"\n") == pin.sha256:
        return "it has CRLF, pinned was LF"
    if _hash_with(root, pin.path, b"\r\n") == pin.sha256:
        return "it has LF, pinned was CRLF"
    return None


def _hash_with(root: Path, path: str, line_end: bytes) -> str:
    """Return the SHA-256 of the file as it would be with other line ends."""
    sha = hashlib.sha256()
    kept = b""
    for block in read_blocks(root, path):
        data = kept + block
        # A carriage return at the end of a block may belong to a line feed.
        kept = b"\r" if data.endswith(b"\r") else b""
        data = data[: len(data) - len(kept)].replace(b"\r\n", b"\n")
        sha.update(data if line_end == b"\n" else data.replace(b"\n", line_end))
    sha.update(kept)
    return sha.hexdigest()
