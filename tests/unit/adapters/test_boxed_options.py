"""Every option of the adapters in the box: a problem is one line that names it and what to do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.boxed import fit
from pytest_benchbed.adapters.command_adapter import Command
from pytest_benchbed.adapters.command_settings import CommandSettings
from pytest_benchbed.adapters.http_adapter import Http
from pytest_benchbed.adapters.http_settings import HttpSettings
from pytest_benchbed.adapters.openai_adapter import OpenAI
from pytest_benchbed.adapters.openai_settings import OpenAISettings
from pytest_benchbed.adapters.prediction_settings import PredictionSettings
from pytest_benchbed.adapters.predictions import Predictions
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.model.errors import UsageProblem

URL = {"url": "http://127.0.0.1:1/ask"}
SECRET = {"headers": {"Authorization": "Bearer $ACME_KEY"}}


def spec(module: str, options: dict[str, Any], folder: Path, **changes: Any) -> AdapterSpec:
    return AdapterSpec(
        name="x",
        kind="class",
        entry=module,
        path=folder / "x.py",
        module=module,
        options=options,
        folders=(folder, folder),
        **changes,
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "option url is missing; give it, such as url=http"),
        ({"ulr": "x"}, "unknown option of adapter http 'ulr'. Did you mean 'url'?"),
        ({"url": 7}, "option url must begin with http://HOST"),
        ({"url": "ftp://h/"}, "option url must begin with http://HOST"),
        ({"url": "http://h:x/"}, "option url = 'http://h:x/' is no address"),
        ({"url": "http://{/host}/"}, "option url has a place in its host"),
        ({"url": "http://h/ñ"}, "a letter beyond ASCII"),
        ({"url": "http://me:pass@h/"}, "option url has a password in it; use headers with $NAME"),
        ({"url": "http://h/?api_key=abc"}, "write api_key=$NAME"),
        ({"url": "http://h/{/q"}, None),
        ({"url": "http://h/{quest}"}, "option url has '{quest}', which is none of"),
        ({**URL, "method": "DELETE"}, "option method must be one of POST, GET, PUT, PATCH"),
        ({**URL, "method": "GET", "body": {}}, "option body goes with method POST"),
        ({**URL, "body": {"q": "{/a~3}"}}, "option body '/a~3' is no JSON pointer"),
        ({**URL, "file": 7}, "option file must be the name of the form field"),
        ({**URL, "file": {"doc": "pdf"}}, "option file: 'doc' must name a pointer"),
        ({**URL, "file": "doc", "body": "x"}, "option body must be an object beside file"),
        ({**URL, "headers": "A: b"}, "option headers must be an object in the bench file"),
        ({**URL, "headers": {"Host": "h"}}, "option headers cannot set 'Host'"),
        ({**URL, "headers": {"A b": "h"}}, "option headers cannot set 'A b'"),
        ({**URL, "headers": {"X-Api-Key": "sk-1"}}, "X-Api-Key would be recorded; write $NAME"),
        ({**URL, "headers": {"X-A": "a\nb"}}, "X-A must be printable ASCII text"),
        ({**URL, "result": "answer"}, "option result = 'answer' is no JSON pointer: write /answer"),
        ({**URL, "cost": 3}, "option cost must be a JSON pointer such as /answer"),
        ({**URL, "reply": "xml"}, "option reply must be one of json, text"),
        ({**URL, "timeout_s": 0}, "option timeout_s must be seconds above 0"),
        ({**URL, "timeout_s": True}, "option timeout_s must be seconds above 0"),
        ({**URL, "max_concurrency": 1.5}, "option max_concurrency must be a whole number"),
        ({**URL, "key": ""}, "option key must be text"),
        ({**URL, "version_url": "x"}, "option version_url must begin with http://HOST"),
    ],
)
def test_options_of_http(options: dict[str, Any], words: str | None) -> None:
    if words is None:
        HttpSettings.read(options)
        return
    with pytest.raises(UsageProblem) as caught:
        HttpSettings.read(options)

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_variable_that_is_not_given_is_told_with_the_line_to_write() -> None:
    with pytest.raises(UsageProblem, match=r'write "env": \["ACME_KEY"\] beside'):
        HttpSettings.read({**URL, **SECRET}, env=[])


def test_what_http_needs_is_known_before_its_process_starts(tmp_path: Path) -> None:
    module = "pytest_benchbed.adapters.http_adapter"

    fitted = fit(spec(module, {**URL, **SECRET}, tmp_path))

    assert (fitted.env, fitted.network, fitted.reads) == (("ACME_KEY",), "all", ())
    with pytest.raises(UsageProblem, match="ACME_KEY"):
        fit(spec(module, {**URL, **SECRET}, tmp_path, env=("OTHER",)))
    assert fit(spec("mine", {"x": 1}, tmp_path)).network is None


@pytest.mark.parametrize("value", ["abcdef\n", " abcdef", "abc\x1bdef"])
def test_a_secret_with_a_line_break_is_refused_without_its_value(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_KEY", value)

    with pytest.raises(UsageProblem, match="variable ACME_KEY has blanks") as caught:
        Http(**URL, **SECRET)

    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "option path is missing; give it, such as path=outputs.jsonl"),
        ({"path": "nope.csv"}, "option path names 'nope.csv', which is no file in "),
        ({"path": "a.csv", "encoding": "cp9999"}, "try utf-8 or cp1252"),
        ({"path": "a.csv", "delimiter": "::"}, "option delimiter must be one character"),
        ({"path": "a.csv", "cells": "yaml"}, "option cells must be one of auto, text, json"),
        (
            {"path": "a.csv", "missing": "skip"},
            "option missing must be one of technical, no-answer",
        ),
        ({"path": "a.csv", "prediction": []}, "option prediction must be a column, a list"),
        ({"path": "a.csv", "predicton": "x"}, "Did you mean 'prediction'?"),
    ],
)
def test_options_of_predictions(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,prediction\n", encoding="utf-8")

    with pytest.raises(UsageProblem) as caught:
        PredictionSettings.read(options, [tmp_path])

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_path_is_looked_for_in_the_folders_in_their_order(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        (folder / "a.jsonl").write_text("", encoding="utf-8")
    (second / "b.jsonl").write_text("", encoding="utf-8")

    for name, folder in {"a.jsonl": first, "b.jsonl": second}.items():
        found = PredictionSettings.read({"path": name}, [first, second])
        assert found.path == folder / name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "option command must be a program and its arguments"),
        ({"command": []}, "option command must be a program"),
        ({"command": "'x"}, "option command cannot be split: No closing quotation"),
        ({"command": "{file} x"}, "option command must begin with a program"),
        ({"command": "no-such-program-here"}, "'no-such-program-here': no such program."),
        ({"command": "plain.txt"}, "no such program; write ./plain.txt"),
        ({"command": "./nope"}, "begins with './nope': no file in"),
        ({"command": "./plain.txt"}, "begins with './plain.txt': it is not executable"),
        ({"command": ["python", "{fil}"]}, "option command has '{fil}', which is none of"),
        ({"command": "python", "stdin": "{file}"}, "option stdin has '{file}', which is none of"),
        ({"command": "python", "output": "xml"}, "option output must be one of json, text"),
        ({"command": "python", "folder": "nope"}, "option folder names 'nope', which is no folder"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX decides what is executable")
def test_options_of_command(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("", encoding="utf-8")

    with pytest.raises(UsageProblem) as caught:
        CommandSettings.read(options, [tmp_path, tmp_path])

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_files_that_a_command_names_are_what_it_reads(tmp_path: Path) -> None:
    (tmp_path / "ask.py").write_text("", encoding="utf-8")
    options = {"command": [sys.executable, "ask.py", "{/q}", "--fast"]}

    fitted = fit(spec("pytest_benchbed.adapters.command_adapter", options, tmp_path))

    assert str(tmp_path / "ask.py") in (fitted.reads or ())
    assert (fitted.env, fitted.network, fitted.allow) == ((), "none", ())


@pytest.mark.parametrize("adapter", [Http, Predictions, Command, OpenAI])
def test_every_option_is_in_the_help(adapter: type[Any]) -> None:
    names = {
        Http: HttpSettings, Predictions: PredictionSettings, Command: CommandSettings,
        OpenAI: OpenAISettings,
    }[adapter]  # fmt: skip
    options = sys.modules[names.__module__].OPTIONS

    assert [name for name in options if f"``{name}``" not in (adapter.__doc__ or "")] == []
