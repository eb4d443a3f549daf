"""Classes and functions as adapters; runs in this process, without the import path."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters import loading
from pytest_benchbed.adapters.base import Adapter
from pytest_benchbed.adapters.loading import LoadError


class Whole(Adapter):
    version = "3"
    env = ("KEY",)
    max_concurrency = 2

    def __init__(self, size: int = 1) -> None:
        self.size = size

    async def predict(self, case):
        return None


class Duck:
    def predict(self, case):
        return 1


def function(case):
    return 2


def refused(kind: str, work, *arguments: Any) -> str:
    with pytest.raises(LoadError) as caught:
        work(*arguments)
    assert caught.value.kind == kind
    return str(caught.value)


def test_a_class_declares_by_its_attributes() -> None:
    row = loading.describe(Whole)

    assert (row["name"], row["version"], row["shared"]) == ("Whole", "3", True)
    assert (row["env"], row["max_concurrency"], row["network"]) == (["KEY"], 2, "none")


def test_a_class_of_its_own_needs_only_predict() -> None:
    cls = loading.as_class(Duck, "Duck")
    row = loading.describe(loading.build(cls, {}, None))

    assert (row["name"], row["shared"], row["deterministic"]) == ("Duck", False, False)


def test_a_function_is_an_adapter_of_its_name() -> None:
    cls = loading.as_class(function, "function")
    adapter = loading.build(cls, {}, "m")

    assert (loading.describe(cls)["name"], adapter.predict(None), adapter.model) == (
        "function",
        2,
        "m",
    )


def test_an_async_function_is_an_async_adapter() -> None:
    assert loading.describe(loading.as_class(Whole().predict, "x"))["shared"] is True


def test_a_function_takes_no_options() -> None:
    cls = loading.as_class(function, "function")

    assert "'size'" in refused("constructor", loading.build, cls, {"size": 1}, None)


@pytest.mark.parametrize("found", [Whole(), 3, "text", None])
def test_another_object_is_refused_by_its_type(found: object) -> None:
    assert type(found).__name__ in refused("entry", loading.as_class, found, "x")


def test_a_class_without_predict_is_refused() -> None:
    class Nothing(Adapter):
        pass

    for cls in (Nothing, dict):
        assert "predict" in refused("entry", loading.as_class, cls, "x")


def test_a_bad_option_is_named_as_python_names_it() -> None:
    text = refused("constructor", loading.build, Whole, {"siez": 1}, None)

    assert "siez" in text
    assert "options given: siez" in text


def test_an_adapter_that_threads_may_call_is_shared() -> None:
    class Safe(Adapter):
        thread_safe = True

    assert loading.describe(Safe)["shared"] is True
    assert loading.describe(Adapter)["shared"] is False


def test_a_declaration_of_another_type_is_refused_with_the_class() -> None:
    class Wrong(Whole):
        env = "KEY"

    assert "class Wrong: env must be a list" in refused("declaration", loading.describe, Wrong)

    class Unsafe(Adapter):
        thread_safe = "yes"

    assert "class Unsafe: thread_safe must be True or False, not 'yes'" in refused(
        "declaration", loading.describe, Unsafe
    )


@pytest.mark.parametrize(
    ("version", "text"), [("1.2", "1.2"), (7, "7"), (None, ""), (lambda self: "asked", "asked")]
)
def test_a_version_is_text_or_is_asked(version: Any, text: str) -> None:
    adapter = type("A", (Whole,), {"version": version})()

    assert loading.check_version(loading.version_of(adapter)) == text


def test_a_version_that_raises_or_is_no_text_is_refused() -> None:
    def broken(self):
        raise OSError("offline")

    adapter = type("A", (Whole,), {"version": broken})()
    assert "offline" in refused("version", loading.version_of, adapter)
    refused("version", loading.check_version, ["1"])


def test_an_exception_whose_text_raises_has_its_type() -> None:
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    assert loading.words(Mute()) == "Mute: (its message cannot be read)"
    assert loading.words(KeyError()) == "KeyError"


@pytest.mark.parametrize("drive", ["nowhere_at_all:f", "json:nothing", "json:__doc__", "json"])
def test_a_drive_that_is_no_function_is_refused(drive: str) -> None:
    refused("drive", loading.import_drive, drive)


def test_code_of_the_same_length_and_second_is_not_taken_from_its_compiled_file(
    tmp_path: Path,
) -> None:
    """What runs is what its digest says: a compiled file may be of the code before."""
    package = tmp_path / "acme_stale"
    package.mkdir()
    (package / "__init__.py").write_text("", "utf-8")
    module = package / "reader.py"
    answers = []
    for number in (1, 2):
        module.write_text(f"def predict(case):\n    return {number}\n", "utf-8")
        os.utime(module, (1_700_000_000, 1_700_000_000))
        py_compile.compile(str(module), doraise=True) if number == 1 else None
        code = (
            "from pytest_benchbed.adapters.loading import load\n"
            f"found = load({{'path': {str(module)!r}, 'module': 'acme_stale.reader', "
            f"'attribute': 'predict', 'pythonpath': [{str(tmp_path)!r}]}})\n"
            "print(found.predict(None))\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        answers.append(done.stdout.strip() or done.stderr)

    assert answers == ["1", "2"]
