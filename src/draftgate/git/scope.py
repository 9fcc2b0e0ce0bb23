"""The change under review with its proof: from two names to a proved range, its files and their evidence.

Which of the files are worth reading is for the pipeline.
"""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.domain.change import CommitSha
from draftgate.domain.diff import FileDiff
from draftgate.domain.round import LeftOut
from draftgate.domain.scope import Provenance, ScopeEvidence
from draftgate.git.diff import diff_commits
from draftgate.git.evidence import prove_merge_bases, refuse_bent_history
from draftgate.git.repository import Repository


@dataclass(frozen=True, slots=True)
class NamedCommit:
    """A commit, and the name by which a person asked for it."""

    ref: str
    sha: CommitSha


@dataclass(frozen=True, slots=True)
class Scope:
    """What a review looks at.

    Attributes:
        evidence: The proof of the range, with every changed file.
        files: The same files with their hunks, in path order; those of ``left_out`` have none.
        left_out: Files whose lines were not read, each with the reason.
    """

    evidence: ScopeEvidence
    files: tuple[FileDiff, ...]
    left_out: tuple[LeftOut, ...]


def prove_scope(
    repository: Repository, base: NamedCommit, head: NamedCommit, *, preferred: CommitSha | None = None
) -> Scope:
    """Read ``merge-base(base, head)..head``.

    Args:
        repository: Holds both ends and what lies between.
        base: The target.
        head: What is reviewed.
        preferred: Of several merge bases the one to begin at (a forge shows the diff from there); git's first if it
            is none of them.

    Raises:
        EvidenceError: The range cannot be proved.
    """
    refuse_bent_history(repository)
    bases = prove_merge_bases(repository, base.sha, head.sha)
    merge_base = preferred if preferred in bases else bases[0]
    diff = diff_commits(repository, merge_base, head.sha)
    evidence = ScopeEvidence(
        provenance=Provenance.GIT,
        base_ref=base.ref,
        base_tip=base.sha,
        head_ref=head.ref,
        head=head.sha,
        merge_base=merge_base,
        other_merge_bases=tuple(other for other in bases if other != merge_base),
        object_format=repository.object_format,
        git_version=repository.git_version,
        files=diff.listed,
        patch_sha256=diff.patch_sha256,
        patch_complete=diff.is_complete,
    )
    return Scope(evidence, diff.files, diff.left_out)
