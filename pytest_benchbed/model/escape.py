"""Foreign text made harmless: the only functions that write it anywhere.

Case text, answers and replies are written by anybody. Each place has its
function: :func:`island` for JSON inside a page, :func:`html` for elements and
quoted attributes, :func:`md` for Markdown, :func:`term` for terminals, logs
and reports of tests.
"""

from __future__ import annotations

import html as _html
import json
import re
from typing import Any

# C0, DEL, C1, lone surrogates, line and paragraph separators, bidi controls,
# zero-width characters, BOM, tags.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_CONTROL_KEEPING_SPACE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_MARKDOWN = re.compile(r"[`*_{}\[\]()<>#+\-.!|~@&:=/\\\\]")


def term(text: object, limit: int = 200) -> str:
    """Return ``text`` on one line with everything unprintable as an escape.

    Cut at ``limit`` characters, which is said by ``…``. The caller writes words
    of its own first: foreign text never starts a line, so that no log reader
    takes it for a command.
    """
    line = str(text)
    cut = line[: limit + 1]
    escaped = _HIDDEN.sub(_escape, cut[:limit])
    return escaped + ("…" if len(cut) > limit else "")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    short = {9: "\\t", 10: "\\n", 13: "\\r"}.get(code)
    if short is not None:
        return short
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def html(text: object) -> str:
    """Return ``text`` for an element or a quoted attribute; control characters become U+FFFD."""
    return _html.escape(_CONTROL_KEEPING_SPACE.sub("\ufffd", str(text)), quote=True)


def md(text: object, limit: int = 200) -> str:
    """Return ``text`` for Markdown: one line, no markup, link, image, mention or reference."""
    line = str(text)
    flat = _HIDDEN.sub("\ufffd", line[:limit])
    escaped = _MARKDOWN.sub(lambda match: f"&#{ord(match.group())};", flat)
    return escaped + ("…" if len(line) > limit else "")


def island(value: Any) -> str:
    """Return ``value`` as JSON that cannot close its ``<script>`` element."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def json_term(value: Any, limit: int = 200) -> str:
    """Return a JSON value for a terminal: compact, escaped, cut."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(", ", ": "))
    return term(text, limit)
