"""Messages between pytest and an adapter's process, on two pipes.

A frame is a length of four bytes (big-endian) and one JSON object in UTF-8,
read strictly on both sides: what comes out of the adapter's process is hostile,
and what goes in is ours to get right. Standard library only.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

from pytest_benchbed.model.strict import MAX_DEPTH
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

VERSION = 1
MAX_FRAME = 8 * 1024 * 1024
REPLIES = frozenset({"result", "no_answer", "retry", "unsupported", "error"})
"""A reply has exactly one of these; ``usage`` stands beside ``result``."""

_HEADER = struct.Struct(">I")
_BLOCK = 1024 * 1024
_AHEAD = 64 * 1024
"""Bytes asked of the pipe at once; most messages are shorter."""


class FrameError(Exception):
    """The bytes are no frame; after that nothing on the pipe can be trusted."""


as_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
"""Write a value as compact JSON; made once, since making an encoder costs as much as using it."""


def pack(message: Mapping[str, Any], limit: int = MAX_FRAME) -> bytes:
    """Return the frame of one message.

    Raises:
        ValueError: NaN, infinity, a lone surrogate, or something that is no JSON
            (``TypeError``, ``RecursionError`` from the encoder pass through).
        FrameError: longer than ``limit`` bytes.
    """
    return pack_text(as_text(message), limit)


def pack_text(text: str, limit: int = MAX_FRAME) -> bytes:
    """Return the frame of one message that is JSON text already."""
    payload = text.encode("utf-8")
    if len(payload) > limit:
        raise FrameError(f"a message of {len(payload)} bytes is longer than {limit}")
    return _HEADER.pack(len(payload)) + payload


def read_frame(read: Callable[[int], bytes], limit: int = MAX_FRAME) -> dict[str, Any] | None:
    """Read one message; None at the end of the pipe.

    ``read`` returns at most the asked number of bytes, and none at the end.

    Raises:
        FrameError: a length of 0 or above ``limit``, an end inside a frame, or a
            payload that is not one strict JSON object.
    """
    header = _exactly(read, _HEADER.size)
    if header is None:
        return None
    (size,) = _HEADER.unpack(header)
    if not 0 < size <= limit:
        raise FrameError(f"a message says it has {size} bytes; 1 to {limit} are allowed")
    payload = _exactly(read, size)
    if payload is None:
        raise FrameError("the pipe ended inside a message")
    try:
        # The message itself is one level around what the adapter returned.
        message = read_json(payload, max_depth=MAX_DEPTH + 1)
    except MalformedJson as error:
        raise FrameError(f"a message is not JSON: {error}") from None
    if not isinstance(message, dict):
        raise FrameError("a message is no JSON object")
    return message


def _exactly(read: Callable[[int], bytes], size: int) -> bytes | None:
    """Read ``size`` bytes; None if the pipe ends before the first."""
    parts: list[bytes] = []
    missing = size
    while missing:
        part = read(min(missing, _BLOCK))
        if not part:
            if parts:
                raise FrameError("the pipe ended inside a message")
            return None
        parts.append(part)
        missing -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def reader_of(fd: int) -> Callable[[int], bytes]:
    """Return a ``read`` for :func:`read_frame` on a file descriptor, which nobody else reads.

    It reads ahead: a short message comes with its length in one call of the system.
    """
    ahead = b""

    def read(size: int) -> bytes:
        nonlocal ahead
        data = ahead or os.read(fd, max(size, _AHEAD))
        ahead = data[size:]
        return data[:size]

    return read


def write_all(fd: int, data: bytes) -> None:
    """Write all of ``data``; blocks while the pipe is full."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
