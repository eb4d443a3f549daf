"""Foreign text made harmless: the only functions that write it anywhere.

Case text, answers and replies are written by anybody. Each place has its
function: :func:`island` for JSON inside a page, :func:`html` for elements and
quoted attributes, :func:`md` for Markdown (:func:`md_sentence` where words of
ours stand around it), :func:`term` for terminals, logs and reports of tests.

What cannot be seen is shown or replaced: a difference between two texts may be
one zero-width character, and a bidi control may turn the words around it.
"""

from __future__ import annotations

import html as _html
import json
import re
from typing import Any

# Every control, format, surrogate and separator character of Unicode (Cc, Cf,
# Cs, Zl, Zp), the blank letters (fillers, braille blank), the joiner that only
# disturbs, and the invisible planes of tags and variation selectors. Written
# out: a scan of all characters at import would cost a quarter of a second.
_INVISIBLE = (
    "\x00-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    "\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff"
    "\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001345f"
    "\U0001bca0-\U0001bcaf\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN = re.compile(f"[{_INVISIBLE}]")
_HIDDEN_BUT_LINES = re.compile("[" + _INVISIBLE.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f") + "]")
# Inert inside a code span everywhere. Not among them: the backtick, what tables
# and HTML use (| < > &), what hosts look for (@ #) and the backslash.
_CODE_SPAN = re.compile(
    r"""[A-Za-z0-9$\[(\-+](?:[A-Za-z0-9 ,._/$\[\]()"':=+%;-]*[A-Za-z0-9.)\]%])?"""
)
_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;/()+=$%?!-]*")
_PLAIN_WORD = re.compile(r"[A-Za-z]+(?:['\u2019-][A-Za-z]+)*|\u00d7?[0-9]+(?:[.,][0-9]+)*|[%·]")
_MARKDOWN = re.compile(r"[`*_{}\[\]()<>#+\-.!|~@&:=/\\\"'$]")


def term(text: object, limit: int = 200) -> str:
    """Return ``text`` on one line with everything unprintable as an escape.

    Cut at ``limit`` characters, which is said by ``…``. The caller writes words
    of its own first: foreign text never starts a line, so that no log reader
    takes it for a command. One kind of command is obeyed anywhere in a line
    (``##[error]``, ``##vso[…]``): its second ``#`` becomes an escape too.
    """
    line = str(text)
    cut = line[: limit + 1]
    escaped = _HIDDEN.sub(_escape, cut[:limit]).replace("##", "#\\x23")
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
    """Return ``text`` for an element or a quoted attribute.

    Line feeds and tabs stay; every other invisible character is shown by its
    number, as ``⟨U+200B⟩``.
    """
    text = str(text)
    if _PLAIN.fullmatch(text):
        return text
    shown = _HIDDEN_BUT_LINES.sub(lambda match: f"⟨U+{ord(match.group()):04X}⟩", text)
    return _html.escape(shown, quote=True)


def md(text: object, limit: int = 200) -> str:
    """Return ``text`` as Markdown code: one line, cut at ``limit``, inert.

    An id, a path or plain words become a code span, which is readable in the
    file too. Anything else becomes a code element with its markup taken out by
    entities and its invisible characters replaced. Code it must be: hosts look
    for mentions (``@name``), references (``#1``, ``closes #1``, commit ids) and
    emoji in the *rendered* text, where an entity is already undone, but not
    inside ``<code>``.
    """
    line = str(text)
    if not line:
        return ""
    if len(line) <= limit and _CODE_SPAN.fullmatch(line):
        return f"`{line}`"
    flat = _HIDDEN.sub("\ufffd", line[:limit])
    escaped = _MARKDOWN.sub(lambda match: f"&#{ord(match.group())};", flat)
    return f"<code>{escaped}{'…' if len(line) > limit else ''}</code>"


def md_sentence(text: object, limit: int = 1_000) -> str:
    """Return a sentence of ours for Markdown, with the names in it as code elements.

    Plain words and numbers stay as they are; every other word (an id, an
    option, whatever came from elsewhere) goes through :func:`md`. It must not
    start a line by itself: a plain number there would make a list.
    """
    return " ".join(_sentence_word(word) for word in str(text)[:limit].split())


def _sentence_word(word: str) -> str:
    core = word.lstrip("(")
    before, core = word[: len(word) - len(core)], core.rstrip(").,;:")
    after = word[len(before) + len(core) :]
    return f"{before}{core if not core or _PLAIN_WORD.fullmatch(core) else md(core)}{after}"


def island(value: Any) -> str:
    """Return ``value`` as JSON that cannot close its ``<script>`` element.

    Raises:
        ValueError: NaN or an infinity: a page's parser would refuse them.
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def json_term(value: Any, limit: int = 200) -> str:
    """Return a JSON value for a terminal: compact, escaped, cut."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(", ", ": "))
    return term(text, limit)
