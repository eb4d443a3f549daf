"""The text of a file that somebody's spreadsheet wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.spreadsheet import encoding_of

MAX_BYTES: Final = 1024 * 1024 * 1024


def decode(path: Path, encoding: str | None) -> str:
    """Return the text of a file; without ``encoding`` a byte order mark or UTF-8 decides.

    Raises:
        UsageProblem: it cannot be read, is too large, or is of another encoding.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageProblem(f"{path} is larger than {MAX_BYTES} bytes; split it.")
        data = path.read_bytes()
    except OSError as error:
        raise UsageProblem(f"{path} cannot be read: {error.strerror}.") from None
    chosen = encoding or encoding_of(data)
    try:
        return data.decode(chosen).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        name = chosen.removesuffix("-sig")
        hint = "" if encoding else "; of Excel on Windows it is mostly encoding=cp1252"
        raise UsageProblem(
            f"{path}:{line}: byte 0x{data[error.start]:02x} is not {name}: save the file as "
            f"UTF-8, or give its encoding{hint}."
        ) from None
