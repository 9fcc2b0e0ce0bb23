"""``draftgate approve``: publish what was approved, and nothing else."""

from __future__ import annotations

from typing import Annotated

import typer

from draftgate.cli import options
from draftgate.errors import UsageError


def approve(
    context: typer.Context,
    selection: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SET]", help="`1,3-5`, `all`, `all except 2` or `none`; all findings if left out."),
    ] = None,
    *,
    verdict: Annotated[
        str | None, typer.Option("--as", metavar="VERDICT", help="request-changes, comment or approve.")
    ] = None,
    skip_below: Annotated[
        str | None, typer.Option("--skip-below", metavar="SEVERITY", help="Leave out what is less severe.")
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Only for reviews on a forge; here nothing is waited for.")
    ] = False,
    head: options.Which = None,
    repository: options.Path = ".",
    config: options.Config = None,
) -> None:
    """Approve findings and submit exactly those as a review.

    Without --as, the verdict is request-changes if a blocker is approved, else comment.
    """
    del wait
    from draftgate.cli import run_command  # noqa: PLC0415 - help must not load the flows

    if selection is not None and not "".join(selection).strip():
        raise UsageError("the set is empty", hint="write `none` to mean none of them, or leave the set out to mean all")
    words = ["/draftgate", "approve", *(selection or [])]
    words += ["--as", verdict] if verdict else []
    words += ["--skip-below", skip_below] if skip_below else []
    run_command.run(" ".join(words), path=repository, head=head, config=config, quiet=options.of(context).quiet)
