"""Every command and program in README.md and docs/ does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.arch import docs_blocks
from tests.arch import tree

PAGES = [tree.ROOT / "README.md", *sorted((tree.ROOT / "docs").glob("*.md"))]
READ = {path: docs_blocks.read_page(path.read_text(encoding="utf-8")) for path in PAGES}
NOT_RUN = [
    pytest.param(block.directives["not run"], id=f"{path.name}:{block.line}")
    for path, page in READ.items()
    for block in page.blocks
    if "not run" in block.directives
]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_what_a_page_shows_happens(path: Path, tmp_path: Path) -> None:
    docs_blocks.run_page(READ[path], tmp_path, tree.ROOT)


@pytest.mark.parametrize("reason", NOT_RUN)
def test_a_block_that_is_not_run_says_why(reason: str) -> None:
    assert len(reason) > 10, "the reason is for readers"
    pytest.skip(reason)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_inside_the_repository_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)

    missing = [target for target in targets if not (path.parent / target).exists()]

    assert not missing
