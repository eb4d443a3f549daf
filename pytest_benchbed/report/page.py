"""``report.html``: one file that loads nothing from a network and needs no script.

The shell and the pieces come from the templates beside this module. One rule
holds for all of them: whatever is written into the page goes through
:func:`pytest_benchbed.model.escape.html`. The page names the digests of its own
style and script in a policy, so that nothing else can run or be drawn.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from typing import NamedTuple

from jinja2 import Environment
from jinja2 import PackageLoader
from jinja2 import StrictUndefined
from markupsafe import Markup

from pytest_benchbed.model.escape import html
from pytest_benchbed.report.blocks import assets_of
from pytest_benchbed.report.blocks import block
from pytest_benchbed.report.blocks import headline
from pytest_benchbed.report.cases import BUCKETS
from pytest_benchbed.report.cases import CaseLine
from pytest_benchbed.report.content import GLYPHS
from pytest_benchbed.report.content import BucketHead
from pytest_benchbed.report.content import bucket_head
from pytest_benchbed.report.content import page_content
from pytest_benchbed.report.content import show_command
from pytest_benchbed.report.numbers import money
from pytest_benchbed.report.numbers import seconds
from pytest_benchbed.report.view import RunView
from pytest_benchbed.runs.atomic import AtomicFile

PAGE_BYTES = 14_500_000
"""Size up to which details are written; the lines of all cases always are."""
LEAST_DETAILS_BYTES = 2_000_000
"""Details written even where the lines alone take more than that."""
LINE_BYTES = 260
"""About what the line of a case takes."""
OPEN_CASES = 200
"""A bucket with more cases starts with its categories closed: they are slow to lay out."""

_CODE_WORD = re.compile(
    r"(--[a-z][a-z-]*(?:=[A-Z]+)?|[^\s]+/report\.html|\b[a-z-]+\.jsonl?\b|\b[0-9a-f]{40,64}\b)"
)


class Row(NamedTuple):
    """The line of one case."""

    id: str
    what: str
    latency: str
    cost: str


@dataclass(frozen=True, slots=True)
class GroupHead:
    """The head of a category."""

    category: str
    number: int
    is_open: bool


def save_page(view: RunView) -> Path:
    """Write ``report.html`` from the written run and return its path.

    Raises:
        RunError: a file of the run is damaged, or the page cannot be written.
    """
    with AtomicFile(view.paths.report) as file:
        for part in page_parts(view):
            file.write(part.encode("utf-8"))
    return view.paths.report


def page_parts(
    view: RunView, page_bytes: int = PAGE_BYTES, least_bytes: int = LEAST_DETAILS_BYTES
) -> Iterator[str]:
    """Yield the page piece by piece, so that a long run is never whole in memory.

    ``page_bytes``: size after which the details of further cases are left out;
    ``least_bytes``: of details that are written in any case.
    """
    macros: Any = _environment().get_template("page.html.jinja").module
    style, script = _asset("page.css"), _asset("page.js")
    content = page_content(view)
    title = f"{content.label}: {content.status} ({content.run_id})"
    yield str(macros.head(title, policy(style, script), Markup(style))).lstrip()  # noqa: S704
    yield str(macros.top(content))
    room = _Room(max(page_bytes - LINE_BYTES * len(view.lines), least_bytes))
    assets = assets_of(view)
    for bucket in BUCKETS:
        if view.counts[bucket]:
            yield from _bucket(macros, view, bucket_head(view, bucket), assets, room)
    yield str(macros.bottom(content, Markup(script)))  # noqa: S704


def policy(style: str, script: str) -> str:
    """Return the content security policy of a page with this style and script."""
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'"
    )


@dataclass(slots=True)
class _Room:
    """Bytes left for details; the worse cases come first."""

    left: int


def _bucket(
    macros: Any, view: RunView, head: BucketHead, assets: Mapping[str, str], room: _Room
) -> Iterator[str]:
    is_paired = view.record.baseline is not None
    is_open = head.number <= OPEN_CASES and head.name != "unchanged"
    yield str(macros.bucket_start(head, is_open))
    left_out = ""
    count = 0
    for group in view.groups(head.name):
        yield str(macros.group_start(GroupHead(group.category, len(group.lines), is_open)))
        for line in group.lines:
            row = _row(line, is_paired)
            if not line.has_details or room.left <= 0:
                yield _plain_case(row)
                if line.has_details:
                    left_out = left_out or line.id
                    count += 1
                continue
            part = str(macros.case_block(row, block(view, line, assets)))
            room.left -= len(part.encode("utf-8"))
            yield part
        yield str(macros.group_end())
    yield str(macros.bucket_end(head, count, show_command(view, left_out) if left_out else ""))


def _plain_case(row: Row) -> str:
    """Return a case without details; by hand, since a long run has nothing but these."""
    return (
        f'<div class="case" id="case-{html(row.id)}"><div class="row">'
        f'<span class="id">{html(row.id)}</span><span class="what">{html(row.what)}</span>'
        f'<span class="num">{html(row.latency)}</span><span class="num">{html(row.cost)}</span>'
        "</div></div>\n"
    )


def _row(line: CaseLine, is_paired: bool) -> Row:
    return Row(
        id=line.id,
        what=headline(line, is_paired)[:300],
        latency=seconds(line.latency_s) if line.latency_s is not None else "",
        cost=money(line.cost_usd) if line.cost_usd is not None else "",
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("pytest_benchbed.report", "templates"),
        autoescape=True,
        # The one way out: markup of our own passes, everything else is escaped.
        finalize=lambda value: value if isinstance(value, Markup) else Markup(html(value)),  # noqa: S704
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(glyphs=GLYPHS, prose=prose, words=words)
    return environment


def prose(text: str) -> Markup:
    """Return a sentence of ours with the options and files in it set as code, so they stay whole.

    >>> str(prose("name it with --bench-control"))
    'name it with <code class="word">--bench-control</code>'
    """
    parts = _CODE_WORD.split(text)
    return Markup("").join(
        Markup('<code class="word">{}</code>' if index % 2 else "{}").format(Markup(html(part)))  # noqa: S704
        for index, part in enumerate(parts)
    )


def words(text: str) -> Markup:
    """Return a command in which no word is broken at its hyphens; its text is unchanged."""
    return Markup(" ").join(
        Markup('<span class="word">{}</span>').format(Markup(html(word)))  # noqa: S704
        for word in text.split(" ")
    )


@cache
def _asset(name: str) -> str:
    text = files("pytest_benchbed.report").joinpath("templates", name).read_text(encoding="utf-8")
    # A closing tag would end the element, whatever it stands in.
    assert not re.search(r"</(style|script)|<!--", text, re.IGNORECASE), name
    return text.replace("\r\n", "\n")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()
