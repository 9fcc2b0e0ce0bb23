"""``draftgate checks``: which built-in checks there are, and what each one reports."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from draftgate.errors import UsageError

app = typer.Typer(
    help="List the built-in checks, or explain one.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command("list")
def list_() -> None:
    """List the built-in checks."""
    from draftgate.checks.registry import load_checks  # noqa: PLC0415 - help must not load grammars
    from draftgate.domain.finding import title_of  # noqa: PLC0415 - as above

    for check in load_checks():
        typer.echo(f"{check.id}  {title_of(check.label, check.decorations)} · {check.confidence}  {check.summary}")


@app.command()
def show(check_id: Annotated[str, typer.Argument(metavar="ID", help="As `draftgate checks list` prints it.")]) -> None:
    """Explain one check: what it reports, why it matters, what it ignores."""
    from draftgate.checks.registry import load_checks  # noqa: PLC0415 - help must not load grammars

    checks = {check.id: check for check in load_checks()}
    if check_id not in checks:
        raise UsageError(f"there is no check {check_id!r}", hint=f"there are {', '.join(checks)}")
    check = checks[check_id]
    typer.echo(f"{check.id}: {check.summary}\n")
    typer.echo((sys.modules[check.run.__module__].__doc__ or "").strip())
    typer.echo("\nExamples")
    for example in check.examples:
        typer.echo(f"  {example.name}: {', '.join(example.findings) or 'nothing'}")
