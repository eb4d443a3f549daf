"""Every malformed kind of output: how a system writes it, and what must come of it.

Standard library only: the executable of a session imports this module too.
``spoil`` gets an output folder whose result and predictions are good.
"""

from __future__ import annotations

import json
import os
import pickle
import socket
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CASES = ("t-001", "t-002", "t-003")
VICTIM = "t-002"
RESULT = "adapter-result.json"
DATA = "predictions.json"
CAP = 10 * 1024 * 1024
"""More than any limit of a file that is read."""

Spoil = Callable[[Path], None]


@dataclass(frozen=True)
class Kind:
    """One malformed kind."""

    spoil: Spoil
    kind: str
    """The technical kind; "" where the output is accepted."""
    is_of_case: bool = False
    """Whether it touches one case only."""
    in_session: bool = False
    """Whether a whole session shows it; all are shown to the reader."""


def good_predictions() -> dict[str, Any]:
    """Return what an executable without a fault predicts."""
    return {case: {"main": [], "side": []} for case in CASES}


def good_result(benchmark: str, form: str) -> dict[str, Any]:
    """Return its result record."""
    system = {"role": "candidate", "model": "m", "cost_usd": 0, "execution_failures": 0,
              "unpriced_attempts": 0}  # fmt: skip
    return {"id": benchmark, "status": "completed", "format": form, "data": DATA,
            "systems": [system]}  # fmt: skip


def write_good(output: Path, benchmark: str, form: str) -> None:
    """Write both files as they should be."""
    (output / DATA).write_text(json.dumps(good_predictions()), "utf-8")
    (output / RESULT).write_text(json.dumps(good_result(benchmark, form)), "utf-8")


def _bytes(data: bytes, name: str = DATA) -> Spoil:
    return lambda output: _put(output / name, data)


def _put(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _text(text: str) -> Spoil:
    return _bytes(text.encode("utf-8"))


def _value(text: str) -> Spoil:
    """The victim's prediction is this JSON text."""
    whole = {**good_predictions(), VICTIM: "@"}
    return _text(json.dumps(whole).replace('"@"', text))


def _inside(text: str) -> Spoil:
    """The victim's one error is this JSON text."""
    return _value('{"main": [' + text + '], "side": []}')


def _case(**keys: Any) -> Spoil:
    return _value(json.dumps({"main": [], "side": [], **keys}))


def _also(name: str) -> Spoil:
    """A case of another id is answered too."""
    return _text(json.dumps({**good_predictions(), name: {"main": [], "side": []}}))


def _result(**change: Any) -> Spoil:
    def spoil(output: Path) -> None:
        value = json.loads((output / RESULT).read_text("utf-8"))
        _put(output / RESULT, json.dumps({**value, **change}).encode())

    return spoil


def _system(**change: Any) -> Spoil:
    def spoil(output: Path) -> None:
        value = json.loads((output / RESULT).read_text("utf-8"))
        value["systems"][0].update(change)
        # NaN and 1e999 come out as no JSON, as a careless system would write them.
        _put(output / RESULT, json.dumps(value).replace('"1e999"', "1e999").encode())

    return spoil


def _systems(*roles: str) -> Spoil:
    def spoil(output: Path) -> None:
        value = json.loads((output / RESULT).read_text("utf-8"))
        value["systems"] = [{**value["systems"][0], "role": role} for role in roles]
        _put(output / RESULT, json.dumps(value).encode())

    return spoil


def _without(name: str) -> Spoil:
    return lambda output: (output / name).unlink()


def _instead(make: Callable[[Path], Any], name: str = DATA) -> Spoil:
    """Something else stands in the place of a file."""

    def spoil(output: Path) -> None:
        path = output / name
        path.rename(output / "moved.json")
        make(path)

    return spoil


def _after(change: Callable[[Path], Any]) -> Spoil:
    return lambda output: change(output / DATA)


def _socket(path: Path) -> None:
    # A bound path is short, and the folder of a test may be long.
    folder = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(folder)


def _sparse(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(CAP)


def _many(path: Path) -> None:
    for number in range(600):
        (path.parent / str(number)).touch()


GOOD_TEXT = json.dumps(good_predictions())

ACCEPTED = {
    "plain document": Kind(_text(GOOD_TEXT), "", in_session=True),
    "astral and combining characters": Kind(_case(side=["\U0001f600 e\u0301"]), ""),
    "any JSON whitespace": Kind(_text("\r\n\t " + GOOD_TEXT.replace(",", " ,\r\n") + " \r\n"), ""),
    "empty string": Kind(_case(side=[""]), ""),
    "empty list": Kind(_case(side=[]), ""),
}
JSON_TEXT = {
    "empty": Kind(_text(""), "empty", in_session=True),
    "only blanks": Kind(_text(" \n\t"), "empty"),
    "truncated": Kind(_text(GOOD_TEXT[:-9]), "syntax", in_session=True),
    "trailing comma": Kind(_text(GOOD_TEXT[:-1] + ",}"), "syntax"),
    "trailing garbage": Kind(_text(GOOD_TEXT + " x"), "syntax"),
    "two documents": Kind(_text(GOOD_TEXT + GOOD_TEXT), "syntax"),
    "JSON Lines": Kind(_text(GOOD_TEXT + "\n" + GOOD_TEXT + "\n"), "syntax"),
    "single quotes": Kind(_text(GOOD_TEXT.replace('"', "'")), "syntax"),
    "comments": Kind(_text(GOOD_TEXT + " // done"), "syntax"),
    "NaN": Kind(_inside("NaN"), "not_finite", in_session=True),
    "Infinity": Kind(_inside("Infinity"), "not_finite"),
    "-Infinity": Kind(_inside("-Infinity"), "not_finite"),
    "float overflow": Kind(_inside("1e999"), "number_too_large"),
    "integer with thousands of digits": Kind(_inside("9" * 5000), "number_too_large"),
    "integer beyond 2^53 - 1": Kind(_inside("9007199254740993"), "number_too_large"),
    "leading zero": Kind(_inside("01"), "syntax"),
    "plus sign": Kind(_inside("+1"), "syntax"),
    "hex": Kind(_inside("0x1F"), "syntax"),
    "duplicate key at the top": Kind(_text(GOOD_TEXT[:-1] + ', "t-001": {}}'), "duplicate_case"),
    "duplicate key inside": Kind(_value('{"main": [1], "main": [], "side": []}'), "duplicate_case"),
    "duplicate key hidden by an escape": Kind(
        _text(GOOD_TEXT[:-1] + ', "\\u0074-001": {}}'), "duplicate_case", in_session=True
    ),
    "very deep nesting, open": Kind(_inside("[" * 100_000), "too_deep", in_session=True),
    "very deep nesting, closed": Kind(_inside("[" * 100_000 + "]" * 100_000), "too_deep"),
    "lone surrogate": Kind(_inside('"\\ud800"'), "bad_character", in_session=True),
    "\\u0000": Kind(_inside('"\\u0000"'), "bad_character"),
    "raw control character": Kind(_inside('"a\nb"'), "syntax"),
    "top level list": Kind(_text("[]"), "not_object"),
    "top level string": Kind(_text('"done"'), "not_object"),
    "top level null": Kind(_text("null"), "not_object"),
    "HTML error page": Kind(_text("<html><body>502</body></html>"), "syntax"),
    "Python repr": Kind(_text(repr({"t-001": None})), "syntax"),
}
BYTES = {
    "BOM": Kind(_bytes(b"\xef\xbb\xbf" + GOOD_TEXT.encode()), "bom", in_session=True),
    "UTF-16": Kind(_bytes(GOOD_TEXT.encode("utf-16")), "not_utf8"),
    "Latin-1": Kind(_bytes(GOOD_TEXT[:-1].encode() + b', "\xe9": 1}'), "not_utf8", in_session=True),
    "overlong form": Kind(_bytes(b'{"t-001": "\xc0\xaf"}'), "not_utf8"),
    "surrogate encoded as UTF-8": Kind(_bytes(b'{"t-001": "\xed\xa0\x80"}'), "not_utf8"),
    "compressed": Kind(_bytes(zlib.compress(GOOD_TEXT.encode())), "not_utf8"),
    "trailing NUL bytes": Kind(_bytes(GOOD_TEXT.encode() + b"\0\0"), "syntax"),
    "pickle": Kind(_bytes(pickle.dumps(good_predictions())), "not_utf8"),
}
SHAPE = {
    "missing case": Kind(
        _text(json.dumps({c: p for c, p in good_predictions().items() if c != VICTIM})),
        "missing_case", is_of_case=True, in_session=True,
    ),
    "extra case": Kind(_also("t-999"), "extra_case", in_session=True),
    "duplicate case": Kind(_text('{"t-002": {}, ' + GOOD_TEXT[1:]), "duplicate_case"),
    "case value null": Kind(_value("null"), "no_prediction", is_of_case=True, in_session=True),
    "wrong type": Kind(_value("[]"), "shape", is_of_case=True, in_session=True),
    "undeclared field": Kind(_case(passed=True), "shape", is_of_case=True, in_session=True),
    "id that differs by letter case": Kind(_also("T-001"), "extra_case"),
    "id that differs by Unicode form": Kind(_also("t\u2010001"), "extra_case"),
    "id that differs by a trailing blank": Kind(_also("t-001 "), "extra_case"),
    "id that differs by a zero-width character": Kind(
        _also("t-001\u200b"), "extra_case", in_session=True
    ),
    "bool for a number": Kind(_case(count=True), "shape", is_of_case=True, in_session=True),
    "odd keys": Kind(_also("__proto__"), "extra_case"),
    "oversized string": Kind(
        _case(side=["x" * 1_000_001]), "too_large", is_of_case=True, in_session=True
    ),
    "oversized list": Kind(_case(side=[""] * 100_001), "too_large", is_of_case=True),
}  # fmt: skip
RESULT_RECORD = {
    "missing": Kind(_without(RESULT), "no_result", in_session=True),
    "not JSON": Kind(_bytes(b"done", RESULT), "syntax", in_session=True),
    "status other than completed": Kind(_result(status="failed"), "result_record", in_session=True),
    "wrong id": Kind(_result(id="other"), "result_record"),
    "wrong format": Kind(_result(format="benchbed.toy.v2"), "result_record"),
    "no system": Kind(_result(systems=[]), "result_record"),
    "more than one candidate": Kind(_systems("candidate", "candidate"), "result_record"),
    "another role": Kind(_systems("judge"), "result_record"),
    "cost NaN": Kind(_system(cost_usd=float("nan")), "not_finite", in_session=True),
    "cost negative": Kind(_system(cost_usd=-1), "result_record"),
    "cost a string": Kind(_system(cost_usd="0.5"), "result_record"),
    "cost a bool": Kind(_system(cost_usd=True), "result_record"),
    "cost null": Kind(_system(cost_usd=None), "result_record"),
    "cost overflowing": Kind(_system(cost_usd="1e999"), "number_too_large"),
    "cost above budget": Kind(_system(cost_usd=2), "over_budget", in_session=True),
    "execution_failures above 0": Kind(
        _system(execution_failures=2), "execution_failures", in_session=True
    ),
    "execution_failures negative": Kind(_system(execution_failures=-1), "result_record"),
    "execution_failures fractional": Kind(_system(execution_failures=0.5), "result_record"),
    "unpriced_attempts above 0": Kind(
        _system(unpriced_attempts=1), "unpriced_attempts", in_session=True
    ),
    "data empty": Kind(_result(data=""), "result_record"),
    "data absolute": Kind(_result(data="/etc/hostname"), "result_record", in_session=True),
    "data with ..": Kind(_result(data="../run.json"), "result_record"),
    "data with /": Kind(_result(data="a/predictions.json"), "result_record"),
    "data with \\": Kind(_result(data="a\\predictions.json"), "result_record"),
    "data with :": Kind(_result(data="c:predictions.json"), "result_record"),
    "data with NUL": Kind(_result(data="predictions.json\0"), "bad_character"),
    "data a URL": Kind(_result(data="https://x/predictions.json"), "result_record"),
    "data a directory": Kind(_instead(Path.mkdir), "bad_file"),
    "data the result record itself": Kind(_result(data=RESULT), "result_record", in_session=True),
    "data a device name": Kind(_result(data="nul.json"), "result_record"),
    "data an alternate stream": Kind(_result(data="predictions.json:x"), "result_record"),
    "its own score": Kind(_result(score=1.0), "result_record", in_session=True),
    "its own gate": Kind(_result(gate="passed"), "result_record"),
    "its own passed": Kind(_result(passed=True), "result_record"),
}
FILE_SYSTEM = {
    "missing": Kind(_without(DATA), "missing_file", in_session=True),
    "directory": Kind(_instead(Path.mkdir), "bad_file", in_session=True),
    "FIFO": Kind(_instead(lambda path: os.mkfifo(path)), "bad_file", in_session=True),
    "socket": Kind(_instead(_socket), "bad_file", in_session=True),
    "device": Kind(
        _instead(lambda path: os.mknod(path, 0o20666, os.makedev(1, 3))), "bad_file"
    ),
    "symlink inside": Kind(
        _instead(lambda path: path.symlink_to("moved.json")), "bad_file", in_session=True
    ),
    "symlink outside": Kind(_instead(lambda path: path.symlink_to("/etc/hostname")), "bad_file"),
    "symlink dangling": Kind(_instead(lambda path: path.symlink_to("nowhere")), "bad_file"),
    "symlink loop": Kind(_instead(lambda path: path.symlink_to(path.name)), "bad_file"),
    "symlink to a device": Kind(_instead(lambda path: path.symlink_to("/dev/zero")), "bad_file"),
    "hard link": Kind(
        _instead(lambda path: path.hardlink_to(path.with_name("moved.json"))),
        "bad_file", in_session=True,
    ),
    "unreadable": Kind(_after(lambda path: path.chmod(0)), "bad_file"),
    "sparse beyond the cap": Kind(_after(_sparse), "too_large", in_session=True),
    "setuid bit": Kind(_after(lambda path: path.chmod(0o4644)), "bad_file", in_session=True),
    "more than the entry limit": Kind(_after(_many), "output_entries", in_session=True),
    "more than the byte limit": Kind(
        lambda output: _sparse_beside(output), "output_size", in_session=True
    ),
}  # fmt: skip


def _sparse_beside(output: Path) -> None:
    (output / "big").touch()
    with (output / "big").open("r+b") as file:
        file.truncate(5 * CAP)


GROUPS = {
    "accepted": ACCEPTED,
    "JSON text": JSON_TEXT,
    "bytes": BYTES,
    "shape": SHAPE,
    "result record": RESULT_RECORD,
    "file system": FILE_SYSTEM,
}


def main(group: str, name: str) -> None:
    """Be the executable of a session: write good output, then spoil it."""
    import sys

    words = sys.argv[1:]
    request = json.loads(Path(words[words.index("--request") + 1]).read_text("utf-8"))
    output = Path(words[words.index("--output") + 1])
    write_good(output, request["benchmark"], request["format"])
    GROUPS[group][name].spoil(output)
