"""What may not stand in any file of the repository."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.arch import tree

# Put together here, so that this file does not hold what it looks for.
FORBIDDEN = {
    "path of this machine": re.compile(
        "|".join(re.escape(str(path)) + r"\b" for path in (tree.ROOT, Path(sys.prefix)))
    ),
    "home folder": re.compile("/ho" + r"me/\w|/Use" + r"rs/\w|C:\\+Use" + "rs", re.I),
    "host of a package registry": re.compile(
        r"\b(?:pypi|pythonhosted|npmjs|anaconda|debian|ubuntu)\." + r"(?:org|com|io|net)\b", re.I
    ),
    "private key": re.compile("-----BEGIN [A-Z ]*PRIVATE" + " KEY"),
    "conflict mark": re.compile("^(?:<{7}|>{7}) ", re.M),
    "unfinished mark": re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b(?!\()"),
}
BINARY = {".png", ".pdf", ".jpg", ".jpeg", ".wav", ".zip", ".gz"}


def text_files() -> list:
    return [path for path in tree.tracked() if path.suffix.lower() not in BINARY]


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds_it(what: str) -> None:
    found = []
    for path in text_files():
        if what == "home folder" and path.is_relative_to(tree.ROOT / "tests"):
            continue  # invented ones are test data
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [
            f"{path.relative_to(tree.ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
            for match in FORBIDDEN[what].finditer(text)
        ]

    assert not found


def test_a_text_file_ends_with_one_line_end_and_has_no_others_than_lf() -> None:
    data = tree.ROOT / "cases"
    wrong = []
    for path in text_files():
        content = path.read_bytes()
        if path.is_relative_to(data) or path.is_relative_to(tree.ROOT / "tests/vectors"):
            continue  # pinned byte by byte: checked by its own digests
        if path.is_relative_to(tree.ROOT / "docs/samples"):
            continue  # as a spreadsheet writes it
        ends = not content or (content.endswith(b"\n") and not content.endswith(b"\n\n"))
        if b"\r" in content or not ends:
            wrong.append(str(path.relative_to(tree.ROOT)))

    assert not wrong


def test_the_ignore_list_hides_no_source() -> None:
    """A pattern such as ``runs/`` without a slash in front would hide a package of that name."""
    names = [
        *(str(path.relative_to(tree.ROOT)) for path in tree.modules().values()),
        *(str(path.relative_to(tree.ROOT)) for path in tree.tracked()),
    ]

    # --no-index: a file that is tracked already counts too, the next one beside it would not be.
    hidden = subprocess.run(
        ["git", "check-ignore", "--no-index", "--stdin"],
        cwd=tree.ROOT,
        input="\n".join(names),
        capture_output=True,
        text=True,
        check=False,
    )

    assert hidden.stdout.splitlines() == []
