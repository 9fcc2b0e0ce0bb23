"""``draftgate status``: where the review stands."""

from __future__ import annotations

from typing import Annotated

import typer

from draftgate.cli import options


def status(
    *,
    format_: Annotated[str, typer.Option("--format", metavar="FORMAT", help="cards or json.")] = "cards",
    head: options.Which = None,
    repository: options.Path = ".",
    config: options.Config = None,
) -> None:
    """Show the phase, the round, the findings and what was submitted."""
    from draftgate.cli import run_status  # noqa: PLC0415 - help must not load the flows

    run_status.run(format_, path=repository, head=head, config=config)
