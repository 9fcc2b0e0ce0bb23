"""A repository that is worked in: where its state is, what its configuration says, who works here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from draftgate.bootstrap.configuration import load_configuration
from draftgate.commands.replay import amended_round
from draftgate.config.load import Loaded
from draftgate.config.model import Config
from draftgate.domain.change import CommitSha
from draftgate.domain.session import Session
from draftgate.errors import HeadMoved, IntegrityError, UsageError
from draftgate.forge.journal import Journal
from draftgate.forge.local.folder import StateFolder
from draftgate.forge.local.forge import INTEGRITY, LocalForge, list_sessions
from draftgate.git.repository import Repository
from draftgate.git.status import tracks_state
from draftgate.git.user_config import read_user_setting
from draftgate.git.worktree import commit_worktree
from draftgate.render.checkpoint import checkpoint
from draftgate.render.page import Page
from draftgate.render.setting import Setting


def utc_now() -> str:
    """The present time, UTC, ISO 8601 with microseconds, so that times compare as text."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


@dataclass(frozen=True, slots=True)
class Workspace:
    """A repository, its state folder, its configuration, the account that works in it, and its variables."""

    repository: Repository
    folder: StateFolder
    loaded: Loaded
    account: str
    environment: Mapping[str, str] = field(repr=False)

    @property
    def config(self) -> Config:
        """The settings in force."""
        return self.loaded.config

    def forge(self, key: str) -> LocalForge:
        """The local forge of one change."""
        return LocalForge(self.folder, key, account=self.account, read_head=self._read_head, now=utc_now)

    def sessions(self) -> tuple[Session, ...]:
        """Every session of the repository."""
        return list_sessions(self.folder)

    def locked(self, waiting: Callable[[], None]) -> AbstractContextManager[None]:
        """Keep other runs out of this repository's state; ``waiting`` is called if one is in it."""
        return self.folder.locked(waiting)

    def _read_head(self, session: Session) -> CommitSha:
        scope = session.scope
        if scope is None:
            raise HeadMoved("this session has no reviewed head", hint="run `draftgate review`")
        if scope.includes_worktree:
            with commit_worktree(self.repository) as worktree:
                return worktree.commit
        try:
            return self.repository.resolve(scope.head_named)
        except UsageError as error:
            raise HeadMoved(
                f"{session.change.head_ref} is gone",
                hint="nothing was submitted; `draftgate finalize` ends the session",
            ) from error


def open_workspace(
    path: Path,
    environment: Mapping[str, str],
    *,
    config_path: str | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Workspace:
    """Open the repository that holds ``path`` and read its configuration.

    Args:
        path: Any folder in it.
        environment: All environment variables.
        config_path: The configuration file to use instead of the repository's.
        overrides: Settings of the command line by dotted key.

    Raises:
        UsageError: there is no repository there.
        ConfigurationError: the configuration is broken.
        IntegrityError: the state folder is part of a commit.
    """
    repository = Repository.open(path.resolve(), environment)
    folder = StateFolder(repository.root)
    if folder.exists() and tracks_state(repository):
        raise IntegrityError(
            "the repository tracks this folder, so what is in it came with a commit and is not trusted",
            context=str(folder.path),
            hint="take it out with `git rm -r --cached .draftgate` and a commit, remove the folder, and review again",
        )
    account = read_user_setting(environment, "user.name") or environment.get("USER") or "local"
    return Workspace(
        repository=repository,
        folder=folder,
        loaded=load_configuration(repository.root, environment, path=config_path, overrides=overrides),
        account=account,
        environment=environment,
    )


def open_journal(forge: LocalForge) -> Journal:
    """Records a change's sessions, each with the page that shows it."""
    return Journal(forge, checkpoint_page, utc_now)


def checkpoint_page(session: Session) -> Page:
    """The page that shows a session, with what its accepted commands made of it."""
    return checkpoint(session, amended_round(session), Setting(integrity=INTEGRITY))
