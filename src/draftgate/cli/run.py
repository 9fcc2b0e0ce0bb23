"""``draftgate run``: the job of a CI system, which says by its environment what is to be done."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from draftgate.errors import UsageError


def run(
    *,
    shard: Annotated[str | None, typer.Option("--shard", metavar="I/N", help="Not in this release.")] = None,
) -> None:
    """Do what the event of a CI job asks for: review a change, or run the commands of a comment.

    Everything comes from the environment that the CI system sets.
    """
    if shard is not None:
        raise UsageError(
            "`--shard` is not in this release", hint="leave it out; one job reviews the whole change, however large"
        )
    from draftgate.cli import run_ci  # noqa: PLC0415 - help must not load it

    raise typer.Exit(run_ci.run(os.environ))
