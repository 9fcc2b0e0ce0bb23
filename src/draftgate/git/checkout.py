"""What a clone shows beside its commits: the files of its checkout, its remotes, and what git ignores there.

Only names are read; what stands in a file is read by whoever needs it.
"""

from __future__ import annotations

from collections.abc import Sequence

from draftgate.git.repository import Repository
from draftgate.git.run import GitFailed
from draftgate.git.status import git_with_work_tree
from draftgate.git.user_config import read_user_settings

_REMOTE, _URL = "remote.", ".url"
_SHORT_FORM, _INSTEAD_OF = "url.", ".insteadof"


def list_files(repository: Repository) -> tuple[str, ...]:
    """Every file of the checkout that is tracked, or would be if it were added; sorted, submodules among them."""
    output = git_with_work_tree(repository).run("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return tuple(sorted({path.decode("utf-8", "surrogateescape") for path in output.split(b"\0")[:-1]}))


def list_remotes(repository: Repository) -> tuple[tuple[str, str], ...]:
    """Name and address of each remote by name, with the user's short forms (``url.*.insteadOf``) spelt out.

    An address may hold a password.
    """
    output = repository.git.ask("config", "-z", "--get-regexp", r"^remote\..*\.url$") or b""
    long_forms = read_user_settings(repository.environment, r"^url\..*\.insteadof$")
    found: dict[str, str] = {}
    for entry in output.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        key, _, url = entry.partition("\n")
        found.setdefault(key.removeprefix(_REMOTE).removesuffix(_URL), _spelt_out(url, long_forms))
    return tuple(sorted(found.items()))


def _spelt_out(url: str, long_forms: Sequence[tuple[str, str]]) -> str:
    """The address as git would use it: the longest short form that it begins with is replaced (git-config(1))."""
    fitting = [(short, key) for key, short in long_forms if short and url.startswith(short)]
    if not fitting:
        return url
    short, key = max(fitting, key=lambda form: len(form[0]))
    return key.removeprefix(_SHORT_FORM).removesuffix(_INSTEAD_OF) + url.removeprefix(short)


def followed_remote(repository: Repository, branch: str) -> str | None:
    """The remote that a branch follows, ``None`` if it follows none or a branch of the same clone."""
    answer = repository.git.ask("config", "--get", f"branch.{branch}.remote")
    name = None if answer is None else answer.decode("utf-8", "surrogateescape").removesuffix("\n")
    return None if name == "." else name


def list_ignored(repository: Repository, paths: Sequence[str]) -> frozenset[str]:
    """Those of the paths that git ignores and does not track; they need not be there."""
    names = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
    git = git_with_work_tree(repository).at(GIT_LITERAL_PATHSPECS="0")  # which this command refuses
    answer = git.attempt("check-ignore", "-z", "--stdin", stdin=names)
    if answer.code not in (0, 1):
        raise GitFailed(answer.words, context="git check-ignore", hint="see `git status` there")
    return frozenset(path.decode("utf-8", "surrogateescape") for path in answer.output.split(b"\0")[:-1])
