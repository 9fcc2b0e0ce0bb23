"""The subcommands of the published interface that this release does not have: each is refused with a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from draftgate.errors import UsageError

_LATER = {
    "respond": "answers to other people's reviews",
    "gate": "loops of review and fix",
    "stats": "figures over past reviews",
    "plan": "the shards of a change too large for one job",
    "merge": "one review from many shards",
    "sweep": "unanswered commands over many repositories",
}


def register(app: typer.Typer) -> None:
    """Add every subcommand that is not there yet."""
    for name, purpose in _LATER.items():
        app.command(
            name,
            help=f"Not in this release: {purpose}.",
            context_settings={
                "ignore_unknown_options": True,
                "allow_extra_args": True,
                "help_option_names": ["--help"],
            },
        )(_refusing(name, purpose))


def _refusing(name: str, purpose: str) -> Callable[..., None]:
    def refuse(arguments: Annotated[list[str] | None, typer.Argument(hidden=True)] = None) -> None:
        del arguments
        raise UsageError(
            f"`draftgate {name}` ({purpose}) is not in this release",
            hint="this release reviews a branch in a terminal (`draftgate review`, then `draftgate approve`) and pull "
            "requests on GitHub (`draftgate run` in a workflow)",
        )

    return refuse
