"""Proof that a range is what it claims to be: nothing bends history, and the merge base is one for certain.

It proves or refuses; it never picks a likely base.
"""

from __future__ import annotations

from draftgate.domain.change import CommitSha
from draftgate.errors import EvidenceError
from draftgate.git.repository import Repository


def refuse_bent_history(repository: Repository) -> None:
    """Refuse a repository whose own settings could show other commits or other lines than were written.

    They are switched off in every call; that they are there at all means that someone else may see another
    change than the one reviewed.

    Raises:
        EvidenceError: There are replace refs, grafts, or attributes outside the commits.
    """
    replaced = repository.git.run("for-each-ref", "--count=1", "--format=%(refname)", "refs/replace").decode()
    if replaced:
        _refuse("objects are replaced", replaced.strip(), "list them with `git replace` and remove them with `-d`")
    for name, hint in (
        ("grafts", "grafts are long replaced by `git replace`; remove the file"),
        ("attributes", "move the attributes that the project needs to .gitattributes"),
    ):
        path = repository.common_dir / "info" / name
        if path.is_file() and path.stat().st_size:
            _refuse(f"the repository has its own info/{name}", str(path), hint)


def prove_merge_bases(repository: Repository, base_tip: CommitSha, head: CommitSha) -> tuple[CommitSha, ...]:
    """All best common ancestors, git's first one first.

    Raises:
        EvidenceError: There is none, or history is cut off above it, so that a better one may be hidden.
    """
    bases = repository.merge_bases(base_tip, head)
    context = f"{base_tip[:12]}...{head[:12]}"
    if not bases and repository.is_shallow:
        _refuse("no merge base within the history that is here", context, _DEEPEN)
    if not bases:
        _refuse("the two histories have no common commit", context, "choose another base with `--base`")
    if repository.is_shallow and _is_cut_off(repository, base_tip, head, bases):
        _refuse("history is cut off before the merge base is certain", context, _DEEPEN)
    return bases


_DEEPEN = "fetch the rest with `git fetch --unshallow` (in CI: checkout with full depth)"


def _is_cut_off(repository: Repository, base_tip: CommitSha, head: CommitSha, bases: tuple[CommitSha, ...]) -> bool:
    """Whether a commit with hidden parents lies between the tips and their merge base.

    Of several, one may descend from another by commits that are hidden; then none of their history may be.
    """
    # https://git-scm.com/docs/shallow: one id a line, of commits whose parents are not here
    ends = frozenset((repository.common_dir / "shallow").read_text("ascii", "replace").split())
    only_base = (f"^{bases[0]}",) if len(bases) == 1 else ()
    between = repository.git.run("rev-list", base_tip, head, *only_base)
    return not ends.isdisjoint(between.decode().split())


def _refuse(message: str, context: str, hint: str) -> None:
    raise EvidenceError(message, context=context, hint=hint)
