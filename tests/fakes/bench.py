"""Rounds of review of a real change on a forge in memory, with checks and agents that do as they are told."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from draftgate.agents.reading import Reading
from draftgate.checks.base import Change, Check
from draftgate.commands.replay import amended_round
from draftgate.domain.change import CommitSha
from draftgate.domain.consolidate import Policy
from draftgate.domain.finding import Severity
from draftgate.domain.session import Session
from draftgate.forge.journal import Journal
from draftgate.git.objects import Objects, open_objects
from draftgate.git.repository import Repository
from draftgate.git.scope import NamedCommit, prove_scope
from draftgate.git.snapshot import CommitSnapshot
from draftgate.pipeline.request import GatheredChange, Progress, ReviewRequest, ReviewSettings
from draftgate.pipeline.review import Reviewer
from draftgate.render.page import Page
from tests.builders import change
from tests.fakes.forge import Kept, MemoryForge
from tests.fakes.rounds import Clock
from tests.git_builder import Repo, git_environment


def review_settings(*checks: Check, **changes: object) -> ReviewSettings:
    """Settings that let everything through; ``changes`` are fields of `ReviewSettings`."""
    made = ReviewSettings("c" * 64, Policy(dict.fromkeys(Severity, 0), 0), checks, {})
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name


@dataclass
class Bench:
    """A reviewer at work, round after round.

    Attributes:
        settings: Fields of `ReviewSettings` for the next rounds.
        told: What a person was told: whom is asked, and what each agent does.
    """

    built: Repo
    repository: Repository
    gather: Callable[[ReviewRequest], GatheredChange]
    head: CommitSha
    kept: Kept = field(default_factory=Kept)
    pages: list[str] = field(default_factory=list)
    settings: dict[str, object] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    @property
    def forge(self) -> MemoryForge:
        """Where the change lives."""
        return MemoryForge(self.kept)

    @property
    def session(self) -> Session:
        """The session as it is stored."""
        stored = self.forge.load_session()
        assert stored is not None
        return stored

    def request(self, **changes: object) -> ReviewRequest:
        """The next round; ``changes`` are fields of `ReviewRequest`."""
        made = ReviewRequest(
            key="feature/invitations",
            instance="draftgate",
            change=change(),
            base_tip=self.repository.resolve("main"),
            head=self.head,
            base_named="main",
            head_named="refs/heads/feature/invitations",
        )
        return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name

    def push(self, files: Mapping[str, str]) -> None:
        """A commit on top of the change, which is its head from now on."""
        self.built.commit(files)
        self.head = self.kept.head = self.repository.resolve("feature")

    def reviewer(self, *checks: Check, forge: MemoryForge | None = None) -> Reviewer:
        """Whoever makes the rounds, with these checks."""
        at = forge or self.forge
        return Reviewer(
            at,
            Journal(at, self._page, Clock()),
            review_settings(*checks, **self.settings),
            self.gather,
            amended_round,
            lambda: 0.0,
            Progress(
                gathered=lambda _files: None,
                check_started=lambda _check: None,
                asking=self.told.append,
                agent_at=lambda agent, doing: self.told.append(f"{agent}: {doing}"),
            ),
        )

    def review(self, *checks: Check, **changes: object) -> Session:
        """A round with these checks."""
        return self.reviewer(*checks).review(self.request(**changes))

    def _page(self, session: Session) -> Page:
        self.pages.append(str(session.phase))
        return Page("")


@contextmanager
def open_bench(
    folder: Path, base: Mapping[str, str], head: Mapping[str, str], unread: Mapping[str, str] | None = None
) -> Iterator[Bench]:
    """A bench for the change between two commits of a new repository; ``unread`` is what gathering leaves out."""
    built = Repo.create(folder)
    built.commit(base)
    built.branch("feature")
    built.commit(head)
    repository = Repository.open(folder, git_environment())
    commit = repository.resolve("feature")
    with open_objects(repository) as objects:

        def commits(of: Objects, request: ReviewRequest, base: CommitSha) -> tuple[CommitSnapshot, CommitSnapshot]:
            return CommitSnapshot(repository, of, base), CommitSnapshot(repository, of, request.head)

        def gather(request: ReviewRequest) -> GatheredChange:
            scope = prove_scope(repository, NamedCommit("main", request.base_tip), NamedCommit("feature", request.head))
            merge_base = scope.evidence.merge_base

            @contextmanager
            def open_reading() -> Iterator[Reading]:
                with open_objects(repository) as others:
                    yield Reading(*commits(others, request, merge_base), None)

            return GatheredChange(
                scope.evidence,
                scope.files,
                Change(scope.files, *commits(objects, request, merge_base)),
                unread or {},
                lambda: (),
                open_reading,
            )

        yield Bench(built, repository, gather, commit, Kept(head=commit))
