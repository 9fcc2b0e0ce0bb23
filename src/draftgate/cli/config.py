"""``draftgate config``: check a configuration, show where each value comes from, print its schema."""

from __future__ import annotations

import json
import os
from pathlib import Path

import typer

from draftgate.cli import options

app = typer.Typer(
    help="Check, show or describe the configuration.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def check(*, repository: options.Path = ".", config: options.Config = None) -> None:
    """Check the configuration; every problem is named with its place and what to write instead."""
    from draftgate.bootstrap.configuration import load_configuration  # noqa: PLC0415 - help must not load pydantic
    from draftgate.config.show import without_effect  # noqa: PLC0415 - as above

    loaded = load_configuration(Path(repository), os.environ, path=config)
    for warning in loaded.warnings:
        typer.echo(f"warning: {warning}", err=True)
    typer.echo("The configuration is fine.")
    idle = without_effect(loaded)
    if idle:
        typer.echo(f"Read, and without effect in this release: {', '.join(idle)}.")


@app.command()
def show(*, repository: options.Path = ".", config: options.Config = None) -> None:
    """Print every setting in force and where it comes from."""
    from draftgate.bootstrap.configuration import load_configuration  # noqa: PLC0415 - help must not load pydantic
    from draftgate.config.show import describe  # noqa: PLC0415 - as above

    for row in describe(load_configuration(Path(repository), os.environ, path=config)):
        typer.echo(f"{row.key}: {row.value}  # {row.origin}")


@app.command()
def schema() -> None:
    """Print the JSON Schema that editors use."""
    from draftgate.config.show import json_schema  # noqa: PLC0415 - help must not load pydantic

    typer.echo(json.dumps(json_schema(), indent=2))
