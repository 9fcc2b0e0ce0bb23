"""Goes on with a submission that was cut off, once everything that it rests on is proved again.

The frozen payload stands in the stored session. Before anything is published from it, the command that approved it is
held to what a person really wrote, and the payload is made anew from it and compared; what is sent is the frozen one.
"""

from __future__ import annotations

import dataclasses

from draftgate.approval import submit
from draftgate.approval.sealed import require_published, require_vouched
from draftgate.commands.registry import load_commands, load_grammar
from draftgate.commands.scene import Scene
from draftgate.domain.amend import AmendedRound
from draftgate.domain.canonical import digest
from draftgate.domain.command import parse_comment
from draftgate.domain.review import PublishedReview
from draftgate.domain.session import ApprovedPayload, Session
from draftgate.errors import CommandRefused, IllegalTransition, IntegrityError


def resume(scene: Scene, session: Session, *, is_proved: bool = False) -> tuple[Session, PublishedReview]:
    """Finish a submission.

    Args:
        scene: Where it runs.
        session: In the phase `submitting`.
        is_proved: The same approval was given again just now, by somebody who may.

    Raises:
        IntegrityError: the approval cannot be proved, or something that it rests on was changed.
    """
    payload = session.payload
    if payload is None:
        raise IllegalTransition("nothing is being submitted", hint="approve first")
    review = scene.forge.find_review(session.seal)
    if review is not None:  # nothing is sent, it is only recorded
        require_published(scene.forge, session)
        if review.payload_digest != digest(payload):
            payload = submit.payload_of(session, review, proved_round(scene, session))
            session = dataclasses.replace(session, payload=payload)
    elif scene.forge.is_shared:
        scene.require_unedited(session)
        if not is_proved:
            scene.require_given(session, payload)
            _require_remade(scene, session, payload)
        require_vouched(scene.forge, session, payload)
    return submit.finish(scene.forge, scene.journal, session)


def proved_round(scene: Scene, session: Session) -> AmendedRound:
    """The findings as the accepted commands left them, or as they were found if people did not surely give those."""
    try:
        scene.require_unedited(session)
    except IntegrityError:
        session = dataclasses.replace(session, commands=())
    return scene.amended(session)


def _require_remade(scene: Scene, session: Session, payload: ApprovedPayload) -> None:
    """The payload must be what the approval makes of the round."""
    try:
        remade = _remake(scene, session, payload)
    except CommandRefused as error:
        raise _forged() from error
    if remade != payload:
        raise _forged()


def _remake(scene: Scene, session: Session, payload: ApprovedPayload) -> ApprovedPayload | None:
    parsed = parse_comment(payload.given.text, load_grammar(payload.given.bare))
    if len(parsed.commands) != 1:
        return None
    command = parsed.commands[0]
    freeze = next((spec.freeze for spec in load_commands() if spec.name == command.name), None)
    if freeze is None:
        return None
    # The boxes of the checkpoint are gone while it is submitted; who ticks is not asked, and ticks are no state.
    scene = dataclasses.replace(scene, ticked=lambda: frozenset(payload.numbers))
    return freeze(scene, dataclasses.replace(session, payload=None), payload.given, command.parsed)


def _forged() -> IntegrityError:
    return IntegrityError(
        "the submission that was cut off is not what was approved",
        hint="nothing was submitted; start a new round with `/draftgate review --force`",
    )
