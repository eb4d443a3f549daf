"""``benchbed``: each command reads its arguments and calls one library function."""

from __future__ import annotations

import sys

import typer

import pytest_benchbed.cli.dataset_commands
import pytest_benchbed.cli.run_commands  # noqa: F401 (both add their commands)
from pytest_benchbed.cli.app import app
from pytest_benchbed.compare.exit import REFUSED
from pytest_benchbed.model.errors import BenchbedError


def main() -> None:
    """Run the command; a mistake of the user is one line on stderr and exit 2."""
    try:
        app(prog_name="benchbed")
    except BenchbedError as error:
        typer.echo(f"benchbed: {error}", err=True)
        sys.exit(REFUSED)
