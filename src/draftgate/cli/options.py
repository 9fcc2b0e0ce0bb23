"""The options that several subcommands share, written once."""

from __future__ import annotations

from typing import Annotated

import typer

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but results and errors.")]
Config = Annotated[str | None, typer.Option("--config", metavar="FILE", help="The configuration file to use.")]
Which = Annotated[
    str | None,
    typer.Option("--head", metavar="REF", help="The reviewed branch, if it is not the one that is checked out."),
]
Path = Annotated[
    str, typer.Option("--repository", "-C", metavar="PATH", help="A folder inside the repository, if not this one.")
]
