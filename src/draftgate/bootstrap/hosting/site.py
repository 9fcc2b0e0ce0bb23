"""A forge as one run reaches it: what a composition needs of it beside the roles that the flows know.

What forges differ in is here as data and as the few steps that only one of them can take.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from draftgate.domain.change import CommitSha
from draftgate.domain.provider import ProviderChange
from draftgate.forge.hosted.asking import Requests
from draftgate.forge.hosted.contents import Contents
from draftgate.forge.hosted.forge import HostedForge
from draftgate.forge.hosted.standing import View
from draftgate.render.links import LinkStyle
from draftgate.render.setting import SetUp


class HostedChange(Protocol):
    """One change as a run reaches it.

    Attributes:
        view: What is known of it.
        head_ref: The full ref under which the forge keeps its head, of a fork's too.
    """

    @property
    def view(self) -> View:
        """See the class."""

    @property
    def head_ref(self) -> str:
        """See the class."""

    def open_forge(self, *, signing_key: bytes | None, language: str) -> HostedForge:
        """The roles that the flows know."""

    def read_listed(self, *, base_tip: CommitSha, head: CommitSha) -> ProviderChange:
        """The change as the forge lists it."""

    def name_blobs(self, change: ProviderChange) -> ProviderChange:
        """The change with the object ids that the forge can name."""

    def read_contents(self, change: ProviderChange) -> Contents:
        """The changed files at both commits, where there is no clone."""

    def why_draft_needed(self, *, has_key: bool) -> str:
        """Why findings must wait in a draft here whatever is configured, as a sentence; "" if they need not."""

    def set_up(self, *, has_key: bool) -> SetUp:
        """The row of the integrity table that surely holds."""


class Site(Protocol):
    """A forge as a run reaches it.

    Attributes:
        name: As it stands in a change: ``github``, ``gitlab``.
        mark: What people write before the number of a change.
        requests: How many the run has sent to it.
        read_only: What a person is told where the token could only read.
        link_style: Of addresses of files and commits.
    """

    @property
    def name(self) -> str:
        """See the class."""

    @property
    def mark(self) -> str:
        """See the class."""

    @property
    def requests(self) -> Requests:
        """See the class."""

    @property
    def read_only(self) -> str:
        """See the class."""

    @property
    def link_style(self) -> LinkStyle:
        """See the class."""

    def made_inert(self, text: str) -> str:
        """A text of the checkpoint in which no line is a command to the forge."""

    def allow(self, wait_s: float) -> None:
        """Let the run wait so many seconds in all."""

    def open(self, number: int, paths: tuple[str, ...]) -> HostedChange:
        """Read a change, and the configuration files at the tip of the default branch.

        Raises:
            UsageError: there is no such change for this token.
        """

    def find_waiting(self) -> Iterator[int]:
        """The open changes in which somebody may have written a command that carries no answer of ours."""
