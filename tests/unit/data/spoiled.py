"""The table of faults: one mutation of a clean dataset a row, and the fault it must give."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tests.unit.data.folder import ANSWERS
from tests.unit.data.folder import CANARY
from tests.unit.data.folder import CASES
from tests.unit.data.folder import CONTEXTS
from tests.unit.data.folder import MANIFEST
from tests.unit.data.folder import answer_row
from tests.unit.data.folder import case_row
from tests.unit.data.folder import line

LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12345\n"
FILE = "assets/f1.txt"


@dataclass
class Row:
    """One mutation of the clean folder and the one fault that it must give."""

    id: str
    spoil: object
    file: str
    line: int | None
    case: str | None
    cause: str
    remedy: str
    pins: str = "refused"
    """What ``pin`` does with it: refused, mended, or blind (no structural fault)."""


def crlf(name):
    return lambda f: f.write(name, f.read(name).replace(b"\n", b"\r\n"))


def bom(name):
    return lambda f: f.write(name, b"\xef\xbb\xbf" + f.read(name))


def append(name, data):
    return lambda f: f.write(name, f.read(name) + data)


def remove(path):
    return lambda f: (f.root / path).unlink()


def link(path, target):
    def spoil(f):
        (f.root / path).unlink(missing_ok=True)
        (f.root / path).symlink_to(target)

    return spoil


def manifest_pin(**more):
    """Change the first pin of the manifest."""

    def spoil(f):
        pins = f.pins()
        f.manifest(files=[{**pins[0], **more}, *pins[1:]])

    return spoil


def two(*spoilers):
    def spoil(f):
        for one in spoilers:
            one(f)

    return spoil


def retired(*entries):
    return lambda f: f.manifest(retired=list(entries))


GOOD_RETIREMENT = {"id": "c-2", "reason": "answer is disputed", "since": "1"}
NFC, NFD = "c-ñ", "c-n\u0303"

ROWS = [
    # Bytes of the JSON Lines files.
    Row("cases-bom", bom(CASES), CASES, 1, None, "byte order mark", "UTF-8 without"),
    Row("answers-bom", bom(ANSWERS), ANSWERS, 1, None, "byte order mark", "UTF-8 without"),
    Row(
        "cases-crlf",
        crlf(CASES),
        CASES,
        1,
        None,
        "3 lines end in CRLF; the file differs only in line ends",
        r"\.gitattributes: \*\.jsonl text eol=lf",
    ),
    Row("answers-crlf", crlf(ANSWERS), ANSWERS, 1, None, "only in line ends", "gitattributes"),
    Row(
        "one-crlf-line",
        lambda f: f.raw_line(CASES, 2, line(case_row(2)).replace(b"\n", b"\r\n")),
        CASES,
        2,
        None,
        "1 line ends in CRLF",
        "gitattributes",
    ),
    Row("cases-lfs", lambda f: f.write(CASES, LFS), CASES, 1, None, "LFS pointer", "lfs pull"),
    Row("answers-lfs", lambda f: f.write(ANSWERS, LFS), ANSWERS, 1, None, "LFS", "lfs pull"),
    Row(
        "cases-utf16",
        lambda f: f.write(CASES, f.read(CASES).decode().encode("utf-16")),
        CASES,
        1,
        None,
        "UTF-16",
        "as UTF-8",
    ),
    Row("empty-last-line", append(CASES, b"\n"), CASES, 4, None, "line is empty", "Remove it"),
    Row("blank-last-line", append(ANSWERS, b" \r\n"), ANSWERS, 4, None, "is empty", "Remove"),
    Row(
        "no-line-feed-at-end",
        lambda f: f.write(CASES, f.read(CASES)[:-1]),
        CASES,
        3,
        None,
        "no line feed at the end",
        "line feed",
    ),
    Row(
        "empty-line-between",
        lambda f: f.raw_line(CASES, 2, b"\n" + line(case_row(2))),
        CASES,
        2,
        None,
        "line is empty",
        "Remove it",
    ),
    Row("no-cases-file", remove(CASES), CASES, None, None, "does not exist", "has this file"),
    Row("no-answers-file", remove(ANSWERS), ANSWERS, None, None, "does not exist", "has this"),
    Row(
        "empty-dataset",
        two(lambda f: f.write(CASES, b""), lambda f: f.write(ANSWERS, b"")),
        CASES,
        None,
        None,
        "has no case",
        "a row for each case",
    ),
    Row(
        "empty-answers",
        lambda f: f.write(ANSWERS, b""),
        ANSWERS,
        None,
        None,
        "has no row",
        "a row for each case",
    ),
    # One line.
    Row(
        "not-utf8-line",
        lambda f: f.raw_line(CASES, 2, line(case_row(2)).decode().encode("latin-1")),
        CASES,
        2,
        None,
        "not UTF-8",
        "Save the file as UTF-8",
        "orphans c-2",
    ),
    Row(
        "malformed-line",
        lambda f: f.raw_line(CASES, 2, b'{"id":"c-2","inputs":{},}\n'),
        CASES,
        2,
        None,
        "not readable as JSON: .*character",
        "one JSON object on each line",
        "orphans c-2",
    ),
    Row(
        "duplicate-key",
        lambda f: f.raw_line(CASES, 2, b'{"id":"c-2","id":"c-2","inputs":{}}\n'),
        CASES,
        2,
        None,
        "key 'id' stands twice",
        "one JSON object",
        "orphans c-2",
    ),
    Row(
        "nan",
        lambda f: f.raw_line(ANSWERS, 2, b'{"answer":NaN,"canary":"%s","id":"c-2"}\n' % b"0"),
        ANSWERS,
        2,
        None,
        "NaN is not JSON",
        "one JSON object",
        "orphans c-2",
    ),
    Row(
        "list-line",
        lambda f: f.raw_line(CASES, 2, b"[1]\n"),
        CASES,
        2,
        None,
        "no JSON object",
        "one JSON object",
        "orphans c-2",
    ),
    Row(
        "unknown-key",
        lambda f: f.row(CASES, 2, catgory="plain"),
        CASES,
        2,
        "c-2",
        "unknown key 'catgory'",
        "Did you mean 'category'",
    ),
    Row(
        "unknown-key-of-nothing-near",
        lambda f: f.row(ANSWERS, 2, zzz=1),
        ANSWERS,
        2,
        "c-2",
        "unknown key 'zzz'",
        "Known: answer, canary, id",
    ),
    Row(
        "wrong-type",
        lambda f: f.row(CASES, 2, tags="a"),
        CASES,
        2,
        "c-2",
        "tags: .*valid list",
        "Correct the field",
    ),
    Row("no-inputs", lambda f: f.row(CASES, 2, inputs=None), CASES, 2, "c-2", "inputs", "Correct"),
    Row(
        "unknown-facet",
        lambda f: f.row(CASES, 2, facets={"colour": "red"}),
        CASES,
        2,
        "c-2",
        "facets",
        "Correct",
    ),
    Row(
        "answer-in-row",
        lambda f: f.row(CASES, 2, answer={"value": 22}),
        CASES,
        2,
        "c-2",
        "row holds an answer",
        "answers.jsonl alone",
    ),
    Row(
        "expected-in-row",
        lambda f: f.row(CASES, 2, Expected=1),
        CASES,
        2,
        "c-2",
        "row holds an answer",
        "answers.jsonl alone",
    ),
    Row(
        "answers-in-context",
        lambda f: f.row(CONTEXTS, 1, answers=[1]),
        CONTEXTS,
        1,
        "doc",
        "row holds an answer",
        "answers.jsonl alone",
    ),
    # Ids.
    Row(
        "bad-id",
        two(lambda f: f.row(CASES, 2, id="c 2 ñ"), lambda f: f.row(ANSWERS, 2, id="c-4")),
        CASES,
        2,
        "c 2 ñ",
        "id is not valid",
        r"Ids match \[A-Za-z0-9\].* Rename it, e\.g\. 'c-2'",
        "orphans c-4",
    ),
    Row(
        "id-is-a-path",
        two(lambda f: f.row(CASES, 2, id="../x"), lambda f: f.row(ANSWERS, 2, id="c-4")),
        CASES,
        2,
        "../x",
        "id is not valid",
        "Rename it",
        "orphans c-4",
    ),
    Row(
        "no-id",
        lambda f: f.row(CASES, 2, id=None),
        CASES,
        2,
        None,
        "row has no id",
        "Begin the row",
        "orphans c-2",
    ),
    Row(
        "id-is-a-number",
        lambda f: f.row(CASES, 2, id=2),
        CASES,
        2,
        None,
        "id is not text",
        "Begin the row",
        "orphans c-2",
    ),
    Row(
        "duplicate-id",
        append(CASES, line(case_row(2))),
        CASES,
        4,
        "c-2",
        "stands on line 2 already",
        "id of its own",
    ),
    Row(
        "duplicate-answer",
        append(ANSWERS, line(answer_row(1))),
        ANSWERS,
        4,
        "c-1",
        "stands on line 1 already",
        "id of its own",
    ),
    Row(
        "ids-differ-by-case",
        two(append(CASES, line(case_row(1, id="C-1"))), append(ANSWERS, line(answer_row(9)))),
        CASES,
        4,
        "C-1",
        "differs from 'c-1' on line 1 only by upper and lower case",
        "id of its own",
        "orphans",
    ),
    Row(
        "ids-differ-by-unicode-form",
        append(CASES, line(case_row(1, id=NFC)) + line(case_row(1, id=NFD))),
        CASES,
        5,
        NFD,
        f"differs from '{NFC}' on line 4 only by .*Unicode form",
        "id of its own",
        "orphans",
    ),
    # Cases and answers.
    Row(
        "case-without-answer",
        append(CASES, line(case_row(1, id="c-4"))),
        CASES,
        4,
        "c-4",
        "case has no answer",
        "Add its row to answers.jsonl",
    ),
    Row(
        "answer-without-case",
        append(ANSWERS, line(answer_row(4))),
        ANSWERS,
        4,
        "c-4",
        "answer has no case",
        "Remove the row, or add the case",
    ),
    Row(
        "other-canary",
        lambda f: f.row(ANSWERS, 3, canary="f" * 32),
        ANSWERS,
        3,
        "c-3",
        "canary differs from that of the first row",
        "one token",
    ),
    Row(
        "missing-canary",
        lambda f: f.row(ANSWERS, 2, canary=None),
        ANSWERS,
        2,
        "c-2",
        "row has no canary, the first row has one",
        "one token",
    ),
    Row(
        "late-canary",
        lambda f: f.row(ANSWERS, 1, canary=None),
        ANSWERS,
        2,
        "c-2",
        "row has a canary, the first row has none",
        "one token",
    ),
    Row(
        "bad-canary",
        lambda f: f.row(ANSWERS, 2, canary="ABC"),
        ANSWERS,
        2,
        "c-2",
        "canary",
        "Correct the field",
    ),
    Row(
        "canary-in-case",
        lambda f: f.row(CASES, 2, meta={"note": f"x {CANARY}"}),
        CASES,
        2,
        "c-2",
        "canary of the answers stands in this row",
        "Take the answers out",
    ),
    Row(
        "canary-in-context",
        lambda f: f.row(CONTEXTS, 1, inputs={"note": CANARY}),
        CONTEXTS,
        1,
        None,
        "canary of the answers stands in this row",
        "Take the answers out",
    ),
    Row(
        "canary-in-file",
        two(lambda f: f.write(FILE, CANARY.encode()), lambda f: f.manifest(files=pins_now(f))),
        FILE,
        None,
        "c-1",
        "canary of the answers stands in this file",
        "Take the answers out",
        "also edited",
    ),
    Row(
        "edited-answer",
        lambda f: f.row(ANSWERS, 2, answer={"value": 0}),
        ANSWERS,
        None,
        None,
        "^edited since it was pinned$",
        "benchbed pin .*small --bump",
        "mended",
    ),
    Row(
        "edited-case",
        lambda f: f.row(CASES, 2, category="other"),
        CASES,
        None,
        None,
        "edited since it was pinned",
        "benchbed pin",
        "mended",
    ),
    Row(
        "edited-context",
        lambda f: f.row(CONTEXTS, 1, inputs={"n": 2}),
        CASES,
        None,
        None,
        "this file or contexts.jsonl was edited since it was pinned",
        "benchbed pin",
        "mended",
    ),
    Row(
        "unknown-context",
        lambda f: f.row(CASES, 2, context="dok"),
        CASES,
        2,
        "c-2",
        "context 'dok' is not in contexts.jsonl",
        "Add its row",
    ),
    # Files.
    Row(
        "missing-file",
        remove(FILE),
        FILE,
        None,
        "c-1",
        "pinned in manifest.json, but does not exist",
        "Restore the file, or pin",
    ),
    Row(
        "missing-extra-file",
        remove("LICENSE.txt"),
        "LICENSE.txt",
        None,
        None,
        "pinned in manifest.json, but does not exist",
        "Restore the file, or pin",
        "mended",
    ),
    Row(
        "changed-file",
        lambda f: f.write(FILE, f.read(FILE).replace(b"1", b"2")),
        FILE,
        None,
        "c-1",
        "content is not the pinned one",
        "Restore the file, or: Run: benchbed pin",
        "mended",
    ),
    Row(
        "longer-file",
        append(FILE, b"x"),
        FILE,
        None,
        "c-1",
        r"has \d+ bytes, pinned are \d+",
        "Restore the file",
        "mended",
    ),
    Row(
        "file-with-crlf",
        crlf(FILE),
        FILE,
        None,
        "c-1",
        "differs only in line ends: it has CRLF, pinned was LF",
        r"line 'assets/f1\.txt -text' to .*gitattributes",
        "mended",
    ),
    Row(
        "file-lfs",
        lambda f: f.write(FILE, LFS),
        FILE,
        None,
        "c-1",
        "Git LFS pointer",
        "git lfs pull",
    ),
    Row(
        "unlisted-file",
        lambda f: f.write("assets/new.txt", b"new"),
        "assets/new.txt",
        None,
        None,
        "not listed in manifest.json",
        "Remove it, or pin it",
        "mended",
    ),
    Row(
        "unpinned-named-file",
        two(
            lambda f: f.write("assets/new.txt", b"new"),
            lambda f: f.row(CASES, 2, files=["assets/new.txt"]),
        ),
        CASES,
        2,
        "c-2",
        "file 'assets/new.txt' is not pinned$",
        "benchbed pin",
        "mended",
    ),
    Row(
        "named-file-that-does-not-exist",
        lambda f: f.row(CASES, 2, files=["assets/nothing.txt"]),
        CASES,
        2,
        "c-2",
        "file 'assets/nothing.txt' is not pinned and does not exist",
        "benchbed pin",
    ),
    Row(
        "file-named-twice",
        lambda f: f.row(CASES, 2, files=[FILE, FILE]),
        CASES,
        2,
        "c-2",
        "named twice",
        "Name it once",
    ),
    Row(
        "dot-dot-in-row",
        lambda f: f.row(CASES, 2, files=["../answers.jsonl"]),
        CASES,
        2,
        "c-2",
        r"path '\.\./answers\.jsonl' has the segment '\.\.'",
        "Name a file of the dataset",
    ),
    Row(
        "absolute-in-row",
        lambda f: f.row(CASES, 2, files=["/etc/passwd"]),
        CASES,
        2,
        "c-2",
        "absolute path",
        "Name a file",
    ),
    Row(
        "windows-path-in-row",
        lambda f: f.row(CASES, 2, files=["assets\\f1.txt"]),
        CASES,
        2,
        "c-2",
        "backslash",
        "Name a file",
    ),
    Row(
        "context-names-nothing",
        lambda f: f.row(CONTEXTS, 1, files=["assets/none"]),
        CONTEXTS,
        1,
        None,
        "not pinned and does not exist",
        "benchbed pin",
    ),
    Row(
        "answers-named-as-a-file",
        lambda f: f.row(CASES, 2, files=["answers.jsonl"]),
        CASES,
        2,
        "c-2",
        "'answers.jsonl' is not pinned",
        "benchbed pin",
    ),
    Row(
        "symlink-unpinned",
        link("assets/link.txt", "f1.txt"),
        "assets/link.txt",
        None,
        None,
        "is a symbolic link",
        "Put the file itself",
    ),
    Row(
        "symlinked-folder",
        link("more", "assets"),
        "more",
        None,
        None,
        "is a symbolic link",
        "Put the file itself",
    ),
    Row(
        "device-name",
        lambda f: f.write_new("assets/nul.txt", b""),
        "assets/nul.txt",
        None,
        None,
        "device name of Windows",
        "Rename",
    ),
    Row(
        "blank-at-end",
        lambda f: f.write_new("assets/a ", b""),
        "assets/a ",
        None,
        None,
        "blank at the start or end",
        "Rename",
    ),
    Row(
        "nfd-file",
        lambda f: f.write_new("assets/an\u0303o.txt", b""),
        "assets/an\u0303o.txt",
        None,
        None,
        "not in Unicode form NFC",
        "Rename",
    ),
    Row(
        "files-differ-by-case",
        lambda f: f.write_new("assets/F1.txt", b"x"),
        "assets/f1.txt",
        None,
        None,
        "differs from 'assets/F1.txt' only by upper and lower case",
        "Rename one of them",
        "refused, also unlisted",
    ),
    Row(
        "twin-of-the-case-file",
        lambda f: f.write_new("Cases.jsonl", b"x"),
        "Cases.jsonl",
        None,
        None,
        "differs from 'cases.jsonl' only by upper and lower case",
        "Rename one of them",
        "refused, also unlisted",
    ),
    # The manifest.
    Row(
        "no-manifest", remove(MANIFEST), MANIFEST, None, None, "not exist", "benchbed pin", "mended"
    ),
    Row("manifest-bom", bom(MANIFEST), MANIFEST, 1, None, "byte order mark", "without", "mended"),
    Row("manifest-lfs", lambda f: f.write(MANIFEST, LFS), MANIFEST, 1, None, "LFS", "git lfs pull"),
    Row(
        "manifest-malformed",
        lambda f: f.write(MANIFEST, b'{\n"id": "x",\n"version" "1"\n}'),
        MANIFEST,
        3,
        None,
        "not readable as JSON",
        "Correct it",
    ),
    Row(
        "manifest-nan",
        lambda f: f.write(MANIFEST, b'{"id": NaN}'),
        MANIFEST,
        None,
        None,
        "NaN is not JSON",
        "Correct it",
    ),
    Row(
        "pin-is-no-object",
        lambda f: f.manifest(files=[*f.pins(), 7]),
        MANIFEST,
        None,
        None,
        "files: an entry is no object",
        "Correct it",
        "mended",
    ),
    Row(
        "retirement-is-no-object",
        retired("c-2"),
        MANIFEST,
        None,
        None,
        "retired: an entry is no object",
        '"since": VERSION',
    ),
    Row(
        "manifest-list", lambda f: f.write(MANIFEST, b"[]"), MANIFEST, 1, None, "no JSON", "Correct"
    ),
    Row(
        "manifest-newer",
        lambda f: f.manifest(schema="benchbed.manifest.v2"),
        MANIFEST,
        38,
        None,
        r"benchbed\.manifest\.v2 is newer than this version reads \(benchbed\.manifest\.v1\)",
        "pip install -U pytest-benchbed",
    ),
    Row(
        "manifest-foreign",
        lambda f: f.manifest(schema="web.app"),
        MANIFEST,
        38,
        None,
        "schema 'web.app' is not known",
        "benchbed.manifest.v1",
    ),
    Row(
        "manifest-without-schema",
        lambda f: f.manifest(schema=None),
        MANIFEST,
        1,
        None,
        "has no schema",
        'Add "schema"',
    ),
    Row(
        "manifest-unknown-key",
        lambda f: f.manifest(licence="free"),
        MANIFEST,
        41,
        None,
        "unknown key 'licence'",
        "Did you mean 'license'",
    ),
    Row(
        "manifest-bad-visibility",
        lambda f: f.manifest(visibility="open"),
        MANIFEST,
        None,
        None,
        "visibility: .*'public' or 'private'",
        "Correct",
    ),
    Row(
        "manifest-bad-id",
        lambda f: f.manifest(id="a b"),
        MANIFEST,
        None,
        None,
        "id: ",
        "Correct the field",
    ),
    Row(
        "manifest-other-loader",
        lambda f: f.manifest(loader="case-folder"),
        MANIFEST,
        None,
        None,
        "loader 'case-folder' is not built yet",
        "jsonl",
    ),
    Row(
        "pin-leads-out",
        manifest_pin(path="../x"),
        MANIFEST,
        None,
        None,
        r"path '\.\./x' has the segment",
        "Rename the file",
        "mended, also unlisted",
    ),
    Row(
        "pin-of-the-answers",
        lambda f: f.manifest(
            files=[*f.pins(), {"path": "answers.jsonl", "size": 1, "sha256": "0" * 64}]
        ),
        MANIFEST,
        None,
        None,
        "'answers.jsonl' is listed, but the dataset's own files are not pinned",
        "benchbed pin",
        "mended",
    ),
    Row(
        "pin-twice",
        lambda f: f.manifest(files=[*f.pins(), f.pins()[0]]),
        MANIFEST,
        None,
        None,
        "listed twice",
        "benchbed pin",
        "mended",
    ),
    Row(
        "pins-differ-by-case",
        lambda f: f.manifest(
            files=[*f.pins(), {"path": "ASSETS/f1.txt", "size": 1, "sha256": "0" * 64}]
        ),
        MANIFEST,
        None,
        None,
        "'ASSETS' and 'assets' differ only by upper and lower case",
        "Rename one of them",
        "mended, also",
    ),
    Row(
        "pin-without-size",
        manifest_pin(size="7"),
        MANIFEST,
        None,
        None,
        "files: size: ",
        "Correct the field",
        "mended, also unlisted",
    ),
    Row(
        "pins-are-no-list",
        lambda f: f.manifest(files={}),
        MANIFEST,
        None,
        None,
        "files is no list",
        "Correct it",
        "mended, also unlisted",
    ),
    Row(
        "retired-without-reason",
        retired({"id": "c-2", "reason": "", "since": "1"}),
        MANIFEST,
        None,
        "c-2",
        "retired without a reason",
        'Say why in "reason"',
    ),
    Row(
        "retired-with-a-blank-reason",
        retired({"id": "c-2", "reason": " \n", "since": "1"}),
        MANIFEST,
        None,
        "c-2",
        "retired without a reason",
        "Say why",
    ),
    Row(
        "retired-with-reason-left-out",
        retired({"id": "c-2", "since": "1"}),
        MANIFEST,
        None,
        "c-2",
        "retired without a reason",
        "Say why",
    ),
    Row(
        "retired-unknown",
        retired({**GOOD_RETIREMENT, "id": "c-22"}),
        MANIFEST,
        None,
        "c-22",
        "retired case is not in cases.jsonl",
        "Did you mean 'c-2'",
    ),
    Row(
        "retired-twice",
        retired(GOOD_RETIREMENT, GOOD_RETIREMENT),
        MANIFEST,
        None,
        "c-2",
        "retired twice",
        "Remove one",
    ),
    Row(
        "retired-without-since",
        retired({"id": "c-2", "reason": "why"}),
        MANIFEST,
        None,
        None,
        "retired: since",
        '"since": VERSION',
    ),
    Row(
        "all-retired",
        retired(*({**GOOD_RETIREMENT, "id": f"c-{n}"} for n in (1, 2, 3))),
        MANIFEST,
        None,
        None,
        "every case is retired",
        "Add a case",
    ),
    # Answers among the inputs.
    Row(
        "answer-in-inputs",
        lambda f: f.row(CASES, 2, inputs={"text": "t", "Answer": 1}),
        CASES,
        2,
        "c-2",
        "inputs hold an answer",
        "Take it out",
        "blind",
    ),
    Row(
        "answer-further-down",
        lambda f: f.row(CASES, 2, inputs={"source": [{"expected": {"value": 22.0}}]}),
        CASES,
        2,
        "c-2",
        "inputs hold the answer of the case",
        "Take it out",
        "blind",
    ),
    Row(
        "answer-in-context-inputs",
        lambda f: f.row(CONTEXTS, 1, inputs={"expected": 1}),
        CONTEXTS,
        1,
        None,
        "inputs hold an answer",
        "Take it out",
        "blind",
    ),
]


def pins_now(folder):
    """The pins that fit the files as they are."""
    pins = []
    for old in folder.pins():
        data = folder.read(old["path"])
        pins.append({**old, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    return pins
