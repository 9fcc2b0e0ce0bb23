"""GitLab's parts of a forge, put together for one merge request and one run."""

from __future__ import annotations

from draftgate.forge.gitlab.comments import Comments
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.conversation import Conversation
from draftgate.forge.gitlab.drafts import Drafts
from draftgate.forge.gitlab.files import ListedDiff
from draftgate.forge.gitlab.people import People
from draftgate.forge.gitlab.reviews import Reviews
from draftgate.forge.gitlab.statuses import Statuses
from draftgate.forge.gitlab.view import View
from draftgate.forge.hosted.checkpoint import Checkpoint
from draftgate.forge.hosted.forge import HostedForge, Parts


def open_forge(
    connection: Connection, view: View, diff: ListedDiff, *, signing_key: bytes | None, language: str
) -> HostedForge:
    """The forge of one merge request.

    Args:
        connection: To GitLab.
        view: What is known of the change.
        diff: Its diff, as GitLab shows it.
        signing_key: Signs what the checkpoint stores; ``None`` for no signature.
        language: Of the fixed sentences that are posted.
    """
    drafts = Drafts(connection, view, diff)
    parts = Parts(
        checkpoint=Checkpoint(Comments(connection, view), view, signing_key),
        reviews=Reviews(connection, view, drafts, language=language),
        witnesses=Statuses(connection, view),
        conversation=Conversation(connection, view),
        people=People(connection, view),
    )
    return HostedForge(view, parts, is_signed=signing_key is not None, publishes_in_steps=True)
