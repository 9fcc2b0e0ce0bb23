"""Joins the inbox of commands to one change."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from draftgate.approval.submit import adopt
from draftgate.bootstrap.hosting.opening import Hosted
from draftgate.commands.inbox.answer import Inbox, scene_of
from draftgate.commands.inbox.reply import Wording
from draftgate.commands.inbox.timing import Patience
from draftgate.commands.replay import amended_round
from draftgate.commands.resume import proved_round
from draftgate.commands.scene import RoundWish, Scene
from draftgate.domain.command import Bare
from draftgate.domain.session import Session
from draftgate.errors import IntegrityError

_MARGIN_S = 300
"""What a run may take beyond its budget before it counts as dead."""


def open_inbox(hosted: Hosted, start_round: Callable[[RoundWish], Session]) -> Inbox:
    """Everything that a command needs; ``start_round`` is what a command for a new round does.

    A round that is published and still said to wait is recorded as submitted.
    """
    with suppress(IntegrityError):  # refused, with the reason, when a command needs the session
        hosted.forge.find_shown()
    inbox = _inbox(hosted, start_round)
    with suppress(IntegrityError):
        session = hosted.forge.load_session()
        if session is not None:
            adopt(hosted.forge, hosted.journal, session, partial(proved_round, scene_of(inbox)))
    return inbox


def _inbox(hosted: Hosted, start_round: Callable[[RoundWish], Session]) -> Inbox:
    bare = Bare(hosted.config.commands.bare)
    authority = hosted.authority()
    return Inbox(
        conversation=hosted.forge,
        authority=authority,
        scene=Scene(
            forge=hosted.forge,
            journal=hosted.journal,
            seen="",
            amended=amended_round,
            start_round=start_round,
            verdict_is_asked=hosted.config.approval.verdict == "ask",
            ticked=hosted.forge.ticked,
        ),
        wording=Wording(authority.rules, bare, hosted.language),
        patience=_patience(hosted),
        bare=bare,
        broken=hosted.broken,
    )


def _patience(hosted: Hosted) -> Patience:
    session = None
    with suppress(IntegrityError):
        session = hosted.forge.load_session()
    run_url = "" if session is None else session.run_url
    return Patience(int(hosted.config.budgets.minutes * 60) + _MARGIN_S, run_url, now=hosted.clocks.stamp())
