"""GitHub as one run reaches it; see `draftgate.bootstrap.hosting.site`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.bootstrap.hosting.waiting import waits
from draftgate.config.model import Budgets
from draftgate.domain.change import CommitSha
from draftgate.domain.provider import ProviderChange
from draftgate.forge.github import facts, files
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.contents import read_contents
from draftgate.forge.github.forge import open_forge
from draftgate.forge.github.transport import Access
from draftgate.forge.github.view import Place, View
from draftgate.forge.hosted.asking import Requests
from draftgate.forge.hosted.contents import Contents
from draftgate.forge.hosted.forge import HostedForge
from draftgate.render.links import PLAIN
from draftgate.render.quick_actions import escape_commands
from draftgate.render.setting import SetUp

_READ_ONLY = (
    "Draftgate could not write: on a pull request from a fork or from Dependabot the token can only read. The findings "
    "are in the job summary, and nothing stands on the pull request. The recommended workflow (a GitHub App and "
    "`pull_request_target`; `docs/how-to/github.md`) can write there too."
)


class GitHubSite:
    """The way to GitHub's API for a run."""

    name = "github"
    mark = "#"
    read_only = _READ_ONLY
    link_style = PLAIN

    def __init__(self, run: HostedRun, clocks: Clocks) -> None:
        access = Access(run.token, run.repository, run.api_url, run.graphql_url, run.ca_file)
        self._run = run
        self._sleep = clocks.sleep
        self._connection = Connection(access, wait_s=Budgets().wait_s, clock=clocks.now, sleep=clocks.sleep)

    @property
    def requests(self) -> Requests:
        """How many were sent."""
        return self._connection.requests

    def made_inert(self, text: str) -> str:
        """Bots of others read such lines, and leave code alone."""
        return escape_commands(text)

    def allow(self, wait_s: float) -> None:
        """Let the run wait so many seconds in all."""
        self._connection.allow(wait_s)

    def open(self, number: int, paths: tuple[str, ...]) -> GitHubChange:
        """One query for all of it."""
        run = self._run
        place = Place(run.repository, number, run.repository_url, default_branch=run.default_branch)
        return GitHubChange(self._connection, View(self._connection, place, paths), self._sleep)

    def find_waiting(self) -> Iterator[int]:
        """One query for fifty open changes with their last comments."""
        owner, _, name = self._run.repository.partition("/")
        after = None
        while True:
            answer = self._connection.query("open_changes", owner=owner, name=name, after=after)
            changes = (answer.get("repository") or {}).get("pullRequests")
            for change in facts.nodes(changes):
                if any(_waits(comment) for comment in facts.nodes(change.get("comments"))):
                    yield facts.need(change, "number")
            after = facts.next_page(changes)
            if after is None:
                return


@dataclass(frozen=True, slots=True)
class GitHubChange:
    """One pull request."""

    connection: Connection
    view: View
    sleep: Callable[[float], None]

    @property
    def head_ref(self) -> str:
        """Where GitHub keeps the head."""
        return f"refs/pull/{self.view.place.number}/head"

    def open_forge(self, *, signing_key: bytes | None, language: str) -> HostedForge:
        """The roles for it."""
        return open_forge(self.connection, self.view, signing_key=signing_key, language=language, sleep=self.sleep)

    def read_listed(self, *, base_tip: CommitSha, head: CommitSha) -> ProviderChange:
        """See `files.read_change`."""
        place, changed_files = self.view.place, self.view.facts.changed_files
        return files.read_change(self.connection, place, base_tip=base_tip, head=head, changed_files=changed_files)

    def name_blobs(self, change: ProviderChange) -> ProviderChange:
        """See `files.name_blobs`."""
        return files.name_blobs(self.connection, self.view.place, change)

    def read_contents(self, change: ProviderChange) -> Contents:
        """See `contents.read_contents`."""
        return read_contents(self.connection, self.view.place, change)

    def why_draft_needed(self, *, has_key: bool) -> str:
        """The check run keeps the seal as well."""
        del has_key
        return ""

    def set_up(self, *, has_key: bool) -> SetUp:
        """Whether a key is guarded by an environment, a run cannot see."""
        account = self.view.account
        if not account.is_bot and not has_key:
            return SetUp.ACCOUNT_OF_A_PERSON
        return SetUp.READABLE_KEY if has_key or not account.is_shared else SetUp.SHARED_ACCOUNT


def _waits(comment: facts.Json) -> bool:
    groups = comment.get("reactionGroups")
    return waits(comment.get("body") or "", frozenset() if groups is None else facts.own_reactions(groups))
