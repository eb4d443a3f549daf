"""The adapter ``command``: a product that is a program, started once a case, without a shell."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO
from typing import Any
from typing import Final

from pytest_benchbed.adapters.base import Adapter
from pytest_benchbed.adapters.command_settings import CommandSettings
from pytest_benchbed.adapters.process_table import descendants
from pytest_benchbed.adapters.process_table import read_table
from pytest_benchbed.adapters.template import as_text
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

MAX_OUTPUT: Final = 8 * 1024 * 1024
KEPT_ERRORS: Final = 64 * 1024
"""Bytes of standard error, from its end, that go to the log."""


class Command(Adapter):
    """Starts a program with the case as its input and reads its output.

    Options (templates are those of :mod:`.template`):

    - ``command``: a list of words, or a text that is split like a shell does,
      but no shell runs; words may take the case: ``{file}``, ``{/question}``;
    - ``stdin``: a template, default all inputs as JSON; null: nothing;
    - ``output``: ``json`` or ``text`` (without its last line end);
    - ``result``, ``cost``, ``input_tokens``, ``output_tokens``, ``model``: JSON
      pointers into the output; ``key``: the prediction becomes ``{key: …}``;
    - ``folder`` it is started in, default the root directory;
    - ``timeout_s`` of one call (default: ``--bench-timeout``),
      ``max_concurrency`` (1), ``version`` of the system.
    """

    name = "command"

    def __init__(self, **options: Any) -> None:
        """Check the options.

        Raises:
            UsageProblem: naming the option and what to do.
        """
        self.settings = CommandSettings.read(options, self.folders)
        self.max_concurrency = self.settings.max_concurrency
        self.reads = self.settings.reads
        self.version = self.settings.version

    def predict(self, case: Case) -> Any:
        """Run the program for one case.

        Raises:
            NoAnswer: the output has null where the prediction should be.
            TechnicalFailure: kind ``exit_status``, ``timeout`` or ``bad_response``.
        """
        settings = self.settings
        words = [as_text(word.fill(case, self.model)) for word in settings.words]
        given = b""
        if settings.stdin is not None:
            given = as_text(settings.stdin.fill(case, self.model)).encode("utf-8")
        output = run(words, given, settings.folder, settings.timeout_s)
        value = _value(output, settings.output)
        try:
            prediction = settings.picks.prediction(value)
        except LookupError as error:
            raise _bad(f"option result: {error}", output) from None
        usage = settings.picks.usage(value)
        return prediction if usage is None else (prediction, usage)


def run(words: list[str], given: bytes, folder: Path, timeout_s: float | None) -> bytes:
    """Run a program to its end and return its output.

    Files, not pipes: a child that it leaves behind would hold a pipe open.

    Raises:
        TechnicalFailure: kind ``exit_status`` or ``timeout``; by then its process
            tree is gone.
    """
    with (
        tempfile.TemporaryFile() as stdin,
        tempfile.TemporaryFile() as stdout,
        tempfile.TemporaryFile() as stderr,
    ):
        stdin.write(given)
        stdin.seek(0)
        try:
            process = subprocess.Popen(
                words,
                cwd=folder,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=sys.platform != "win32",
            )
        except (OSError, ValueError) as error:
            detail = f"{words[0]} cannot be started: {error}"
            raise TechnicalFailure("exit_status", detail) from None
        try:
            code = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            detail = (
                f"{Path(words[0]).name} ran longer than {timeout_s:g} s; killed with all it started"
            )
            raise TechnicalFailure("timeout", detail) from None
        finally:
            kill_tree(process)
            errors = _forward(stderr)
        if code != 0:
            raise TechnicalFailure("exit_status", f"{_ended(code)}: {errors or 'no message'}")
        stdout.seek(0)
        return stdout.read(MAX_OUTPUT + 1)


def kill_tree(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of a program: its session, and children that left that."""
    if sys.platform == "win32":
        process.kill()
    else:
        is_running = process.poll() is None
        left = [e.pid for e in descendants(read_table(), process.pid)] if is_running else []
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
    process.wait()


def _forward(stderr: IO[bytes]) -> str:
    """Copy the end of standard error into the adapter's log; return its last line."""
    size = stderr.seek(0, os.SEEK_END)
    stderr.seek(max(0, size - KEPT_ERRORS))
    text = stderr.read().decode("utf-8", "replace")
    if text:
        print(text, end="" if text.endswith("\n") else "\n", file=sys.stderr)
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def _ended(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def _value(output: bytes, kind: str) -> Any:
    if len(output) > MAX_OUTPUT:
        raise TechnicalFailure("bad_response", f"the output is larger than {MAX_OUTPUT} bytes")
    if not output.strip():
        # Also of a text: a program that broke without saying so must not look like an answer.
        raise TechnicalFailure("bad_response", "exit status 0 with an empty output")
    if kind == "text":
        try:
            text = output.decode("utf-8")
        except UnicodeDecodeError:
            raise _bad("the output is no UTF-8", output) from None
        return text.removesuffix("\n").removesuffix("\r")
    try:
        return read_json(output)
    except MalformedJson as error:
        raise _bad(f"the output is no JSON ({error.detail})", output) from None


def _bad(detail: str, output: bytes) -> TechnicalFailure:
    shown = term(output[:800].decode("utf-8", "replace").strip(), 200)
    print(f"bad_response: {term(detail)}; the output begins: {shown}", file=sys.stderr)
    return TechnicalFailure("bad_response", f"{detail}: {shown}")
