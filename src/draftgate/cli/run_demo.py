"""What ``draftgate demo`` does: the very commands a reader would type, on a repository made for them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from draftgate.bootstrap.workspace import open_workspace
from draftgate.cli import run_command, run_review
from draftgate.cli.demo_change import BASE, HEAD
from draftgate.cli.desk import choose_key
from draftgate.cli.fail_on import FailOn
from draftgate.cli.formats import Format
from draftgate.cli.streams import Notes, show
from draftgate.errors import UsageError
from draftgate.git.create import commit_files, create_repository, start_branch

_RULE = "─" * 78


def run(folder: str | None, *, asks_model: bool = False) -> None:
    """Make the repository and run the main job on it.

    Args:
        folder: Where; ``None`` for a temporary folder.
        asks_model: Let an agent and a critic take part, on a scripted model that runs on this machine.

    Raises:
        UsageError: the folder is there and holds something.
    """
    place = _place(folder)
    _make(place)
    show(f"A small repository with a flawed change was made in {place}.\n")
    if not asks_model:
        _show(place, _CHECKS_ALONE, chosen="1,2")
        return
    from draftgate.cli.demo_model import scripted_model  # noqa: PLC0415 - only this demo serves anything

    with scripted_model() as base_url:
        show(f"A scripted model answers at {base_url}; nothing leaves this machine.\n")
        os.environ.update(_SCRIPTED, DRAFTGATE_LLM_BASE_URL=base_url)
        _show(place, _WITH_AGENT, chosen="1,2,4")


_CHECKS_ALONE = {"DRAFTGATE_CODE_REVIEW__AGENTS": "[builtin]"}
_WITH_AGENT = {"DRAFTGATE_CODE_REVIEW__AGENTS": "[correctness]"}
_SCRIPTED = {
    "DRAFTGATE_LLM_API_KEY": "a-key-for-nobody",
    "DRAFTGATE_MODELS__STANDARD": "openai:scripted",
    "DRAFTGATE_MODELS__CAPABLE": "openai:scripted",
}


def _show(place: Path, settings: Mapping[str, str], *, chosen: str) -> None:
    """The main job, command by command, whatever this machine has in its environment."""
    os.environ.update(settings)
    _type("draftgate review")
    run_review.run(_wanted(place, Format.CARDS), quiet=False)
    _type("the checkpoint, as a maintainer sees it:  draftgate review --format markdown")
    run_review.run(_wanted(place, Format.MARKDOWN), quiet=False)
    _type("draftgate do '/drop-finding 3 callers are updated in the next change'")
    _give("/drop-finding 3 callers are updated in the next change", place)
    _type(f"draftgate approve {chosen}")
    _give(f"/draftgate approve {chosen}", place)
    workspace = open_workspace(place, os.environ)
    session = workspace.forge(choose_key(workspace, None, Notes(quiet=False))).load_session()
    reference = session.submission.reference if session and session.submission else ""
    show(f"\n{_RULE}\nThe submitted review is {place / reference}. Try it in a repository of yours: draftgate review\n")


def _place(folder: str | None) -> Path:
    if folder is None:
        return Path(tempfile.mkdtemp(prefix="draftgate-demo-"))
    place = Path(folder).resolve()
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"{folder!r} is there and not empty", hint="name a new folder, or leave it out")
    return place


def _make(place: Path) -> None:
    git = create_repository(place, os.environ)
    commit_files(git, place, BASE, "Book rooms in teams")
    start_branch(git, "invitations")
    commit_files(git, place, HEAD, "Invite people to teams")


def _wanted(place: Path, wanted: Format) -> run_review.Wanted:
    return run_review.Wanted(
        path=str(place),
        base=None,
        head=None,
        worktree=False,
        force=False,
        format=wanted,
        output=None,
        fail_on=FailOn.NONE,
        config=None,
    )


def _type(command: str) -> None:
    show(f"\n{_RULE}\n$ {command}\n")


def _give(text: str, place: Path) -> None:
    run_command.run(text, path=str(place), head=None, config=None, quiet=False)
