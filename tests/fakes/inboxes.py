"""An inbox over a round that was shown in memory: what people write, and what a run makes of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from draftgate.approval.authority import Authority, ChangeFacts, Rules
from draftgate.commands.inbox.answer import Answers, Inbox, take_up
from draftgate.commands.inbox.reply import Wording
from draftgate.commands.inbox.timing import Patience
from draftgate.commands.replay import amended_round
from draftgate.commands.scene import RoundWish
from draftgate.domain.conversation import Comment
from draftgate.domain.finding import Finding
from draftgate.domain.people import Role
from draftgate.domain.session import Session
from tests.fakes.conversation import FakeConversation, FakePeople
from tests.fakes.rounds import Shown, show

NOON = "2026-01-02T12:00:00Z"
"""After everything of `tests.fakes.rounds` was begun and shown."""

RUN_URL = "https://forge.invalid/runs/1"


@dataclass
class Story:
    """A change, its conversation and its people; every run begins with nothing in memory.

    Attributes:
        rules: Of the configuration.
        author: Of the change.
        start_round: What a new round does.
        changes: Other fields of the inbox.
    """

    shown: Shown
    conversation: FakeConversation = field(default_factory=FakeConversation)
    people: FakePeople = field(
        default_factory=lambda: FakePeople(
            {"maintainer": Role.WRITE, "other": Role.MAINTAIN, "author": Role.WRITE, "outsider": Role.READ}
        )
    )
    rules: Rules = field(default_factory=Rules)
    author: str = "author"
    start_round: Callable[[RoundWish], Session] | None = None
    changes: dict[str, object] = field(default_factory=dict)

    def inbox(self) -> Inbox:
        """What a run works on."""
        made = Inbox(
            conversation=self.conversation,
            authority=Authority(self.people, self.rules, ChangeFacts(self.author)),
            scene=self.shown.scene(seen="", start_round=self.start_round),
            wording=Wording(self.rules),
            patience=Patience(20 * 60, RUN_URL),
        )
        return dataclasses.replace(made, **self.changes)  # type: ignore[arg-type]  # fields by name

    def run(self, event: Comment | None = None) -> Answers:
        """A run that a comment set off, or a sweep."""
        return take_up(self.inbox(), None if event is None else event.id)

    def tell(self, text: str, author: str = "maintainer", at: str = NOON) -> Answers:
        """Somebody writes a comment, and it sets off a run."""
        return self.run(self.conversation.say(author, text, at))

    @property
    def session(self) -> Session:
        """As it is stored."""
        return self.shown.session

    @property
    def kept(self) -> list[int]:
        """The findings that nobody dropped."""
        return [entry.number for entry in amended_round(self.session).kept]


def open_story(findings: Iterable[Finding]) -> Story:
    """A round with these findings waits for approval."""
    return Story(show(findings))
