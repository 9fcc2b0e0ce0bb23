"""``draftgate doctor``: what stands in the way of reviews, and what to change."""

from __future__ import annotations

from typing import Annotated

import typer

from draftgate.cli import options


def doctor(
    *,
    repository: Annotated[
        str | None,
        typer.Option(
            "--repository",
            metavar="OWNER/NAME|URL",
            help="The repository on the forge, if it is not that of the remote `origin`.",
        ),
    ] = None,
    forge: Annotated[
        str | None,
        typer.Option("--forge", metavar="FORGE", help="github or gitlab, where the address does not tell."),
    ] = None,
    folder: Annotated[
        str, typer.Option("--folder", "-C", metavar="PATH", help="A folder inside the repository, if not this one.")
    ] = ".",
    format_: Annotated[str, typer.Option("--format", metavar="FORMAT", help="text or json.")] = "text",
    no_model: Annotated[bool, typer.Option("--no-model", help="Ask no model's server, not even for its list.")] = False,
    timeout_s: Annotated[
        int, typer.Option("--timeout", metavar="SECONDS", help="How long one answer may take.", min=1, max=120)
    ] = 10,
    config: options.Config = None,
) -> None:
    """Look at token, permissions, settings, workflows, models and the clone, and say what to change.

    Every request is a read, and nothing is written anywhere. In a CI job the job's own token and settings are looked
    at; elsewhere GITHUB_TOKEN or DRAFTGATE_GITLAB_TOKEN. Exits with 0 if nothing is wrong, else with the highest of
    2 (configuration), 3 (token, permissions) and 4 (a server does not answer).
    """
    from draftgate.cli import run_doctor  # noqa: PLC0415 - help must not load the forges

    asked = run_doctor.Asked(repository, forge, folder, config, asks_models=not no_model, timeout_s=timeout_s)
    raise typer.Exit(run_doctor.run(format_, asked))
