"""GitHub's parts of a forge, put together for one pull request and one run."""

from __future__ import annotations

from collections.abc import Callable

from draftgate.forge.github.check_run import CheckRuns
from draftgate.forge.github.comments import Comments
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.conversation import Conversation
from draftgate.forge.github.draft import Draft
from draftgate.forge.github.people import People
from draftgate.forge.github.view import View
from draftgate.forge.hosted.checkpoint import Checkpoint
from draftgate.forge.hosted.forge import HostedForge, Parts


def open_forge(
    connection: Connection,
    view: View,
    *,
    signing_key: bytes | None,
    language: str,
    sleep: Callable[[float], None],
) -> HostedForge:
    """The forge of one pull request.

    Args:
        connection: To GitHub.
        view: What is known of the change.
        signing_key: Signs what the checkpoint stores; ``None`` for no signature.
        language: Of the fixed sentences that are posted.
        sleep: Waits so many seconds.
    """
    parts = Parts(
        checkpoint=Checkpoint(Comments(connection, view), view, signing_key),
        reviews=Draft(connection, view, language=language, sleep=sleep),
        witnesses=CheckRuns(connection, view),
        conversation=Conversation(connection, view),
        people=People(connection, view),
    )
    return HostedForge(view, parts, is_signed=signing_key is not None)
