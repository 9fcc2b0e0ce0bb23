"""What ``draftgate finalize`` does: it ends one session, and one only."""

from __future__ import annotations

import os
from pathlib import Path

from draftgate.approval.end import finalize
from draftgate.bootstrap.workspace import Workspace, open_journal, open_workspace
from draftgate.cli.desk import locked, report_configuration
from draftgate.cli.streams import Notes, show
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session
from draftgate.errors import IntegrityError, UsageError
from draftgate.render.visible import one_line
from draftgate.render.wording import counted


def run(number: str | None, *, path: str, head: str | None, config: str | None) -> None:
    """End the session of the branch that is checked out, or of the one that is named.

    Raises:
        UsageError: a number is given, which only a forge has.
    """
    if number is not None:
        raise UsageError(
            f"local reviews have no number; {number!r} names none",
            hint="name the branch: `draftgate finalize --head BRANCH`",
        )
    notes = Notes(quiet=False)
    workspace = open_workspace(Path(path), os.environ, config_path=config)
    report_configuration(workspace, notes)
    repository = workspace.repository
    key = (repository.checked_out() if head in {None, "HEAD", "@"} else repository.find(head or "")).label
    with locked(workspace, notes):
        if not _finalize(workspace, key):
            show(_nothing_at(workspace, key))


def _finalize(workspace: Workspace, key: str) -> bool:
    """End the session of ``key`` if there is one; a state that cannot be read is removed, since nothing rests on it."""
    forge = workspace.forge(key)
    try:
        session = forge.load_session()
    except IntegrityError as error:
        forge.delete_session()
        show(f"Removed a session that could not be read ({one_line(error.message)}).")
        return True
    if session is None or session.phase is Phase.FINALIZED:
        return False
    finalize(forge, open_journal(forge), session)
    show(one_line(_said(session)))
    return True


def _said(session: Session) -> str:
    count = counted(len(session.result.findings) if session.result else 0, "finding")
    published = f" What was published stays: {session.submission.reference}." if session.submission else ""
    return f"Finalized the review of {session.key} (round {session.round}, {session.phase}, {count}).{published}"


def _nothing_at(workspace: Workspace, key: str) -> str:
    sessions = [session for session in workspace.sessions() if session.phase is not Phase.FINALIZED]
    if not sessions:
        return "No active review sessions."
    rows = [f"  {one_line(session.key)} · round {session.round} · {session.phase}" for session in sessions]
    return "\n".join(
        (f"There is no review of {one_line(key)}; nothing was removed. There are:", *rows, "Name one with --head.")
    )
