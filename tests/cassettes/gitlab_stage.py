"""Where each cassette of GitLab begins: the moments of `stage` on the simulated GitLab, and the adapter opened on them.

GitLab's adapter makes them itself, as GitHub's does there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.files import ListedDiff
from draftgate.forge.gitlab.forge import open_forge as open_gitlab_forge
from draftgate.forge.gitlab.transport import Access
from draftgate.forge.gitlab.view import Place, View
from draftgate.forge.hidden import Kind, Marker, mark
from draftgate.forge.hosted.forge import HostedForge
from tests.builders import finding, scope, session
from tests.cassettes.stage import PAGE, Moment
from tests.cassettes.tape import GITLAB
from tests.fakes.gitlab import notes
from tests.fakes.gitlab.notes import NewNote
from tests.fakes.gitlab.people import Level
from tests.fakes.gitlab.scenario import BOT, FULL_PATH, make_scenario
from tests.fakes.gitlab.server import Simulator, serve
from tests.git_builder import Repo

TOKEN = f"glpat-{BOT}"  # the simulator's own
PROJECT = "1003"
"""Its number there."""


@dataclass(frozen=True)
class Stage:
    """The adapter, as a run has it once it knows its change."""

    connection: Connection
    view: View
    diff: ListedDiff
    forge: HostedForge

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

    def draft(self, *more: ReviewComment, text: str = "Both changed.") -> DraftReview:
        """The draft of that round."""
        line = ReviewComment(1, "f" * 64, Anchor(AnchorKind.LINE, "rooms/mail.py", Side.RIGHT, 1, 2), text)
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
    """The adapter on the merge request, whatever is behind `GITLAB`; it never really waits."""
    seconds = count(1_767_225_600)
    access = Access(TOKEN, PROJECT, f"{GITLAB}/api/v4")
    connection = Connection(access, wait_s=60, clock=lambda: float(next(seconds)), sleep=lambda _: None)
    with connection.client.session:
        place = Place(FULL_PATH, 1, f"{GITLAB}/{FULL_PATH}", default_branch="main")
        view = View(connection, place, CANDIDATE_PATHS)
        diff = ListedDiff(connection, view)
        forge = open_gitlab_forge(connection, view, diff, signing_key=b"a key of the cassettes", language="en")
        yield Stage(connection, view, diff, forge)


@contextmanager
def simulated(root: Path, source: Repo) -> Iterator[Simulator]:
    """A simulator with the merge request and the maintainer's comment; the caller leads `GITLAB` to it."""
    scenario = make_scenario(root, source)
    world, one = scenario.world, scenario.merge_request
    asked = notes.create(world, scenario.person("maintainer"), one, NewNote("/approve-findings")).note
    assert asked is not None
    notes.award(world, scenario.person("guest"), asked, "heart")  # which moves its time, as an edit would
    scenario.project.too_large.add("rooms/models.py")
    world.groups[0].members[scenario.bot] = Level.GUEST
    world.moved["acme/rooms"] = scenario.project
    with serve(world) as simulator:
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
    marker = Marker(Kind.CONTINUATION, {"v": "1", "instance": stage.view.place.instance})
    stage.connection.merge_request(1).notes.create({"body": mark("Continued.", marker)})
