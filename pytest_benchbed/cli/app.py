"""The application ``benchbed``, and how its commands reach what plugins register.

Commands that need it get it by the same way as pytest: a small plugin given to
``pytest.main`` whose ``pytest_cmdline_main`` does the work and returns the exit code.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pytest
import typer

from pytest_benchbed.compare.exit import REFUSED
from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.edge.registration import load
from pytest_benchbed.model.bulk import few_collections
from pytest_benchbed.model.errors import BenchbedError

app = typer.Typer(
    help="Work with benchmark datasets and saved runs. Cases are run by pytest: "
    "pytest --bench=NAME.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="A run directory, or its id.")]
RunsDir = Annotated[
    Path | None, typer.Option("--runs-dir", metavar="DIR", help="Folder of the run directories.")
]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        metavar="RUN",
        help="Compare with this run instead, without the former controls.",
    ),
]
Controls = Annotated[
    list[str] | None,
    typer.Option("--control", metavar="RUN", help="A repeat of the baseline; may be repeated."),
]
Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target", metavar="CASE", help="A case that must have no error; may be repeated."
    ),
]
Profile = Annotated[
    str | None, typer.Option("--gate", metavar="PROFILE", help="The profile that decides.")
]
Rule = Annotated[
    str | None, typer.Option("--rule", metavar="RULE", help="auto, strict, confirm or allowance.")
]


class Command:
    """The plugin that stands in for a test session."""

    def __init__(self, work: Callable[[pytest.Config, Registries], int]) -> None:
        """``work`` returns the exit status."""
        self.work = work
        self.error: BenchbedError | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        """Do the work of the command; no session begins."""
        try:
            with few_collections():
                return self.work(config, load(config))
        except BenchbedError as error:
            self.error = error
            return REFUSED


def with_registrations(work: Callable[[pytest.Config, Registries], int]) -> int:
    """Load plugins and the root ``conftest.py`` as pytest does, then do ``work``."""
    command = Command(work)
    # This package is imported before pytest could rewrite its assertions; where a
    # project turns warnings into errors, that would end the command.
    quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    # By name: where plugins are not loaded by themselves (PYTEST_DISABLE_PLUGIN_AUTOLOAD).
    words = ["-p", "benchbed", "-p", "no:cacheprovider", *quiet]
    code = int(pytest.main(words, plugins=[command]))
    if command.error is not None:
        raise command.error
    return code
