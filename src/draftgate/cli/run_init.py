"""What ``draftgate init`` does: shows what it saw and what it would write, asks, writes, and says what comes next."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import typer

from draftgate.bootstrap.setting_up import plan_setup, write_files
from draftgate.cli.init_page import changes_page, next_page, seen_page
from draftgate.cli.streams import screen, show
from draftgate.errors import UsageError
from draftgate.setup.address import ForgeName
from draftgate.setup.plan import Plan
from draftgate.setup.planned import Choices
from draftgate.setup.released import PLACE_OF_ACTION, PLACE_OF_IMAGE
from draftgate.setup.routes import Include, parse_routes
from draftgate.setup.survey import Survey

_ACTION = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", re.ASCII)
_IMAGE = re.compile(r"(?:[\w.${}-]+(?::\d+)?/)?[\w./${}-]+(?::[\w.${}-]+)?(?:@sha256:[0-9a-f]{64})?", re.ASCII)
_ON_GITHUB = ("auth", "action")
_ON_GITLAB = ("routes", "include", "image")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options as they were typed; ``None`` or empty where they were not."""

    path: str
    forge: str | None
    remote: str | None
    auth: str | None
    routes: tuple[str, ...]
    include: str | None
    action: str | None
    image: str | None


def run(wanted: Wanted, *, is_dry: bool, is_agreed: bool, quiet: bool) -> None:
    """Set Draftgate up.

    Raises:
        UsageError: An option or the repository is not what it must be, or nobody could be asked.
    """
    if is_dry and is_agreed:
        raise UsageError("`--dry-run` writes nothing and `--yes` writes without asking", hint="leave one of them out")
    root, known, plan = plan_setup(Path(wanted.path), os.environ, _choices(wanted))
    _refuse_options_of_another_forge(wanted, known)
    if not quiet:
        show(seen_page(root, known))
    show(changes_page(plan, screen()))
    if not plan.part.files:
        _say_what_is_next(plan, quiet=quiet)
    elif is_dry:
        show("Nothing was written (--dry-run).")
    elif is_agreed or _agrees(plan):
        write_files(root, plan.part.files)
        show("\n".join(f"wrote {file.path}" for file in plan.part.files))
        _say_what_is_next(plan, quiet=quiet)
    else:
        show("Nothing was written.")


def _say_what_is_next(plan: Plan, *, quiet: bool) -> None:
    if not quiet and plan.steps:
        show(next_page(plan))


def _agrees(plan: Plan) -> bool:
    """Ask the person at the terminal.

    Raises:
        UsageError: There is none.
    """
    count = len(plan.part.files)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "nothing was written, because nobody is at a terminal to be asked",
            hint="give the same command with `--yes` to write what is shown above, or with `--dry-run` to see it alone",
        )
    try:
        return typer.confirm(f"Write {'this file' if count == 1 else f'these {count} files'}?", err=True)
    except typer.Abort:  # the end of input
        return False


def _choices(wanted: Wanted) -> Choices:
    """The options as the plan needs them.

    Raises:
        UsageError: One of them cannot be what it is meant as.
    """
    if wanted.forge not in {None, *ForgeName}:
        raise UsageError(f"there is no forge {wanted.forge!r}", hint="write github or gitlab")
    if wanted.auth not in {None, "app", "token"}:
        raise UsageError(f"there is no way {wanted.auth!r} to sign in", hint="write app or token")
    if wanted.action is not None and not _ACTION.fullmatch(wanted.action):
        raise UsageError(
            f"{wanted.action!r} is no action at a commit",
            hint="write OWNER/NAME@COMMIT with all 40 characters of the commit, which nobody can move like a tag",
        )
    if wanted.image is not None and not _IMAGE.fullmatch(wanted.image):
        raise UsageError(f"{wanted.image!r} is no image", hint="write it as registry.example.com/draftgate@sha256:…")
    return Choices(
        forge=ForgeName(wanted.forge) if wanted.forge else None,
        remote=wanted.remote,
        has_app=None if wanted.auth is None else wanted.auth == "app",
        routes=parse_routes(wanted.routes),
        include=Include.parse(wanted.include) if wanted.include else None,
        action=wanted.action or PLACE_OF_ACTION,
        image=wanted.image or PLACE_OF_IMAGE,
    )


def _refuse_options_of_another_forge(wanted: Wanted, known: Survey) -> None:
    foreign = _ON_GITLAB if known.forge is ForgeName.GITHUB else _ON_GITHUB
    given = [name.removesuffix("s") for name in foreign if getattr(wanted, name)]
    if given:
        raise UsageError(
            f"`--{given[0]}` is not for {known.forge.as_written}, where this repository is",
            hint="leave it out, or name the other forge with `--forge`",
        )
