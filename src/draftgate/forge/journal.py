"""How a session changes: one legal step at a time, saved with its page before the next begins."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable
from dataclasses import dataclass

from draftgate import __version__
from draftgate.domain.phase import Phase, require
from draftgate.domain.session import Failure, Session
from draftgate.forge.base import KeepsCheckpoint
from draftgate.render.page import Page

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Journal:
    """Writes sessions.

    Attributes:
        store: Where they go.
        page: Renders the page that shows a session.
        now: The time, UTC, ISO 8601.
    """

    store: KeepsCheckpoint
    page: Callable[[Session], Page]
    now: Callable[[], str]

    def open(self, session: Session) -> Session:
        """Store the first revision of a new session."""
        session = dataclasses.replace(session, release=__version__)
        self.store.save_session(session, self.page(session))
        return session

    def advance(self, session: Session, phase: Phase) -> Session:
        """Store the session in its next phase and return it as stored.

        Args:
            session: As it was stored last, with the fields that the phase sets already replaced.
            phase: The next phase.

        Raises:
            IllegalTransition: the phase may not follow.
        """
        require(session.phase, phase)
        following = dataclasses.replace(
            session, phase=phase, revision=session.revision + 1, updated_at=self.now(), release=__version__
        )
        self.store.save_session(following, self.page(following))
        _LOGGER.info("phase", extra={"phase": phase.value, "round": following.round, "revision": following.revision})
        return following

    def show_again(self, session: Session) -> Session:
        """Store the session as it is with a page made anew, because what is shown around it changed."""
        following = dataclasses.replace(session, revision=session.revision + 1, release=__version__)
        self.store.save_session(following, self.page(following))
        return following

    def fail(self, session: Session, reason: str, *, recoverable: bool) -> Session:
        """Record that the present phase failed; everything found so far is kept."""
        failure = Failure(session.phase, reason, recoverable, self.now())
        return self.advance(dataclasses.replace(session, failure=failure), Phase.FAILED)

    def fail_agents(self, session: Session, reason: str, names: tuple[str, ...]) -> Session:
        """Record that agents or checks failed; a person decides how to go on."""
        failure = Failure(session.phase, reason, recoverable=True, at=self.now(), names=names)
        return self.advance(dataclasses.replace(session, failure=failure), Phase.AGENTS_FAILED)
