"""Every option of the adapter ``openai``, and what it needs before its process starts."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.boxed import fit
from pytest_benchbed.adapters.openai_adapter import OpenAI
from pytest_benchbed.adapters.openai_settings import OpenAISettings
from pytest_benchbed.model.errors import UsageProblem
from tests.unit.adapters.test_boxed_options import spec

MODULE = "pytest_benchbed.adapters.openai_adapter"
LOCAL = {"base_url": "http://localhost:8000/v1"}
ASK = {"user": "{/q}"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "option prompt is missing; give the path of a file, such as prompt=prompt.txt"),
        ({**ASK, "prompt": "good.txt"}, "option prompt and option user are both given"),
        ({"promt": "x"}, "unknown option of adapter openai 'promt'. Did you mean 'prompt'?"),
        ({"prompt": "nope.txt"}, "option prompt names 'nope.txt', which is no file in "),
        ({"prompt": "Say\nyes"}, "option prompt must be the path of a file"),
        ({"prompt": "latin.txt"}, "is no UTF-8 at byte 1; save it as UTF-8"),
        ({"prompt": "empty.txt"}, "empty.txt is empty"),
        ({"prompt": "large.txt"}, "large.txt is larger than 1048576 bytes"),
        ({"prompt": "place.txt"}, "option prompt has '{question}', which is none of {/pointer}"),
        ({"user": "{file}"}, "option user has '{file}', which is none of {/pointer}"),
        ({**ASK, "system": "{x}"}, "option system has '{x}', which is none of"),
        ({**ASK, "schema": "good.txt"}, "good.txt is no JSON (Expecting property name"),
        ({**ASK, "schema": "list.json"}, "list.json must hold a JSON schema, an object"),
        ({**ASK, "files": "pdf"}, "option files must be one of none, text, image"),
        ({**ASK, "reply": "xml"}, "option reply must be one of text, json"),
        ({**ASK, "temperature": 3}, "option temperature must be a number from 0 to 2, not 3"),
        ({**ASK, "temperature": True}, "option temperature must be a number from 0 to 2"),
        ({**ASK, "max_tokens": 0}, "option max_tokens must be a whole number from 1"),
        ({**ASK, "seed": 1.5}, "option seed must be a whole number from -9007199254740991"),
        ({**ASK, "extra": "top_p"}, "option extra must be an object in the bench file"),
        ({**ASK, "extra": {"stream": True}}, "option extra cannot set stream"),
        ({**ASK, "base_url": "localhost:8000"}, "option base_url must begin with http://HOST"),
        ({**ASK, "base_url": "http://h/v1?x=1"}, "option base_url must be a plain address"),
        ({**ASK, "base_url": "http://h/$A"}, "option base_url must be a plain address"),
        ({**ASK, "base_url": "http://h/v1/chat/completions"}, "must end before /chat/completions"),
        ({**ASK, "base_url": "http://a:secret@h/v1"}, "option base_url has a password in it"),
        ({**ASK, "api_key": 7}, "option api_key must be the NAME of an environment variable"),
        ({**ASK, "paid": "no"}, "option paid must be true or false"),
        ({**ASK, "timeout_s": 0}, "option timeout_s must be seconds above 0"),
        ({**ASK, "max_concurrency": 0}, "option max_concurrency must be a whole number from 1"),
    ],
)
def test_a_wrong_option_is_one_line(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("{/q}", encoding="utf-8")
    (tmp_path / "latin.txt").write_bytes("año".encode("latin-1"))
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    (tmp_path / "large.txt").write_text("a" * (1024 * 1024 + 1), encoding="utf-8")
    (tmp_path / "place.txt").write_text("{question}", encoding="utf-8")
    (tmp_path / "list.json").write_text("[]", encoding="utf-8")

    with pytest.raises(UsageProblem) as caught:
        OpenAISettings.read(options, [tmp_path])

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_key_in_place_of_its_name_is_not_repeated() -> None:
    with pytest.raises(UsageProblem, match="not the key itself") as caught:
        OpenAISettings.read({**ASK, "api_key": "sk-proj-abcdefgh"}, [])

    assert "abcdefgh" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "OPENAI_API_KEY"),
        ({"base_url": "https://models.example/v1"}, "OPENAI_API_KEY"),
        ({"base_url": "http://localhost.example/v1"}, "OPENAI_API_KEY"),
        ({"base_url": "https://models.example/v1", "api_key": None}, None),
        ({"base_url": "https://models.example/v1", "api_key": "MINE"}, "MINE"),
        (LOCAL, None),
        ({"base_url": "http://127.0.0.1:8000/v1"}, None),
        ({"base_url": "http://[::1]:8000/v1"}, None),
        ({**LOCAL, "api_key": "MINE"}, "MINE"),
    ],
)
def test_a_server_on_this_machine_gets_a_key_only_if_one_is_named(
    options: dict[str, Any], name: str | None
) -> None:
    assert OpenAISettings.read({**ASK, **options}, []).api_key == name


def test_what_it_needs_is_known_before_its_process_starts(tmp_path: Path) -> None:
    prompt, schema = tmp_path / "p.txt", tmp_path / "s.json"
    prompt.write_text("{/q}", encoding="utf-8")
    schema.write_text("{}", encoding="utf-8")
    options = {"prompt": "p.txt", "schema": "s.json"}

    fitted = fit(spec(MODULE, options, tmp_path, model="small"))

    assert (fitted.env, fitted.network) == (("OPENAI_API_KEY",), "all")
    assert fitted.reads == (str(prompt), str(schema))
    assert fitted.settings == (
        f"prompt={hashlib.sha256(b'{/q}').hexdigest()}",
        f"schema={hashlib.sha256(b'{}').hexdigest()}",
    )
    assert fit(spec(MODULE, {**ASK, **LOCAL}, tmp_path, model="small")).env == ()
    with pytest.raises(UsageProblem, match=r'write "env": \["OPENAI_API_KEY"\] beside'):
        fit(spec(MODULE, options, tmp_path, model="small", env=("OTHER",)))
    with pytest.raises(UsageProblem, match="name the model: --bench-model=NAME"):
        fit(spec(MODULE, options, tmp_path))


def test_without_the_library_its_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    options = {**ASK, **LOCAL}

    for needs in (
        lambda: fit(spec(MODULE, options, tmp_path, model="small")),
        lambda: OpenAI(**options),
    ):
        with pytest.raises(UsageProblem) as caught:
            needs()
        assert "pip install 'pytest-benchbed[openai]'" in str(caught.value)
        assert "\n" not in str(caught.value)
