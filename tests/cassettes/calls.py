"""Every call that the GitHub adapter makes: where it starts, and what the adapter reads in the answer.

A call is one request wherever it can be; what GitHub makes us do in several (a draft, then its threads; a lost answer,
then the look whether it took effect) is one call here. How calls follow each other is for the tests of flows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

from draftgate.domain.conversation import Reaction
from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.domain.people import Role
from draftgate.domain.phase import Phase
from draftgate.domain.review import ReviewComment, Verdict
from draftgate.forge.github import facts
from draftgate.forge.github.contents import read_contents
from draftgate.forge.github.files import name_blobs, read_change
from tests.cassettes.stage import PAGE, Moment, Stage

_BEFORE_ALL = "Y3Vyc29yOnYyOjA="
"""A cursor of the simulator."""

_ON_THE_FILE = ReviewComment(2, "e" * 64, Anchor(AnchorKind.FILE, "rooms/models.py"), "The whole file.")


@dataclass(frozen=True)
class Call:
    """One call.

    Attributes:
        send: Makes it, and returns what the adapter read in the answers.
        read: What that should be.
        start: Where it starts.
        lost: The answer to the first write is lost after it took effect.
    """

    send: Callable[[Stage], object]
    read: object
    start: Moment = Moment.OPENED
    lost: bool = False


def _read_standing(stage: Stage) -> object:
    view = stage.view
    view.review_id, view.looks_for_others = view.now().pending[0].review.id, True
    view.forget()
    now = view.now()
    lines = [placed.line for placed in now.review.comments] if now.review else None
    return now.checkpoint is not None, lines, [seen.comment.is_ours for seen in now.recent]


def _read_comments_page(stage: Stage) -> object:
    answer = stage.connection.query("comments_page", **stage.place.names, after=_BEFORE_ALL)
    page = answer["repository"]["pullRequest"]["comments"]
    return [facts.issue_comment(node).comment.text for node in facts.nodes(page)]


def _read_open_changes(stage: Stage) -> object:
    owner, _, name = stage.place.repository.partition("/")
    answer = stage.connection.query("open_changes", owner=owner, name=name, after=None)
    changes = facts.nodes(answer["repository"]["pullRequests"])
    return [(change["number"], len(facts.nodes(change["comments"]))) for change in changes]


def _read_review_comments(stage: Stage) -> object:
    review = stage.view.read_review(stage.view.now().pending[0].review)
    return [(placed.path, placed.start_line, placed.line) for placed in review.comments]


def _read_change(stage: Stage) -> object:
    change = read_change(
        stage.connection,
        stage.place,
        base_tip=stage.view.now().change.base_tip,
        head=stage.head,
        changed_files=stage.view.facts.changed_files,
    )
    return [(file.status.value, file.path, file.additions) for file in change.files]


def _read_object_ids(stage: Stage) -> object:
    return [file.old_blob for file in name_blobs(stage.connection, stage.place, _small_change(stage)).files]


def _read_object_texts(stage: Stage) -> object:
    contents = read_contents(stage.connection, stage.place, _small_change(stage))
    return [side.read(stage.head, "rooms/mail.py") for side in ()], dict(contents.unread)
