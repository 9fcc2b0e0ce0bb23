"""One invocation at work on one change: which session is meant, the lock around it, and the scene of its commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer

from draftgate.bootstrap.rounds import Target, open_target, start_round
from draftgate.bootstrap.workspace import Workspace, open_journal, open_workspace, utc_now
from draftgate.cli.streams import Notes
from draftgate.commands.dispatch import run_comment
from draftgate.commands.replay import amended_round
from draftgate.commands.scene import Given, Reply, RoundWish, Scene
from draftgate.domain.command import Bare
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.session import Session
from draftgate.errors import CommandRefused, UsageError
from draftgate.pipeline.identify import NothingToReview
from draftgate.pipeline.request import Progress

ENDED = frozenset({Phase.SUBMITTED, Phase.ABORTED, Phase.SUPERSEDED, Phase.FINALIZED, Phase.RESPONDED})


@dataclass(frozen=True, slots=True)
class Desk:
    """A workspace and the change that is worked on in it.

    Attributes:
        key: The change, as its session is kept.
        seen: The seal of the round that could be seen when the command was given; "" if there was none.
    """

    workspace: Workspace
    key: str
    seen: str
    notes: Notes

    def session(self) -> Session | None:
        """The session as it is stored now."""
        return self.workspace.forge(self.key).load_session()

    def run(self, text: str) -> Iterator[Reply]:
        """Run the comment commands of ``text`` as the person at the terminal."""
        given_at = utc_now()
        bare = Bare(self.workspace.config.commands.bare)
        return run_comment(self._scene(), Given(given_at, self.workspace.account, text, given_at, bare))

    def _scene(self) -> Scene:
        forge = self.workspace.forge(self.key)
        return Scene(
            forge=forge,
            journal=open_journal(forge),
            seen=self.seen,
            amended=amended_round,
            start_round=self._start_round,
            ask_verdict=ask_verdict if sys.stdin.isatty() and sys.stdout.isatty() else None,
            verdict_is_asked=self.workspace.config.approval.verdict == "ask",
        )

    def _start_round(self, wish: RoundWish) -> Session:
        session = self.session()
        scope = None if session is None else session.scope
        target = Target(head=self.key) if scope is None else Target(scope.base_named, scope.head_named)
        if scope is not None and scope.includes_worktree:
            target = Target(scope.base_named, worktree=True)
        with open_target(self.workspace, target) as found:
            if isinstance(found.change, NothingToReview):
                raise UsageError(
                    f"nothing to review: {found.change.reason}", hint="name a base: `draftgate review --base REF`"
                )
            return start_round(self.workspace, found, found.change, wish, progress_of(self.notes))


@contextmanager
def open_desk(path: str, *, config: str | None, head: str | None, notes: Notes) -> Iterator[Desk]:
    """Open the repository, find the session that is meant, and take the repository's lock.

    Raises:
        UsageError: several sessions could be meant.
    """
    workspace = open_workspace(Path(path), os.environ, config_path=config)
    report_configuration(workspace, notes)
    key = choose_key(workspace, head, notes)
    session = workspace.forge(key).load_session()
    with locked(workspace, notes):
        yield Desk(workspace, key, "" if session is None else session.seal, notes)


@contextmanager
def locked(workspace: Workspace, notes: Notes) -> Iterator[None]:
    """Hold the repository's lock; say so if another run holds it."""
    with workspace.locked(lambda: notes.note("waiting for another draftgate run in this repository …")):
        yield


def choose_key(workspace: Workspace, head: str | None, notes: Notes) -> str:
    """The change that is meant: named, checked out, or, if that was never reviewed, the only one that is open.

    Raises:
        UsageError: several sessions are open and none is of the branch that is checked out.
    """
    repository = workspace.repository
    if head is not None:
        return (repository.checked_out() if head in {"HEAD", "@"} else repository.find(head)).label
    here = repository.checked_out().label
    session = workspace.forge(here).load_session()
    if session is not None and session.phase is not Phase.FINALIZED:
        return here
    opened = [session.key for session in workspace.sessions() if session.phase not in ENDED]
    if not opened:
        return here
    if len(opened) == 1:
        notes.note(f"{here} has no open review; this is about the review of {opened[0]}")
        return opened[0]
    raise UsageError(
        f"there is no review of {here}, and several others are open: {', '.join(opened)}",
        hint=f"name one, as in `--head {opened[0]}`",
    )


def progress_of(notes: Notes) -> Progress:
    """Progress of a round as a line on a terminal."""
    return Progress(
        gathered=lambda files: notes.progress(f"reading {files} changed files …"),
        check_started=lambda check: notes.progress(f"running {check} …"),
        asking=notes.note,
        agent_at=lambda agent, doing: notes.progress(f"{agent}: {doing} …"),
    )


def report_configuration(workspace: Workspace, notes: Notes) -> None:
    """Say what is odd about the configuration without being wrong."""
    for warning in workspace.loaded.warnings:
        notes.note(f"warning: {warning}")


def ask_verdict(recommended: Verdict) -> Verdict:
    """Ask for the verdict at the terminal."""
    choices = ", ".join(verdict.value for verdict in Verdict)
    while True:
        try:
            answer = typer.prompt(f"Verdict ({choices})", default=recommended.value).strip().lower()
        except typer.Abort as error:
            raise CommandRefused("no verdict was given", hint=f"write it as `--as`, one of {choices}") from error
        if answer in set(Verdict):
            return Verdict(answer)
        typer.echo(f"write one of {choices}", err=True)
