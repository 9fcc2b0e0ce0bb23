"""What the bot does on GitLab alone, or does there in its own way."""

from __future__ import annotations

from collections.abc import Callable

from draftgate.domain.event import Event
from tests.fakes.gitlab.entities import Reviewer
from tests.recovery.hosted.flows import Flow, reviewed
from tests.recovery.hosted.gitlab import GitLabWorld
from tests.recovery.hosted.stage import Stage

Change = Callable[[GitLabWorld], object]


def _command(text: str, *, before: Change | None = None, after: Change | None = None) -> Callable[[Stage], Event]:
    """A command on a review that waits, in a world that is changed before the review or after it."""

    def prepare(stage: Stage) -> Event:
        assert isinstance(stage.world, GitLabWorld)
        if before is not None:
            before(stage.world)
        reviewed(stage)
        if after is not None:
            after(stage.world)
        return stage.say(text)

    return prepare


def _review_beside_a_foreign_draft(stage: Stage) -> Event:
    assert isinstance(stage.world, GitLabWorld)
    stage.world.hold_foreign_draft()
    return stage.opened()


def _ask_bot(world: GitLabWorld) -> None:
    world.merge_request.reviewers.append(Reviewer(world.scenario.bot, world.clock.now))


def _ask_maintainer(world: GitLabWorld) -> None:
    world.merge_request.reviewers.append(Reviewer(world.scenario.person("maintainer"), world.clock.now))


def _lose_place(world: GitLabWorld) -> None:
    """GitLab cannot make the note of finding 2 any more."""
    world.merge_request.lost_places.add(("rooms/mail.py", 1))


def _approve_already(world: GitLabWorld) -> None:
    """The bot's approval of an earlier time."""
    world.merge_request.approvals.append((world.scenario.bot, world.clock.now))


_FOREIGN = GitLabWorld.hold_foreign_draft
_SOME, _ALL = "/approve-findings 1,3", "/approve-findings"

GITLAB_FLOWS: tuple[Flow, ...] = (
    Flow("review held, signed", Stage.opened, is_signed=True),
    Flow("approve a subset, signed", _command(_SOME), publishes=1, is_signed=True),
    Flow("approve none, signed", _command("/approve-findings none --as comment"), publishes=1, is_signed=True),
    Flow("review beside a foreign draft", _review_beside_a_foreign_draft),
    Flow("publish beside a foreign draft", _command(_SOME, before=_FOREIGN), publishes=1),
    Flow("publish beside a foreign draft that came later", _command(_ALL, after=_FOREIGN), publishes=1),
    Flow("a note is dropped at its publication", _command(_ALL, after=_lose_place), publishes=1),
    Flow(
        "a note fails at its publication",
        _command(_ALL, after=_lose_place),
        publishes=1,
        traits={"bad_draft": "fail"},
    ),
    Flow("approve the change", _command("/approve-findings none --as approve"), publishes=1),
    Flow("take an approval back", _command(_ALL, before=_approve_already), publishes=1),
    Flow(
        "request changes as a reviewer on 19.2",
        _command(_ALL, before=_ask_bot),
        publishes=1,
        traits={"version": "19.2.0"},
    ),
    Flow("request changes on 19.2", _command(_ALL), publishes=1, traits={"version": "19.2.0"}),
    Flow("request changes beside another reviewer", _command(_ALL, before=_ask_maintainer), publishes=1),
    Flow(
        "request changes beside another reviewer on Premium",
        _command(_ALL, before=_ask_maintainer),
        publishes=1,
        traits={"tier": "premium", "version": "19.2.0"},
    ),
    Flow("request changes on 16.4", _command(_ALL, before=_ask_bot), publishes=1, traits={"version": "16.4.0"}),
)
