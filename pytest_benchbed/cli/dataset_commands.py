"""``benchbed list``, ``validate``, ``pin`` and ``generate``: datasets; ``init`` comes first."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
import typer

import pytest_benchbed.cli.init_command  # noqa: F401 (it adds its command)
from pytest_benchbed.cli.app import app
from pytest_benchbed.cli.app import with_registrations
from pytest_benchbed.edge.registration import Registries


@app.command("list")
def list_command() -> None:
    """List benchmarks, datasets and adapters."""
    from pytest_benchbed.edge.listing import listing_lines

    def work(_: pytest.Config, registries: Registries) -> int:
        for line in listing_lines(registries):
            typer.echo(line)
        return 0

    raise typer.Exit(with_registrations(work))


@app.command()
def validate(
    path: Annotated[Path, typer.Argument(help="A dataset's folder.")],
) -> None:
    """Check one dataset: files, pins, ids, answers; exit 1 on a fault."""
    from pytest_benchbed.cli.validate import run_validate

    def work(_: pytest.Config, registries: Registries) -> int:
        return run_validate(path, registries.benchmarks, typer.echo)

    raise typer.Exit(with_registrations(work))


@app.command()
def pin(
    path: Annotated[Path, typer.Argument(help="A dataset's folder.")],
    bump: Annotated[
        bool,
        typer.Option("--bump", help="Raise the version, and take the promoted runs over to it."),
    ] = False,
    benchmark: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The benchmark, where the folder does not say it."),
    ] = None,
    dataset_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Id of the dataset.")
    ] = None,
    visibility: Annotated[
        str | None,
        typer.Option(metavar="public|private", help="Default for a new one: private."),
    ] = None,
) -> None:
    """Write the manifest of a dataset: pins of its files, digests of inputs and answers.

    With --bump the promoted baseline and controls of the bench file are scored
    again from their replies; no adapter is started. A case is retired in the
    manifest: "retired": [{"id": CASE, "reason": TEXT, "since": VERSION}].
    """
    from pytest_benchbed.cli.pin import PinOptions
    from pytest_benchbed.cli.pin import run_bump
    from pytest_benchbed.cli.pin import run_pin
    from pytest_benchbed.data.undo import check_no_update

    check_no_update(path)
    options = PinOptions(path, benchmark, dataset_id, visibility)
    if not bump:
        raise typer.Exit(run_pin(options, typer.echo))

    def work(config: pytest.Config, registries: Registries) -> int:
        return run_bump(config, registries, options, typer.echo)

    raise typer.Exit(with_registrations(work))


@app.command()
def generate(
    name: Annotated[str, typer.Argument(help="A public benchmark, such as table-separators.")],
    out: Annotated[Path | None, typer.Option(help="Folder to write the dataset to.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Compare with what is there; write nothing.")
    ] = False,
) -> None:
    """Generate a public dataset again, byte for byte."""
    from pytest_benchbed.cli.generate import run_generate

    raise typer.Exit(run_generate(name, out, check, typer.echo))
