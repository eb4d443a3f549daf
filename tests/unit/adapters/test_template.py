from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from pytest_benchbed.adapters.template import BASE64
from pytest_benchbed.adapters.template import FILE
from pytest_benchbed.adapters.template import PLAIN
from pytest_benchbed.adapters.template import Template
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import TechnicalFailure

INPUTS = {"question": "¿Cuánto es?", "n": 7, "deep": {"a/b": [True, None]}, "doc": "a.pdf"}


def case(files: dict[str, Path] | None = None) -> Case:
    return Case("c-1", "toy", INPUTS, files or {}, attempt=2)


def filled(value: Any, files: dict[str, Path] | None = None) -> Any:
    return Template(value, (*PLAIN, FILE, BASE64)).fill(case(files), "small")


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{/question}", "¿Cuánto es?"),
        ("{/n}", 7),
        ("n={/n}", "n=7"),
        ("{inputs}", INPUTS),
        ("{/deep/a~1b}", [True, None]),
        ("see {/deep/a~1b}", "see [true, null]"),
        ("{id} {attempt} {model}", "c-1 2 small"),
        ({"q": ["{/question}", 3, None]}, {"q": ["¿Cuánto es?", 3, None]}),
        ("{{id}}", "{id}"),
        ("a {{/n}} b", "a {/n} b"),
        ('{"a": {/n}} {} { x }', '{"a": 7} {} { x }'),
        ("no place", "no place"),
    ],
)
def test_places_are_filled(template: Any, value: Any) -> None:
    assert filled(template) == value


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{quesion}", r"'\{quesion\}', which is none of .*\(write \{\{quesion\}\} for the text\)"),
        ({"a": ["{input}"]}, "which is none of"),
        ("{id:/a}", "which is none of"),
        ("{/a~2}", "is no JSON pointer"),
    ],
)
def test_a_place_that_is_none_is_refused_at_the_start(template: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Template(template, PLAIN)


def test_what_a_case_lacks_is_technical() -> None:
    with pytest.raises(TechnicalFailure, match="template: inputs of the case: /nope is not there"):
        filled("{/nope}")


def test_parts_of_an_address_are_encoded() -> None:
    template = Template("http://h/{/question}?n={/n}&{{id}}", PLAIN)

    text = template.text(case(), None, lambda part: quote(part, safe=""))

    assert text == "http://h/%C2%BFCu%C3%A1nto%20es%3F?n=7&{id}"


def test_files_by_path_and_by_content(tmp_path: Path) -> None:
    one, two = tmp_path / "a.pdf", tmp_path / "b.pdf"
    one.write_bytes(b"\x00one")

    assert filled("{file}", {"a.pdf": one}) == str(one)
    assert filled("{base64}", {"a.pdf": one}) == "AG9uZQ=="
    assert filled("x {file:/doc}", {"a.pdf": one, "b.pdf": two}) == f"x {one}"
    with pytest.raises(TechnicalFailure, match="the case has 2 files"):
        filled("{file}", {"a.pdf": one, "b.pdf": two})
    with pytest.raises(TechnicalFailure, match="/question of the inputs names no file"):
        filled("{file:/question}", {"a.pdf": one})
