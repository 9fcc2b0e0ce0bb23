"""``draftgate do``: any comment command, by the same parser as in a comment."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from draftgate.cli import options


def do(
    context: typer.Context,
    comment: Annotated[
        str, typer.Argument(help="A comment with commands, as in '/drop-finding 2 reason'; `-` reads it from stdin.")
    ],
    *,
    head: options.Which = None,
    repository: options.Path = ".",
    config: options.Config = None,
) -> None:
    """Give the commands of a comment.

    `draftgate do '/draftgate help'` lists them.
    """
    from draftgate.cli import run_command  # noqa: PLC0415 - help must not load the flows

    text = sys.stdin.buffer.read().decode("utf-8", "replace") if comment == "-" else comment
    run_command.run(text, path=repository, head=head, config=config, quiet=options.of(context).quiet)
