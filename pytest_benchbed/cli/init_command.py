"""``benchbed init``: its options."""

from __future__ import annotations

import sys
from typing import Annotated

import pytest
import typer

from pytest_benchbed.cli.app import app
from pytest_benchbed.cli.app import with_registrations
from pytest_benchbed.edge.registration import Registries


@app.command()
def init(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the benchmark is called.")],
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="FILE", help="Your table, JSONL or CSV; or hf:DATASET."),
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="Column with the ids.")
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", metavar="COLUMN", help="What the system sees."),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Option("--file", metavar="COLUMN", help="Path of a file that the system sees."),
    ] = None,
    answers: Annotated[
        list[str] | None,
        typer.Option("--answer", metavar="COLUMN", help="What is right; one with an object is it."),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Document or site; cases of one fail together."),
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--type", help="label, text, fields or facts.")
    ] = None,
    skip_empty: Annotated[
        bool, typer.Option("--skip-empty", help="Leave out rows without an answer.")
    ] = False,
    public: Annotated[
        bool, typer.Option("--public", help="The texts may be shown in CI; default: private.")
    ] = False,
    update: Annotated[
        bool, typer.Option("--update", help="Take in rows that were added or changed.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing.")] = False,
    ci: Annotated[
        str | None, typer.Option(metavar="SERVICE", help="Write a workflow: github or gitlab.")
    ] = None,
) -> None:
    """Make a benchmark of a table of your own: dataset, bench file, adapter to fill in."""
    from pytest_benchbed.cli.init import InitChoice
    from pytest_benchbed.cli.init import run_init
    from pytest_benchbed.cli.init_update import run_update

    choice = InitChoice(
        name,
        source,
        id_column,
        inputs or (),
        files or (),
        answers or (),
        kind,
        group=group,
        skip_empty=skip_empty,
        visibility="public" if public else "private",
        ci=ci,
    )
    is_asked = sys.stdin.isatty() and not yes
    ask = typer.confirm if is_asked else None

    def work(config: pytest.Config, registries: Registries) -> int:
        if update:
            return run_update(config, registries, choice, typer.echo, ask)
        return run_init(choice, config.invocation_params.dir, typer.echo, ask)

    raise typer.Exit(with_registrations(work))
