"""Executable adapters for the tests from the outside, and the ``benchbed`` command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from pytest_benchbed.cli import app
from pytest_benchbed.cli import main
from pytest_benchbed.compare.exit import REFUSED
from pytest_benchbed.model.errors import BenchbedError
from tests.plugin.bench import Bench

SCRIPT = """#!{python}
import json
import os
import sys

words = sys.argv[1:]
request_path, output = words[words.index("--request") + 1], words[words.index("--output") + 1]
with open(request_path, encoding="utf-8") as file:
    request = json.load(file)
predictions = {{case["id"]: {{"main": [], "side": []}} for case in request["cases"]}}
text = None
result = {{
    "id": request["benchmark"], "status": "completed", "format": request["format"],
    "data": "predictions.json",
    "systems": [{{"role": "candidate", "model": "m", "cost_usd": 0, "execution_failures": 0,
                 "unpriced_attempts": 0}}],
}}
system = result["systems"][0]
{how}
with open(os.path.join(output, "predictions.json"), "w", encoding="utf-8") as file:
    file.write(text if text is not None else json.dumps(predictions))
with open(os.path.join(output, "adapter-result.json"), "w", encoding="utf-8") as file:
    json.dump(result, file)
"""


def write_executable(bench: Bench, how: str = "") -> Path:
    """Write ``./system``, which is right everywhere except for what the lines ``how`` change.

    They see ``request``, ``predictions``, ``text`` (of the predictions file),
    ``result`` and ``system`` (its only entry).
    """
    path = bench.path / "system"
    path.write_text(SCRIPT.format(python=sys.executable, how=how), encoding="utf-8")
    path.chmod(0o755)
    return path


def command(bench: Bench, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run ``benchbed WORDS`` in the repository of ``bench``; ``more``: of the environment."""
    start = "from pytest_benchbed.cli.main import main; main()"
    # Settings of the outer session are none of the inner's.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    return subprocess.run(
        [sys.executable, "-c", start, *words],
        cwd=bench.path,
        env={**environment, **more},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


class Done(NamedTuple):
    """What a command ended with; named as of ``subprocess``."""

    returncode: int
    stdout: str
    stderr: str


def benchbed(bench: Bench, *words: str) -> Done:
    """Run ``benchbed WORDS`` in the repository of ``bench``, in this process."""

    def inner(arguments: list[str], plugins: list[object]) -> int:
        # Modules of the repository are forgotten afterwards, as by a run of pytest.
        return int(
            bench.pytester.inline_run(*arguments, plugins=plugins, no_reraise_ctrlc=True).ret
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(bench.path)
        patch.setattr(app.pytest, "main", inner)
        result = CliRunner().invoke(main.app, list(words))
    if isinstance(result.exception, BenchbedError):
        return Done(REFUSED, result.stdout, f"{result.stderr}benchbed: {result.exception}\n")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout, result.stderr)


posix_only = pytest.mark.skipif(
    sys.platform == "win32", reason="a script starts by its first line only on POSIX"
)
