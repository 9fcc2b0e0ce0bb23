"""What ``draftgate approve`` and ``draftgate do`` do once their arguments are a comment."""

from __future__ import annotations

from draftgate.approval.freeze import freeze
from draftgate.cli.desk import Desk, open_desk
from draftgate.cli.streams import Notes, screen, show
from draftgate.commands.base import help_rows
from draftgate.commands.registry import load_commands
from draftgate.commands.replay import amended_round
from draftgate.commands.scene import Given, Reply
from draftgate.domain.command import Bare
from draftgate.domain.session import Session
from draftgate.render import terminal
from draftgate.render.help import help_terminal


def run(text: str, *, path: str, head: str | None, config: str | None, quiet: bool) -> None:
    """Run a comment and show each reply as it is done."""
    notes = Notes(quiet=quiet)
    with open_desk(path, config=config, head=head, notes=notes) as desk:
        for reply in desk.run(text):
            notes.clear()
            _show(desk, reply, text)


def _show(desk: Desk, reply: Reply, text: str) -> None:
    if reply.text:
        show(reply.text)
    session = reply.session
    match reply.shows:
        case "help":
            show(_help(desk, session))
        case "findings" if session is not None:
            show(terminal.review_page(session, amended_round(session), screen()))
        case "counts" if session is not None:
            show(terminal.status_page(session, amended_round(session), screen()))
        case "preview" if session is not None:
            show(_preview(session, text))
        case "review" if session is not None:
            show(_published(desk, session))
        case _:
            pass


def _help(desk: Desk, session: Session | None) -> str:
    bare = Bare(desk.workspace.config.commands.bare)
    rows = help_rows(load_commands(), None if session is None else session.phase, bare)
    return help_terminal(rows)


def _preview(session: Session, text: str) -> str:
    """The review as it would stand if everything that is left were approved now."""
    amended = amended_round(session)
    everything = frozenset(entry.number for entry in amended.kept)
    payload = freeze(session, amended, everything, None, Given("", "", text, ""))
    return terminal.preview(payload.body, amended.kept, screen())


def _published(desk: Desk, session: Session) -> str:
    """The review as it was read back, and what was not published."""
    pages = [terminal.submitted_page(session, amended_round(session), screen())]
    if session.submission is not None:
        review = desk.workspace.forge(desk.key).find_review(session.seal)
        pages += [terminal.published_page(review, screen())] if review is not None else []
    return "\n".join(pages)
