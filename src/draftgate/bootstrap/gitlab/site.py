"""GitLab as one run reaches it; see `draftgate.bootstrap.hosting.site`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.bootstrap.hosting.waiting import waits
from draftgate.config.model import Budgets
from draftgate.domain.change import CommitSha
from draftgate.domain.provider import ProviderChange
from draftgate.forge.gitlab import facts
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.contents import read_contents
from draftgate.forge.gitlab.files import ListedDiff
from draftgate.forge.gitlab.forge import open_forge
from draftgate.forge.gitlab.transport import Access
from draftgate.forge.gitlab.view import Place, View
from draftgate.forge.hosted.asking import Requests
from draftgate.forge.hosted.contents import Contents
from draftgate.forge.hosted.forge import HostedForge
from draftgate.render.links import DASHED
from draftgate.render.quick_actions import without_leading_slashes
from draftgate.render.setting import SetUp

_READ_ONLY = (
    "Draftgate could not write: the pipeline of a merge request from a fork has no token of this project. The findings "
    "are in the job's log and its files, and nothing stands on the merge request. Reviews by webhook run in the "
    "project itself and can write there too (`docs/how-to/gitlab.md`)."
)
_TRUSTED_SOURCES = frozenset({"trigger", "schedule"})
"""Pipelines that run on the default branch: the commit that they name is one of it."""

_RECENT = 50


class GitLabSite:
    """The way to GitLab's API for a run."""

    name = "gitlab"
    mark = "!"
    read_only = _READ_ONLY
    link_style = DASHED

    def __init__(self, run: HostedRun, clocks: Clocks) -> None:
        project = run.repository_id or run.repository
        access = Access(run.token, project, run.api_url, run.graphql_url, run.ca_file)
        self._run = run
        self._connection = Connection(access, wait_s=Budgets().wait_s, clock=clocks.now, sleep=clocks.sleep)

    @property
    def requests(self) -> Requests:
        """How many were sent."""
        return self._connection.requests

    def made_inert(self, text: str) -> str:
        """GitLab itself obeys such lines."""
        return without_leading_slashes(text)

    def allow(self, wait_s: float) -> None:
        """Let the run wait so many seconds in all."""
        self._connection.allow(wait_s)

    def open(self, number: int, paths: tuple[str, ...]) -> GitLabChange:
        """The account, the merge request, its discussions and the configuration."""
        run, variables = self._run, self._run.environment
        is_trusted = variables.get("CI_PIPELINE_SOURCE") in _TRUSTED_SOURCES
        place = Place(
            run.repository,
            number,
            run.repository_url,
            default_branch=run.default_branch,
            trusted_commit=variables.get("CI_COMMIT_SHA", "") if is_trusted else "",
        )
        view = View(self._connection, place, paths)
        return GitLabChange(self._connection, view, ListedDiff(self._connection, view))

    def find_waiting(self) -> Iterator[int]:
        """The open merge requests, and of each the last notes; of one that nobody touched since, none."""
        for entry in self._connection.pages("merge_requests", state="opened", order_by="updated_at"):
            number = int(facts.need(entry, "iid"))
            if not entry.get("user_notes_count", 1):
                continue
            notes = (facts.note(note) for note in self._connection.newest(f"merge_requests/{number}/notes", _RECENT))
            top = (note for note in notes if note.is_top_level)
            if any(waits(note.text, frozenset()) for note in top):
                yield number


@dataclass(frozen=True, slots=True)
class GitLabChange:
    """One merge request."""

    connection: Connection
    view: View
    diff: ListedDiff

    @property
    def head_ref(self) -> str:
        """Where GitLab keeps the head, of a fork's too."""
        return f"refs/merge-requests/{self.view.place.number}/head"

    def open_forge(self, *, signing_key: bytes | None, language: str) -> HostedForge:
        """The roles for it."""
        return open_forge(self.connection, self.view, self.diff, signing_key=signing_key, language=language)

    def read_listed(self, *, base_tip: CommitSha, head: CommitSha) -> ProviderChange:
        """See `ListedDiff.change`."""
        return self.diff.change(base_tip=base_tip, head=head)

    def name_blobs(self, change: ProviderChange) -> ProviderChange:
        """GitLab names no objects where it lists a change; the commits that it names are made of them."""
        return change

    def read_contents(self, change: ProviderChange) -> Contents:
        """See `contents.read_contents`."""
        return read_contents(self.connection, change)

    def why_draft_needed(self, *, has_key: bool) -> str:
        """Only draft notes keep the seal where others cannot write it."""
        if has_key:
            return ""
        return (
            "`draft: just-in-time` needs a signing key on GitLab (DRAFTGATE_SIGNING_KEY), since only draft notes "
            "keep the seal; the findings wait in draft notes all the same"
        )

    def set_up(self, *, has_key: bool) -> SetUp:
        """Whether the key is a protected variable, a run cannot see."""
        return SetUp.GITLAB_KEY if has_key else SetUp.GITLAB_DRAFT
