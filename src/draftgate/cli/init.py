"""``draftgate init``: a configuration and a workflow or template, made for the repository."""

from __future__ import annotations

from typing import Annotated

import typer


def init(
    context: typer.Context,
    path: Annotated[
        str, typer.Argument(metavar="[PATH]", help="A folder inside the repository, if not this one.")
    ] = ".",
    *,
    forge: Annotated[
        str | None, typer.Option("--forge", metavar="NAME", help="github or gitlab, if the remote does not say.")
    ] = None,
    remote: Annotated[
        str | None, typer.Option("--remote", metavar="NAME", help="The remote that is meant, if there are several.")
    ] = None,
    auth: Annotated[
        str | None,
        typer.Option("--auth", metavar="KIND", help="GitHub: token, the workflow's (default), or app, a GitHub App."),
    ] = None,
    route: Annotated[
        list[str] | None,
        typer.Option(
            "--route",
            metavar="NAME",
            help="GitLab: merge-request, manual, webhook or sweep; may be given several times.",
        ),
    ] = None,
    include: Annotated[
        str | None,
        typer.Option(
            "--include",
            metavar="KIND[=WHERE]",
            help="GitLab: where the template is: local, a copy (default), or remote, project or component.",
        ),
    ] = None,
    action: Annotated[
        str | None,
        typer.Option("--action", metavar="OWNER/NAME@COMMIT", help="GitHub: the release of Draftgate that is run."),
    ] = None,
    image: Annotated[
        str | None, typer.Option("--image", metavar="IMAGE", help="GitLab: the image that is run, with its digest.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
) -> None:
    """Look at the repository and write a configuration and what CI needs; shows a diff and asks first."""
    from draftgate.cli import options, run_init  # noqa: PLC0415 - help must not load the flows

    wanted = run_init.Wanted(
        path=path,
        forge=forge,
        remote=remote,
        auth=auth,
        routes=tuple(route or ()),
        include=include,
        action=action,
        image=image,
    )
    run_init.run(wanted, is_dry=dry_run, is_agreed=yes, quiet=options.of(context).quiet)
