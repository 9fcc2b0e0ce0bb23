"""The change as a round reads it: out of git, out of git and confirmed by the forge, or out of the forge alone.

It joins what others have read and proved; what of it is worth checking is for `draftgate.pipeline.review`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext

from draftgate.agents.reading import Reading
from draftgate.config.load import CANDIDATE_PATHS
from draftgate.domain.change import CommitSha
from draftgate.domain.diff import FileDiff
from draftgate.domain.provider import ProviderChange
from draftgate.domain.round import HINDERED, LeftOut
from draftgate.domain.snapshot import Change, Snapshot
from draftgate.git.history import GitHistory
from draftgate.git.objects import Objects, open_objects
from draftgate.git.repository import Repository
from draftgate.git.scope import NamedCommit, prove_scope
from draftgate.git.snapshot import CommitSnapshot
from draftgate.pipeline.prove import prove_with_provider, trust_provider
from draftgate.pipeline.request import GatheredChange, ReviewRequest


def gather_from_git(
    repository: Repository,
    objects: Objects,
    request: ReviewRequest,
    *,
    provider: ProviderChange | None = None,
    left_out: Iterable[LeftOut] = (),
) -> GatheredChange:
    """Read the change from a repository that holds it.

    Args:
        repository: Holds both commits and the history between them.
        objects: Of the same repository; open as long as the result is read.
        request: What is reviewed.
        provider: What the forge says of it, with object ids; ``None`` where there is no forge.
        left_out: Further files that could not be taken into the change.

    Raises:
        EvidenceError: The range cannot be proved, or git and the forge do not show the same change.
    """
    scope = prove_scope(
        repository,
        NamedCommit(request.change.base_ref, request.base_tip),
        NamedCommit(request.change.head_ref, request.head),
        preferred=None if provider is None else provider.merge_base,
    )
    if provider is not None:
        scope = prove_with_provider(scope, provider)
    base = CommitSnapshot(repository, objects, scope.evidence.merge_base)
    head = CommitSnapshot(repository, objects, request.head)
    limits = list(_say_what_decides(scope.files, request.configuration))
    unread = {left.path: left.reason for left in (*scope.left_out, *left_out)}
    return GatheredChange(
        evidence=scope.evidence,
        files=scope.files,
        change=Change(scope.files, base, head, limits.append, unread.setdefault),
        unread=unread,
        limits=lambda: tuple(dict.fromkeys((*limits, *base.limits, *head.limits))),
        open_reading=lambda: _read_again(repository, scope.evidence.merge_base, request.head),
    )


@contextmanager
def _read_again(repository: Repository, base: CommitSha, head: CommitSha) -> Iterator[Reading]:
    """The same commits through a git process of their own, so that nobody waits for another's answer."""
    with open_objects(repository) as objects:
        yield Reading(
            CommitSnapshot(repository, objects, base),
            CommitSnapshot(repository, objects, head),
            GitHistory(repository, head),
        )


def gather_from_provider(
    request: ReviewRequest,
    provider: ProviderChange,
    base: Snapshot,
    head: Snapshot,
    *,
    unread: Mapping[str, str],
    reason: str,
) -> GatheredChange:
    """Take the change as the forge shows it, where there are no objects.

    Args:
        request: What is reviewed.
        provider: The change, with object ids and modes.
        base: The changed files at the merge base.
        head: The changed files at head.
        unread: Path to reason, for files that could not be read.
        reason: Why there are no objects, as a sentence part.

    Raises:
        EvidenceError: The forge does not say what a file holds.
    """
    scope = trust_provider(provider, base_ref=request.change.base_ref, head_ref=request.change.head_ref)
    limits = [
        f"{HINDERED}no clone ({reason}); only the changed files could be read",
        *_say_what_decides(scope.files, request.configuration),
    ]
    left_out = {left.path: left.reason for left in scope.left_out} | dict(unread)
    return GatheredChange(
        evidence=scope.evidence,
        files=scope.files,
        change=Change(scope.files, base, head, limits.append, left_out.setdefault),
        unread=left_out,
        limits=lambda: tuple(dict.fromkeys(limits)),
        open_reading=lambda: nullcontext(Reading(base, head, None)),
    )


def _say_what_decides(files: Iterable[FileDiff], named: str) -> Iterator[str]:
    """A change of the rules is reviewed by the rules that it changes only later; a person should know."""
    for file in files:
        for path in (named,) if named else CANDIDATE_PATHS:
            if path in {file.old_path, file.new_path}:
                yield f"this change edits {path}, which decides how changes are reviewed"
