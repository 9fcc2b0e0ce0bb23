"""Step 1 in a terminal: which two commits are compared when a person says little or nothing."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.domain.change import ChangeRequest, CommitSha
from draftgate.errors import UsageError
from draftgate.git.repository import Branch, Repository


@dataclass(frozen=True, slots=True)
class Identified:
    """The change and its two ends, before any range is proved."""

    change: ChangeRequest
    base_tip: CommitSha
    head: CommitSha


@dataclass(frozen=True, slots=True)
class NothingToReview:
    """There is no change here; not an error."""

    reason: str
    head: CommitSha


def identify(
    repository: Repository, *, base: str | None, head: str | None, worktree: CommitSha | None = None
) -> Identified | NothingToReview:
    """Resolve what to compare.

    Args:
        repository: The reader's repository.
        base: The target as written; ``None`` for the default branch, or on it for its upstream.
        head: The change as written; ``None`` for what is checked out.
        worktree: The commit of the uncommitted state, where that is what is reviewed.

    Raises:
        UsageError: a ref is unknown, or there is no default branch to compare with.
    """
    head_ref = head or repository.current_branch() or "HEAD"
    head_sha = worktree or repository.resolve(head_ref)
    target = _written(base) or _default_target(repository, head_ref) or (_HEAD if worktree else None)
    if target is None:
        return NothingToReview(
            f"{head_ref} is the default branch and follows no upstream that it is ahead of", head_sha
        )
    base_tip = repository.resolve(target.ref)
    summary = repository.summarize(base_tip, head_sha)
    if summary.commits == 0:
        return NothingToReview(f"{head_ref} has no commit that {target.label} lacks", head_sha)
    change = ChangeRequest(
        forge="local",
        repository=repository.root.name,
        number=None,
        title=summary.title if summary.commits == 1 else head_ref,
        url=None,
        base_ref=target.label,
        head_ref=head_ref,
        author=summary.author,
    )
    return Identified(change, base_tip, head_sha)


_HEAD = Branch("HEAD", "HEAD")


def _written(base: str | None) -> Branch | None:
    return None if base is None else Branch(base, base)


def _default_target(repository: Repository, head_ref: str) -> Branch | None:
    default = repository.default_branch()
    if default is None:
        raise UsageError(
            "this repository has no default branch to compare with (no origin/HEAD, no main, no master)",
            hint="name one: `draftgate review --base REF`",
        )
    return repository.upstream_of(head_ref) if head_ref == default.name else default
