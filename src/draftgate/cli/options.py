"""The options that several subcommands share, written once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass(frozen=True, slots=True)
class Program:
    """The options of the whole program, as a subcommand finds them in its context."""

    quiet: bool = False


def of(context: typer.Context) -> Program:
    """The program's options; the defaults where a subcommand is called without the program."""
    return context.obj if isinstance(context.obj, Program) else Program()


Config = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="The configuration file to use.", envvar="DRAFTGATE_CONFIG"),
]
Which = Annotated[
    str | None,
    typer.Option("--head", metavar="REF", help="The reviewed branch, if it is not the one that is checked out."),
]
Path = Annotated[
    str, typer.Option("--repository", "-C", metavar="PATH", help="A folder inside the repository, if not this one.")
]
