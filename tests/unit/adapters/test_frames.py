"""Frames: four bytes of length and one strict JSON object."""

from __future__ import annotations

import io
import os
import struct
import threading

import pytest

from pytest_benchbed.adapters.frames import FrameError
from pytest_benchbed.adapters.frames import pack
from pytest_benchbed.adapters.frames import read_frame
from pytest_benchbed.adapters.frames import reader_of
from pytest_benchbed.adapters.frames import write_all


def raw(payload: bytes) -> bytes:
    return struct.pack(">I", len(payload)) + payload


def read(data: bytes, limit: int = 1000):
    return read_frame(io.BytesIO(data).read, limit)


def test_a_message_comes_back_as_it_was_packed() -> None:
    message = {"v": 1, "id": 7, "text": "é \U0001f600", "list": [1, 0.5, None]}

    assert read(pack(message)) == message


def test_the_length_is_big_endian_and_counts_bytes() -> None:
    assert pack({"a": "é"})[:4] == b"\0\0\0\x0a"


def test_a_message_that_comes_in_single_bytes_is_put_together() -> None:
    stream = io.BytesIO(pack({"a": "b" * 100}))

    assert read_frame(lambda size: stream.read(1), 1000) == {"a": "b" * 100}


def test_messages_that_come_together_are_told_apart() -> None:
    # The reader reads ahead by 64 KiB: shorter ones, and one that is longer.
    messages = [{"a": "b" * size} for size in (0, 10, 70_000, 5, 65_525, 1)]
    requests, replies = os.pipe()

    def write() -> None:
        write_all(replies, b"".join(pack(message) for message in messages))
        os.close(replies)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        read_one = reader_of(requests)
        got = [read_frame(read_one) for _ in range(len(messages) + 1)]
    finally:
        writer.join()
        os.close(requests)

    assert got == [*messages, None]


def test_the_end_of_the_pipe_is_no_message() -> None:
    assert read(b"") is None


@pytest.mark.parametrize(
    "data",
    [
        b"\0\0",
        b"\0\0\0\5{}",
        b"\0\0\0\5",
        b"\0\0\0\0",
        b"\x7f\xff\xff\xff{}",
        struct.pack(">I", 1001) + b" " * 1001,
        b"Traceback (most recent call last):\n",
        raw(b"[]"),
        raw(b"null"),
        raw(b"{} {}"),
        raw(b'{"a": NaN}'),
        raw(b'{"a": 1, "a": 2}'),
        raw(b"\xff"),
        raw(b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}"),
    ],
)
def test_anything_else_is_no_frame(data: bytes) -> None:
    with pytest.raises(FrameError):
        read(data)


def test_a_prediction_may_be_as_deep_as_anywhere_and_no_deeper() -> None:
    def nested(depth: int) -> bytes:
        return raw(b'{"result":' + b"[" * depth + b"]" * depth + b"}")

    assert read(nested(64)) is not None
    with pytest.raises(FrameError):
        read(nested(65))


def test_a_message_longer_than_the_limit_is_not_packed() -> None:
    with pytest.raises(FrameError, match="longer than 100"):
        pack({"a": "x" * 200}, 100)


@pytest.mark.parametrize("value", [float("nan"), "\ud800"])
def test_what_no_json_can_hold_is_not_packed(value: object) -> None:
    with pytest.raises(ValueError, match=r"JSON|surrogate"):
        pack({"a": value})
