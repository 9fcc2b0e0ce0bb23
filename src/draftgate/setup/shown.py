"""What a repository shows to `draftgate init`: the facts as they were read, before anything is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from draftgate.config.load import CANDIDATE_PATHS
from draftgate.domain.paths import matches_any

WORKFLOW = ".github/workflows/draftgate.yml"
PIPELINE = ".gitlab-ci.yml"
TEMPLATE_COPY = ".gitlab/draftgate-template.yml"

TARGETS = (*CANDIDATE_PATHS, WORKFLOW, PIPELINE, TEMPLATE_COPY)
"""Every file that may be written or added to; the one in its place is read, whether git knows it or not."""

_WORTH_READING = (
    ".github/workflows/*.yml",
    ".github/workflows/*.yaml",
    ".gitlab/**/*.yml",
    ".pr_agent.toml",
    ".coderabbit.yaml",
    ".coderabbit.yml",
    ".sourcery.yaml",
    "/.gitattributes",
)


@dataclass(frozen=True, slots=True)
class Remote:
    """A remote as git's configuration has it; its address may hold a password and is never shown."""

    name: str
    url: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Shown:
    """A repository.

    Attributes:
        paths: Every file that git tracks, or would if it were added, from the top folder; sorted.
        remotes: By name.
        followed: The remote that the checked-out branch follows.
        branch: The branch that is checked out; ``None`` if HEAD is detached.
        default_branch: The branch that changes go to, as far as the clone knows.
        contents: The bytes of the files that `worth_reading` and `TARGETS` name and that are there.
        changed: Those of `TARGETS` whose state differs from HEAD.
        ignored: Those of `TARGETS` that git ignores.
        unwritable: Those of `TARGETS` that are, or are below, something else than plain files and folders, with what.
    """

    paths: tuple[str, ...]
    remotes: tuple[Remote, ...] = ()
    followed: str | None = None
    branch: str | None = "main"
    default_branch: str | None = "main"
    contents: Mapping[str, bytes] = field(default_factory=dict)
    changed: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()
    unwritable: Mapping[str, str] = field(default_factory=dict)

    def text(self, path: str) -> str | None:
        """A file as text, with ``U+FFFD`` where it is none; ``None`` if it is not there or was not read."""
        content = self.contents.get(path)
        return None if content is None else content.decode("utf-8", "replace")

    def texts(self, *globs: str) -> Iterable[tuple[str, str]]:
        """Path and text of every file that was read and matches."""
        for path in sorted(self.contents):
            if matches_any(path, globs):
                yield path, self.contents[path].decode("utf-8", "replace")


def worth_reading(paths: Iterable[str]) -> tuple[str, ...]:
    """Those of the files whose content decides something."""
    return tuple(path for path in paths if matches_any(path, _WORTH_READING))
