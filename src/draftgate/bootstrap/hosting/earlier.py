"""What an earlier run left: a state that may be untrue, a round that was cut off, a submission that has to be finished.

A new round takes from it only what is proved, and never stays in its way.
"""

from __future__ import annotations

import dataclasses
from typing import Never

from draftgate.approval.sealed import require_remembered
from draftgate.bootstrap.hosting.inbox import open_inbox
from draftgate.bootstrap.hosting.opening import Hosted
from draftgate.commands.inbox.answer import scene_of
from draftgate.commands.resume import resume
from draftgate.commands.scene import RoundWish, Scene
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session
from draftgate.errors import (
    AnotherRelease,
    CommandRefused,
    ForgeRefused,
    HeadMoved,
    IntegrityError,
    Overtaken,
    PermissionDenied,
)


def take_over(hosted: Hosted, *, is_forced: bool = False) -> tuple[Session | None, tuple[str, ...]]:
    """The session that a new round begins from, and what a person should be told about it.

    Args:
        hosted: Where.
        is_forced: Somebody asked for a new round whatever there is.

    Raises:
        Overtaken: another run is at work on it.
        AnotherRelease: a later release wrote it, and will go on with it.
        Unavailable: the forge did not answer.
    """
    try:
        warnings = _finish_cut_off(hosted)
        hosted.forge.rewind()
        session = hosted.forge.load_session()
        if session is not None:
            require_remembered(hosted.forge, session, _scene(hosted).require_unedited)
    except Overtaken:
        raise
    except IntegrityError as error:
        if isinstance(error, AnotherRelease) and error.is_newer and not is_forced:
            raise
        hosted.forge.give_up_checkpoint()
        return None, (f"the checkpoint could not be trusted, and a new one takes its place: {error}",)
    return session, warnings


def _finish_cut_off(hosted: Hosted) -> tuple[str, ...]:
    """A submission that was cut off comes first: its payload is frozen, and only it may go on without a command."""
    scene = _scene(hosted)
    session = hosted.forge.load_session()
    if session is None or session.phase is not Phase.SUBMITTING:
        return ()
    try:
        resume(scene, session)
    except HeadMoved:
        return ()  # the session says so, and the new head is reviewed now
    except (CommandRefused, ForgeRefused, PermissionDenied) as error:
        _set_aside(hosted)
        return (f"a submission that was cut off could not be finished: {error}",)
    return ()


def _set_aside(hosted: Hosted) -> None:
    """A submission that cannot go on must not keep the change from being reviewed."""
    session = hosted.forge.load_session()
    if session is not None and session.phase is Phase.SUBMITTING:
        hosted.journal.advance(dataclasses.replace(session, payload=None), Phase.SUPERSEDED)


def _scene(hosted: Hosted) -> Scene:
    return scene_of(open_inbox(hosted, _refuse_round))


def _refuse_round(_wish: RoundWish) -> Never:
    raise CommandRefused("a round is being made", hint="wait for it")
