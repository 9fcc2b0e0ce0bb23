"""Which reply a command gets: why it was refused, or what it shows beside the checkpoint. The texts are `render`'s."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from draftgate.approval.authority import NotAllowed, Rules, who_may_command, who_may_publish
from draftgate.approval.freeze import freeze
from draftgate.commands.base import WhoMay, help_rows
from draftgate.commands.inbox.timing import UnderReview
from draftgate.commands.registry import load_commands
from draftgate.commands.replay import amended_round
from draftgate.commands.scene import Given, Reply
from draftgate.domain.command import Bare
from draftgate.domain.session import Session
from draftgate.errors import ChangeClosed, ConfigurationError, DraftgateError, HeadMoved, VerdictRefused
from draftgate.render import replies
from draftgate.render.language import FALLBACK
from draftgate.render.wording import with_stop

_BY_COMMENT = re.compile(r"`draftgate do '?(/[^'`]+)'?`")
_BY_VERB = re.compile(r"`draftgate (?=(?:review|approve|finalize)\b)")
_COMMAND = re.compile(r"`(/[^`]+)`")


@dataclass(frozen=True, slots=True)
class Wording:
    """Makes the replies on one change.

    Attributes:
        rules: Who may what.
        bare: Which commands need no prefix.
        language: Of the fixed sentences.
    """

    rules: Rules
    bare: Bare = Bare.OWN
    language: str = FALLBACK

    def refused(self, command: str, error: DraftgateError, done: Sequence[Reply]) -> str:
        """Why a comment was not done, or not to its end, and what to write instead."""
        hint = in_comments(error.hint)
        match error:
            case NotAllowed(setting=setting) if setting:
                return replies.not_allowed(command, who_may_publish(self.rules), setting, language=self.language)
            case UnderReview(run_url=run_url):
                return replies.running(command, run_url, language=self.language)
            case HeadMoved() if not isinstance(error, ChangeClosed):
                return replies.superseded(command, with_stop(error.message), language=self.language)
            case VerdictRefused() if found := _COMMAND.search(hint):
                return replies.verdict_refused(command, with_stop(error.message), found[1], language=self.language)
            case _:
                return replies.refused(command, _reason(error, done), with_stop(hint), language=self.language)

    def shown(self, command: str, done: Sequence[Reply]) -> str:
        """What the commands show that the checkpoint does not; "" if that is nothing."""
        shown = [(reply.text, page) for reply in done if (page := self._page(reply))]
        said = "\n\n".join(text for text, _ in shown if text)
        page = "\n\n".join(page for _, page in shown)
        return replies.done(command, said, page=page, language=self.language) if page else ""

    def _page(self, reply: Reply) -> str:
        if reply.shows == "help":
            phase = None if reply.session is None else reply.session.phase
            return replies.help_page(help_rows(load_commands(), phase, self.bare, self._who))
        return _preview(reply.session) if reply.shows == "preview" and reply.session is not None else ""

    def _who(self, who_may: WhoMay) -> str:
        return who_may_publish(self.rules) if who_may is WhoMay.PUBLISHERS else who_may_command(self.rules)


def _reason(error: DraftgateError, done: Sequence[Reply]) -> str:
    return "\n\n".join(
        (with_stop(str(error)), *_problems(error), *(f"Done before that: {reply.text}" for reply in done))
    )


def _problems(error: DraftgateError) -> Iterator[str]:
    if isinstance(error, ConfigurationError):
        yield "\n".join(f"- {problem}" for problem in error.problems)


def in_comments(hint: str) -> str:
    """A hint as it is written for a terminal, with the commands as they are given in a comment."""
    return _BY_VERB.sub("`/draftgate ", _BY_COMMENT.sub(r"`\1`", hint))


def _preview(session: Session) -> str:
    """The review as it would be posted if everything that is left were approved now."""
    amended = amended_round(session)
    everything = frozenset(entry.number for entry in amended.kept)
    payload = freeze(session, amended, everything, None, Given("", "", "", ""))
    return replies.preview_page(payload.body, payload.comments)
