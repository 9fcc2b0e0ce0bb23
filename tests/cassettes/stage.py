"""Where each cassette begins: three moments of one review on the simulated GitHub, and the adapter opened on them.

The moments are made by the adapter itself from fixed values, under the simulator's own clock and ids, so that two
recordings are the same to the byte. What is sent from there is for `calls`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from pathlib import Path

from draftgate.config.load import CANDIDATE_PATHS
from draftgate.domain.change import CommitSha
from draftgate.domain.conversation import Comment
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.domain.phase import Phase
from draftgate.domain.review import DraftReview, ReviewComment, Verdict
from draftgate.domain.session import AcceptedCommand, ApprovedPayload, Session
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.forge import open_forge as open_github_forge
from draftgate.forge.github.transport import Access
from draftgate.forge.github.view import Place, View
from draftgate.forge.hidden import Kind, Marker, mark
from draftgate.forge.hosted.forge import HostedForge
from draftgate.render.page import Page
from tests.builders import finding, scope, session
from tests.cassettes.tape import HOST
from tests.fakes.github import comments
from tests.fakes.github.scenario import APP, make_scenario
from tests.fakes.github.server import Simulator, serve
from tests.git_builder import Repo

TOKEN = f"ghs_{APP.removesuffix('[bot]')}"  # the simulator's own
REPOSITORY = "acme/rooms"
PAGE = Page("## Draftgate · round 1")


class Moment(StrEnum):
    """How far the review has come.

    Attributes:
        OPENED: The pull request is there; a maintainer has written a comment.
        SHOWN: A finding waits in the draft and the checkpoint shows it; there is no check run yet.
        HELD: A check run keeps its seal, and the comment is answered.
        SUBMITTED: It was published.
    """

    OPENED = "opened"
    SHOWN = "shown"
    HELD = "held"
    SUBMITTED = "submitted"


@dataclass(frozen=True)
class Stage:
    """The adapter, as a run has it once it knows its change."""

    connection: Connection
    view: View
    forge: HostedForge

    @property
    def place(self) -> Place:
        return self.view.place

    @property
    def head(self) -> CommitSha:
        return self.view.now().change.head

    @property
    def question(self) -> Comment:
        """The maintainer's comment, which comes first."""
        return self.forge.comments()[0]

    @property
    def round(self) -> Session:
        """The round whose finding waits."""
        return session([finding()], revision=2, scope=scope(head=self.head))

    def draft(self, *more: ReviewComment) -> DraftReview:
        """The draft of that round."""
        line = ReviewComment(1, "f" * 64, Anchor(AnchorKind.LINE, "rooms/mail.py", Side.RIGHT, 1, 2), "Both changed.")
        return DraftReview((("head", "0" * 64),), self.head, "One thing.", (line, *more))

    @property
    def payload(self) -> ApprovedPayload:
        """The approval of that draft."""
        draft = self.draft()
        return ApprovedPayload(
            result_digest="0" * 64,
            seal=self.round.seal,
            head=draft.head,
            numbers=(1,),
            verdict=Verdict.REQUEST_CHANGES,
            body=draft.body,
            comments=draft.comments,
            decisions=(),
            memory="0" * 64,
            given=AcceptedCommand(self.question.id, "maintainer", "/approve-findings", "2026-01-02T10:00:00Z"),
        )


@contextmanager
def open_stage() -> Iterator[Stage]:
    """The adapter on the pull request, whatever is behind `HOST`; it never really waits."""
    seconds = count(1_767_225_600)
    access = Access(TOKEN, REPOSITORY, HOST, f"{HOST}/graphql")
    with Connection(access, wait_s=60, clock=lambda: float(next(seconds)), sleep=lambda _: None) as connection:
        place = Place(REPOSITORY, 1, f"{HOST}/{REPOSITORY}", default_branch="main")
        view = View(connection, place, CANDIDATE_PATHS)
        yield Stage(
            connection, view, open_github_forge(connection, view, signing_key=None, language="en", sleep=lambda _: None)
        )


@contextmanager
def simulated(root: Path, source: Repo) -> Iterator[Simulator]:
    """A simulator with the pull request and the maintainer's comment; the caller leads `HOST` to it."""
    scenario = make_scenario(root, source)
    comments.create(scenario.world, scenario.caller("maintainer"), scenario.pull, "/approve-findings")
    with serve(scenario.world) as simulator:
        yield simulator


def advance(moment: Moment) -> None:
    """Bring the review to a moment."""
    if moment is Moment.OPENED:
        return
    with open_stage() as stage:
        forge, shown = stage.forge, stage.round
        forge.save_session(dataclasses.replace(shown, revision=1, phase=Phase.VALIDATING, result=None, seal=""), PAGE)
        forge.put_draft(stage.draft())
        forge.save_session(shown, PAGE)
        if moment is Moment.SHOWN:
            return
        forge.put_witness(shown)
        forge.reply(stage.question, "It waits for you.")
        _leave_a_spare(stage)
        if moment is Moment.SUBMITTED:
            forge.publish_draft(stage.payload)
            forge.save_session(dataclasses.replace(shown, revision=3, phase=Phase.SUBMITTED), PAGE)


def _leave_a_spare(stage: Stage) -> None:
    """What a run that was cut off leaves: a continuation that no head comment names."""
    marker = Marker(Kind.CONTINUATION, {"v": "1", "instance": stage.place.instance})
    body = {"body": mark("Continued.", marker)}
    stage.connection.send("POST", f"issues/{stage.place.number}/comments", body)
