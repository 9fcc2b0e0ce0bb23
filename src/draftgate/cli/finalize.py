"""``draftgate finalize``: end a session and remove what it holds."""

from __future__ import annotations

from typing import Annotated

import typer

from draftgate.cli import options


def finalize(
    number: Annotated[str | None, typer.Argument(metavar="[NUMBER]", help="Only for reviews on a forge.")] = None,
    *,
    head: options.Which = None,
    repository: options.Path = ".",
    config: options.Config = None,
) -> None:
    """End the session of the branch; what was published stays. Asks nothing."""
    from draftgate.cli import run_finalize  # noqa: PLC0415 - help must not load the flows

    run_finalize.run(number, path=repository, head=head, config=config)
