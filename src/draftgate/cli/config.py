"""``draftgate config``: check a configuration, show where each value comes from, print its schema."""

from __future__ import annotations

from typing import Annotated

import typer

from draftgate.cli import options

app = typer.Typer(
    help="Check, show or describe the configuration.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[str | None, typer.Argument(metavar="FILE", help="The file, if not the repository's; as --config.")]
Format = Annotated[str, typer.Option("--format", metavar="FORMAT", help="text or json.")]


@app.command()
def check(
    file: File = None,
    *,
    format_: Format = "text",
    repository: options.Path = ".",
    config: options.Config = None,
) -> None:
    """Check the configuration; every problem is named with its place and what to write instead."""
    from draftgate.cli import run_config  # noqa: PLC0415 - help must not load pydantic

    run_config.check(format_, repository, file, config)


@app.command()
def show(
    file: File = None,
    *,
    format_: Format = "text",
    repository: options.Path = ".",
    config: options.Config = None,
) -> None:
    """Print every setting in force and where it comes from; secrets are hidden.

    Later sources win: defaults, the file, DRAFTGATE_* variables, inputs, the command line. Of a mapping each key
    counts for itself; a list is replaced as a whole.
    """
    from draftgate.cli import run_config  # noqa: PLC0415 - help must not load pydantic

    run_config.show_settings(format_, repository, file, config)


@app.command()
def schema() -> None:
    """Print the JSON Schema that editors use."""
    from draftgate.cli import run_config  # noqa: PLC0415 - help must not load pydantic

    run_config.show_schema()
