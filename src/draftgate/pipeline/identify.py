"""Step 1 in a terminal: which two commits are compared when a person says little or nothing."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.domain.change import ChangeRequest, CommitSha
from draftgate.errors import UsageError
from draftgate.git.repository import Branch, Repository


@dataclass(frozen=True, slots=True)
class Identified:
    """The change and its two ends, before any range is proved.

    Attributes:
        base_named, head_named: What names the ends for certain: a full ref, or the expression as written.
    """

    change: ChangeRequest
    base_tip: CommitSha
    head: CommitSha
    base_named: str
    head_named: str


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
    source = repository.checked_out() if head in {None, "HEAD", "@"} else repository.find(head or "")
    head_sha = worktree or repository.resolve(source.ref)
    target = _target(repository, base, source) or (_HEAD if worktree else None)
    if target is None:
        reason = f"{source.label} is the default branch and follows no upstream that it is ahead of"
        return NothingToReview(reason, head_sha)
    base_tip = repository.resolve(target.ref)
    summary = repository.summarize(base_tip, head_sha)
    if summary.commits == 0:
        return NothingToReview(f"{source.label} has no commit that {target.label} lacks", head_sha)
    change = ChangeRequest(
        forge="local",
        repository=repository.root.name,
        number=None,
        title=summary.title if summary.commits == 1 else source.label,
        url=None,
        base_ref=target.label,
        head_ref=source.label,
        author=summary.author,
    )
    return Identified(change, base_tip, head_sha, target.ref, source.ref)


_HEAD = Branch("HEAD", "HEAD")


def _target(repository: Repository, written: str | None, source: Branch) -> Branch | None:
    """What to compare with: as written, else the default branch, and on that its upstream."""
    if written is not None:
        return repository.find(written)
    default = repository.default_branch()
    if default is None:
        raise UsageError(
            "this repository has no default branch to compare with (no origin/HEAD, no main, no master)",
            hint="name one: `draftgate review --base REF`",
        )
    return repository.upstream_of(source.name) if source.name == default.name else default
