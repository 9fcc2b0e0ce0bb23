"""Sessions change one legal step at a time, each saved with its page."""

from __future__ import annotations

import pytest

from draftgate.domain.phase import Phase
from draftgate.errors import IllegalTransition, IntegrityError
from draftgate.forge.journal import Journal
from draftgate.render.page import Page
from tests.builders import session
from tests.fakes.forge import MemoryForge
from tests.fakes.rounds import Clock


@pytest.fixture
def forge() -> MemoryForge:
    return MemoryForge()


@pytest.fixture
def journal(forge: MemoryForge) -> Journal:
    return Journal(forge, lambda stored: Page(f"page of {stored.phase}"), Clock())


def test_a_step_is_saved_with_the_page_that_shows_it(forge: MemoryForge, journal: Journal) -> None:
    opened = journal.open(session(revision=1))

    advanced = journal.advance(opened, Phase.CHOOSING_VERDICT)

    assert (advanced.phase, advanced.revision) == (Phase.CHOOSING_VERDICT, 2)
    assert advanced.updated_at > opened.updated_at
    assert forge.load_session() == advanced
    assert forge.kept.things["page", forge.key] == "page of choosing-verdict\n"


def test_an_illegal_step_is_not_saved(forge: MemoryForge, journal: Journal) -> None:
    opened = journal.open(session(revision=1))

    with pytest.raises(IllegalTransition):
        journal.advance(opened, Phase.SUBMITTED)

    assert forge.load_session() == opened


def test_a_step_from_an_older_state_is_refused(forge: MemoryForge, journal: Journal) -> None:
    opened = journal.open(session(revision=1))
    journal.advance(opened, Phase.CHOOSING_VERDICT)

    with pytest.raises(IntegrityError, match="meanwhile"):
        journal.advance(opened, Phase.SUBMITTING)


@pytest.mark.parametrize("kind", ["failed", "agents-failed"])
def test_a_failure_names_the_phase_and_the_reason_and_keeps_what_was_found(journal: Journal, kind: str) -> None:
    opened = journal.open(session(revision=1, phase=Phase.RUNNING_AGENTS))

    failed = (
        journal.fail(opened, "why", recoverable=False)
        if kind == "failed"
        else journal.fail_agents(opened, "why", ("a",))
    )

    assert failed.phase == kind
    assert failed.failure is not None
    assert (failed.failure.phase, failed.failure.reason) == (Phase.RUNNING_AGENTS, "why")
    assert failed.failure.recoverable is (kind == "agents-failed")
    assert failed.result == opened.result
