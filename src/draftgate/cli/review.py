"""``draftgate review``: review a change and leave its findings waiting."""

from __future__ import annotations

from typing import Annotated

import typer

from draftgate.cli import options


def review(
    context: typer.Context,
    target: Annotated[
        str, typer.Argument(metavar="[PATH]", help="A folder inside the repository to review.", show_default=False)
    ] = ".",
    *,
    base: Annotated[
        str | None, typer.Option(metavar="REF", help="Compare with where the change left REF; else the default branch.")
    ] = None,
    head: Annotated[str | None, typer.Option(metavar="REF", help="Review REF instead of what is checked out.")] = None,
    worktree: Annotated[bool, typer.Option("--worktree", help="Review uncommitted changes too.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Start a new round even if the present one still waits.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Read the full diff; every round of this release does.")] = False,
    own: Annotated[bool, typer.Option("--own", help="Not in this release.")] = False,
    issue: Annotated[str | None, typer.Option(metavar="ID", help="Not in this release.")] = None,
    agents: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The agents to ask beside the built-in checks, between commas; `builtin` asks none.",
            show_default=False,
        ),
    ] = None,
    format_: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="cards, json, markdown or sarif.")
    ] = "cards",
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="Write the result to FILE.")
    ] = None,
    fail_on: Annotated[
        str, typer.Option("--fail-on", metavar="LEVEL", help="Exit with 1 on findings: none, blocker or any.")
    ] = "none",
    config: options.Config = None,
) -> None:
    """Review the current branch against where it left the default branch.

    Nothing is published. Approve what should be with `draftgate approve`.
    """
    del full
    from draftgate.cli import run_review  # noqa: PLC0415 - help must not load the pipeline
    from draftgate.cli.fail_on import parse_fail_on  # noqa: PLC0415 - the same

    run_review.refuse_later(own=own, issue=issue)
    wanted = run_review.Wanted(
        path=target,
        base=base,
        head=head,
        worktree=worktree,
        force=force,
        format=run_review.parse_format(format_),
        output=output,
        fail_on=parse_fail_on(fail_on),
        config=config,
        agents=run_review.parse_agents(agents),
    )
    raise typer.Exit(run_review.run(wanted, quiet=options.of(context).quiet))
