"""Rounds that were shown, in a forge in memory, for tests of what follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count

from draftgate.commands.replay import amended_round
from draftgate.commands.scene import Given, RoundWish, Scene
from draftgate.domain.artifacts import CommitRange, Handoff, ScopeArtifacts, ScopeDecision
from draftgate.domain.canonical import digest
from draftgate.domain.change import CommitSha
from draftgate.domain.finding import Finding
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.round import RoundKind
from draftgate.domain.scope import Provenance, ScopeEvidence
from draftgate.domain.session import RoundScope, Session
from draftgate.forge.journal import Journal
from draftgate.pipeline.present import present
from draftgate.render.page import Page
from tests.builders import BASE, HEAD, result, session
from tests.fakes.forge import MemoryForge


@dataclass
class Clock:
    """A time that goes on by a second whenever it is asked for."""

    seconds: count[int] = field(default_factory=count)

    def __call__(self) -> str:
        """The next second."""
        second = next(self.seconds)
        return f"2026-01-02T11:{second // 60:02}:{second % 60:02}Z"


@dataclass
class Shown:
    """A forge with one session, and the journal that writes it."""

    forge: MemoryForge = field(default_factory=MemoryForge)
    clock: Clock = field(default_factory=Clock)

    @property
    def journal(self) -> Journal:
        """Writes a page that is only the phase."""
        return Journal(self.forge, lambda stored: Page(str(stored.phase)), self.clock)

    @property
    def session(self) -> Session:
        """The session as it is stored."""
        stored = self.forge.load_session()
        assert stored is not None
        return stored

    @property
    def _seal(self) -> str:
        stored = self.forge.load_session()
        return "" if stored is None else stored.seal

    def scene(
        self,
        *,
        seen: str | None = None,
        start_round: Callable[[RoundWish], Session] | None = None,
        ask_verdict: Callable[[Verdict], Verdict] | None = None,
        verdict_is_asked: bool = False,
    ) -> Scene:
        """Where commands run."""
        return Scene(
            self.forge,
            self.journal,
            self._seal if seen is None else seen,
            amended_round,
            start_round or (lambda _wish: self.session),
            ask_verdict,
            verdict_is_asked,
        )

    def given(self, text: str) -> Given:
        """A comment that is written now."""
        now = self.clock()
        return Given(now, "a maintainer", text, now)


def show(findings: Iterable[Finding], *, holds_draft: bool = True) -> Shown:
    """A round with these findings, sealed and waiting for approval as the pipeline leaves it."""
    shown = Shown()
    artifacts = make_artifacts()
    shown.forge.keep_scope(artifacts)
    scope = make_scope(artifacts)
    waiting = session((), revision=1, phase=Phase.SCORING, result=None, seal="", holds_draft=holds_draft, scope=scope)
    shown.forge.save_session(waiting, Page(""))
    present(shown.forge, shown.journal, waiting, scope, result(findings))
    shown.forge.kept.writes.clear()
    return shown


def make_artifacts(head: CommitSha = HEAD) -> ScopeArtifacts:
    """Evidence, decision and handoff that name each other."""
    full = CommitRange(BASE, head)
    evidence = ScopeEvidence(
        Provenance.GIT, "main", BASE, "feature/invitations", head, BASE, (), "sha1", "2.39.5", (), "f" * 64, True
    )
    decision = ScopeDecision(digest(evidence), RoundKind.INITIAL, full, full, None, ("first round",))
    handoff = Handoff(
        decision.evidence_digest,
        digest(decision),
        "rooms",
        None,
        "main",
        "feature/invitations",
        head,
        BASE,
        full,
        full,
        RoundKind.INITIAL,
        None,
        (),
    )
    return ScopeArtifacts(evidence, decision, handoff)


def make_scope(artifacts: ScopeArtifacts) -> RoundScope:
    """What a session keeps of the artifacts."""
    return RoundScope(
        BASE,
        BASE,
        artifacts.handoff.head,
        (),
        "refs/heads/main",
        "refs/heads/feature/invitations",
        RoundKind.INITIAL,
        None,
        ("first round",),
        False,
        0,
        "c" * 64,
        digest(artifacts.evidence),
        digest(artifacts.decision),
        digest(artifacts.handoff),
    )
