"""Every function that writes foreign text, against every class of hostile text."""

from __future__ import annotations

import json
import re
import unicodedata
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from pytest_benchbed.model.escape import html
from pytest_benchbed.model.escape import island
from pytest_benchbed.model.escape import json_term
from pytest_benchbed.model.escape import md
from pytest_benchbed.model.escape import md_sentence
from pytest_benchbed.model.escape import term

HOSTILE = {
    "script closer": "</script><script>alert(1)</script>",
    "script closer, odd case": "</ScRiPt ><svg/onload=alert(1)>",
    "style and title closers": "</style></title></textarea></details>",
    "comments": "<!-- --!> <![CDATA[ ]]>",
    "event handler": '" onmouseover="alert(1)" x="',
    "event handler, single quote": "' onfocus='alert(1)' autofocus='",
    "links": "javascript:alert(1) data:text/html,<b>x</b> vbscript:x",
    "template syntax": "{{ 7*7 }} {% raw %} ${7*7} <%= 7 %>",
    "base, meta, iframe": '<base href="//x"><meta http-equiv=refresh><iframe srcdoc="<b>">',
    "byte order mark and NUL": "\ufeff<scr\x00ipt>\x00",
    "table Markdown": "| a | b |\n|---|---|\n| 1 | 2 |",
    "heading Markdown": "\n# PASSED\n## really\nPASSED\n======\n",
    "link and image Markdown": "[click](http://x.invalid) ![i](http://x.invalid/i.png) <http://x.invalid>",
    "reference link": "[a]: http://x.invalid\n[a]",
    "bare links": "http://x.invalid www.x.invalid a@x.invalid",
    "mention": "@everyone @team/leads",
    "references": "#1 closes #1 fixes org/repo#2 GH-3 :tada:",
    "code fences": "```\nx\n``` `` ` ~~~",
    "lists, quotes, rules": "- a\n* b\n1. c\n> d\n---\n***",
    "mathematics and notes": "$x^2$ $$y$$ [^1] ==m== ~~s~~",
    "entities": "&lt;b&gt; &#60;b&#62; &amp;",
    "workflow commands": "::error::x\n::add-mask::y\n::stop-commands::z",
    "old workflow commands": "##[error]x ###[group]y ##vso[task.complete result=Succeeded;]",
    "group markers": "\n--- PASS\n+++ x\n##teamcity[testFailed]",
    "colour": "\x1b[31mred\x1b[0m \x9b31m",
    "title": "\x1b]0;title\x07 \x9d0;title\x9c",
    "hyperlink": "\x1b]8;;http://x.invalid\x1b\\text\x1b]8;;\x1b\\",
    "cursor": "\x1b[2J\x1b[1A\x1b[2K\x1b[1;1H\x1bc",
    "carriage return": "failed\rpassed",
    "backspace": "failed\b\b\b\b\b\bpassed",
    "line separators": "a\nb\r\nc\x0bd\x0ce\x85f\u2028g\u2029h",
    "bidi override": "\u202egnp.exe\u202c \u2066x\u2069 \u200f \u061c",
    "zero width": "a\u200bb\u200cc\u200dd\u2060e\u00adf\u180eg",
    "tags and selectors": "x\U000e0041\U000e007f\U000e0101",
    "blank letters": "\u3164\u115f\uffa0\u2800",
    "lone surrogates": "\ud800 \udfff \udc80abc",
    "very long": "A<" * 6_000,
    "backtick and dollar around plain words": "`$x$`",
    "blanks around plain words": "  x  ",
    "empty": "",
}
hostile = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())


class Seen(HTMLParser):
    """What a browser would find: elements with attributes, and text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.others: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.others.append(data)

    def handle_decl(self, decl):
        self.others.append(decl)

    def unknown_decl(self, data):
        self.others.append(data)


def is_invisible(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_every_invisible_character_of_unicode_is_known() -> None:
    """The ranges are written out in the module; a new Unicode version may add some."""
    invisible = [chr(code) for code in range(0x110000) if is_invisible(chr(code))]

    assert [f"{ord(one):X}" for one in invisible if term(one) == one] == []
    assert [f"{ord(one):X}" for one in invisible if one in html(one) and one not in "\t\n"] == []
    assert [f"{ord(one):X}" for one in invisible if one in md(one)] == []


@hostile
def test_an_element_and_both_kinds_of_attribute_hold_the_text_and_nothing_else(text: str) -> None:
    safe = html(text)
    seen = Seen(f"<p title=\"{safe}\" lang='{safe}'>{safe}</p>")

    assert [tag for tag, _ in seen.elements] == ["p"]
    assert set(seen.elements[0][1]) == {"title", "lang"}
    assert seen.others == []
    assert seen.text == seen.elements[0][1]["title"] == seen.elements[0][1]["lang"]
    assert not any(is_invisible(one) for one in seen.text if one not in "\t\n")
    safe.encode("utf-8")


def test_visible_text_is_shown_unchanged_and_invisible_text_by_its_number() -> None:
    assert Seen(html("Größe <0.5 µg/L\n\t☂ 😀 e\u0301 &amp;")).text == (
        "Größe <0.5 µg/L\n\t☂ 😀 e\u0301 &amp;"
    )
    assert html("a\u200bb\x07\ud800\U000e0041") == "a⟨U+200B⟩b⟨U+0007⟩⟨U+D800⟩⟨U+E0041⟩"


@hostile
def test_markdown_becomes_one_code_element_with_plain_text(text: str) -> None:
    page = MarkdownIt("commonmark").enable("table").render(f"- case {md(text)} end\n")
    seen = Seen(page)

    tags = [tag for tag, _ in seen.elements]
    assert tags == (["ul", "li", "code"] if text else ["ul", "li"])
    assert all(not attributes for _, attributes in seen.elements)
    assert seen.others == []
    assert page.count("\n") == 3, "a new line came out of the text"
    cut = text[:200].strip()
    for word in re.findall(r"[A-Za-z]{3,}", cut):
        assert word in seen.text


@hostile
def test_markdown_in_a_table_keeps_the_cells(text: str) -> None:
    source = f"| case | got |\n|---|---|\n| x {md(text)} | end |\n"
    rendered = MarkdownIt("commonmark").enable("table").render(source)

    assert "<td>end</td>" in rendered, "the text has made cells of its own"
    assert rendered.count("<td>") == 2
    assert rendered.count("<tr>") == 2


@hostile
def test_mentions_and_references_stay_inside_code(text: str) -> None:
    """Hosts look for them in the rendered text, outside ``<code>``, ``<pre>`` and ``<a>``."""
    rendered = MarkdownIt("commonmark").render(f"case {md(text)} end")

    assert re.sub(r"<code>.*?</code>", "", rendered, flags=re.DOTALL).split() in (
        ["<p>case", "end</p>"],
    )


@hostile
def test_a_sentence_has_plain_words_and_code_and_nothing_else(text: str) -> None:
    rendered = MarkdownIt("commonmark").enable("table").render(f"- got {md_sentence(text)} end\n")
    seen = Seen(rendered)
    outside = re.sub(r"<code>.*?</code>", "", rendered, flags=re.DOTALL)

    assert {tag for tag, _ in seen.elements} <= {"ul", "li", "code"}
    assert all(not attributes for _, attributes in seen.elements)
    assert not re.search(r"[@#$`*_|~!{}\[\]\\&=+]|://|www\.|GH-\d", outside)
    assert rendered.count("\n") == 3, "a new line came out of the text"


def test_a_sentence_keeps_its_punctuation_and_marks_the_names() -> None:
    sentence = "2 regressions (sep-004, case_x), compared 1,024 of 1,024; it's a re-ask: 5.5 % @me."

    assert md_sentence(sentence) == (
        "2 regressions (`sep-004`, `case_x`), compared 1,024 of 1,024; it's a re-ask: 5.5 % "
        "<code>&#64;me</code>."
    )


def test_a_factor_is_a_plain_word() -> None:
    assert md_sentence("cost \u00d71.20: more") == "cost \u00d71.20: more"


def test_ids_and_paths_stay_readable_in_the_markdown_file() -> None:
    assert md("sep-004") == "`sep-004`"
    assert md("runs/after/report.html") == "`runs/after/report.html`"
    assert md("acme extract 2.3.1") == "`acme extract 2.3.1`"
    assert md("a_b") == "`a_b`"
    assert md("a|b") == "<code>a&#124;b</code>"


def test_markdown_is_cut_and_says_so() -> None:
    assert md("x" * 201) == f"<code>{'x' * 200}…</code>"
    assert md("x" * 200) == f"`{'x' * 200}`"
    assert md("x" * 9, limit=4) == "<code>xxxx…</code>"


@hostile
def test_a_terminal_line_stays_one_printable_line(text: str) -> None:
    line = term(text, limit=10**6)

    assert line.isprintable() or line == ""
    assert len(line.splitlines()) <= 1
    line.encode("utf-8")


@hostile
def test_no_log_reader_finds_a_command_behind_words_of_ours(text: str) -> None:
    """``::`` counts at the start of a line only, ``##`` anywhere in it."""
    line = f"  got {term(text, limit=10**6)}"

    assert not re.search(r"##", line)
    assert not line.lstrip().startswith("::")


def test_a_terminal_line_is_cut_before_it_is_escaped() -> None:
    """The limit is one of characters of the text, so that an escape is never cut in two."""
    assert term("\x1b" * 5, limit=2) == "\\x1b\\x1b…"
    assert term("\t\r\n\x00\x9b\u202e\U000e0041") == "\\t\\r\\n\\x00\\x9b\\u202e\\U000e0041"
    assert term("ab", limit=2) == "ab"
    assert term(None) == "None"


@hostile
def test_an_island_is_the_same_json_and_cannot_be_left(text: str) -> None:
    value = {"text": text, "list": [text, 1, None], text: True}
    page = f'<script type="application/json">{island(value)}</script><p>after</p>'
    seen = Seen(page)

    assert [tag for tag, _ in seen.elements] == ["script", "p"]
    assert json.loads(seen.text.removesuffix("after")) == value
    assert island(value).isascii()
    assert not set(island(value)) & set("<>&")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_an_island_refuses_what_a_page_cannot_parse(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        island([number])


@hostile
def test_json_for_a_terminal_is_one_printable_cut_line(text: str) -> None:
    line = json_term({"b": text, "a": 1}, limit=80)

    assert line.startswith('{"a": 1, "b": "')
    assert line.isprintable()
    assert "##" not in line
    assert len(line) <= 80 * 10 + 1
