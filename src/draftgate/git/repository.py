"""A repository as the review sees it: where it lies, what its refs mean, and nothing that writes.

Objects and refs are read with the git directory named outright and without an index, so that neither a
work tree nor a checked-out ``.gitattributes`` has a say in any answer. The one reader of the work tree is
`draftgate.git.status`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from draftgate.domain.change import CommitSha
from draftgate.errors import UsageError
from draftgate.git.run import Answer, Git, GitFailed
from draftgate.git.user_config import read_user_setting

MINIMUM_VERSION = (2, 39)

# Git knows the empty tree of each format without finding it in the repository.
_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
# A path in a folder that no system has: git takes an index that does not exist for an empty one.
_NO_INDEX = "/nonexistent/index"
_VERSION = re.compile(r"git version ((\d+)\.(\d+)[0-9.]*)")
_NAMES_SUGGESTED = 3
_HEADS = "refs/heads/"
_REMOTES = "refs/remotes/"
_ORIGIN = _REMOTES + "origin/"
_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch, here or as a remote had it last.

    Attributes:
        name: Its own name, without that of the remote: ``main``.
        ref: The full ref where it was found: ``refs/remotes/origin/main``.
    """

    name: str
    ref: str

    @property
    def label(self) -> str:
        """The ref as a person writes it: ``origin/main``."""
        return self.ref.removeprefix(_HEADS).removeprefix(_REMOTES)


@dataclass(frozen=True, slots=True)
class RangeSummary:
    """How many commits a range has, and subject and author of the newest."""

    commits: int
    title: str
    author: str


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository that was found and can be read.

    Attributes:
        git: Reads objects and refs of it; knows no work tree and no index.
        environment: The caller's, for the few settings of the user that count.
        work_tree: The top folder of the checkout, ``None`` in a bare repository.
        git_dir: Where HEAD is (a linked work tree has its own).
        common_dir: Where refs and configuration are.
        object_directory: Where objects are.
        object_format: ``sha1`` or ``sha256``.
        git_version: The git that reads it.
    """

    git: Git
    environment: Mapping[str, str]
    work_tree: Path | None
    git_dir: Path
    common_dir: Path
    object_directory: Path
    object_format: str
    git_version: str

    @classmethod
    def open(cls, path: Path, environment: Mapping[str, str], *, needs_commits: bool = True) -> Repository:
        """Find the repository that holds `path`, an absolute path.

        Whoever owns the folder, it is read: git's check of the owner protects from a configuration that
        starts programs, and none is started here.

        Raises:
            UsageError: There is no repository, it has no commit though it needs one, or git is missing or too old.
        """
        git = Git.hardened(environment)
        version = check_version(git)
        # Honoured on the command line since 2.38; before, only in files that are switched off here.
        finder = git.at("-C", str(path), "-c", "safe.directory=*")
        work_tree, git_dir, common_dir, objects, object_format = _find(finder, path)
        reader = git.at("--bare", f"--git-dir={git_dir}").at(
            GIT_INDEX_FILE=_NO_INDEX,
            GIT_ATTR_SOURCE=_EMPTY_TREES[object_format],  # since 2.43 a bare repository reads attributes from HEAD
        )
        found = cls(reader, environment, work_tree, git_dir, common_dir, objects, object_format, version)
        if needs_commits:
            found._refuse_without_commits()
        return found

    @property
    def root(self) -> Path:
        """The top folder of the checkout, or the bare repository itself."""
        return self.work_tree or self.git_dir

    @property
    def is_shallow(self) -> bool:
        """History is cut off somewhere, so that some commits lack their parents."""
        return (self.common_dir / "shallow").exists()

    @property
    def is_partial(self) -> bool:
        """It was cloned with ``--filter``: it holds commits without their files, and here nothing may fetch them."""
        return any(self.object_directory.glob("pack/*.promisor"))

    @property
    def origin_url(self) -> str | None:
        """Where ``origin`` is, as this repository's own configuration says; it may hold a password."""
        answer = self.git.ask("config", "--get", "remote.origin.url")
        return None if answer is None else _text(answer)

    def writing_to(self, object_directory: Path) -> Git:
        """Git that writes new objects into a folder and sees no others, so that it cannot touch those either."""
        return self.git.at(GIT_OBJECT_DIRECTORY=str(object_directory))

    def reading_also(self, object_directory: Path) -> Repository:
        """The same repository with further objects from a folder; new objects are written there."""
        quoted = str(self.object_directory).replace("\\", "\\\\").replace('"', '\\"')
        # Unquoted, a colon in the path would part it.
        git = self.writing_to(object_directory).at(GIT_ALTERNATE_OBJECT_DIRECTORIES=f'"{quoted}"')
        return replace(self, git=git)

    def resolve(self, ref: str) -> CommitSha:
        """The commit that a branch, tag, id or expression such as ``HEAD~1`` stands for.

        Raises:
            UsageError: It stands for none; the hint names those that are written alike.
        """
        if not ref or ref.startswith(("-", "^")) or not ref.isprintable():
            raise UsageError(f"{ref!r} cannot be the name of a commit", hint="name a branch, a tag or a commit id")
        answer = self._look_up(ref)
        if answer.code != 0:
            raise UsageError(f"{ref!r} names no commit here", context=str(self.root), hint=self._suggest(ref))
        return CommitSha(answer.output.decode().strip())

    def find(self, written: str) -> Branch:
        """What a name means that a person wrote: a branch here, one of a remote, else whatever git makes of it.

        Git itself would let a tag of the same name win, and then another commit than the branch's were reviewed.
        """
        name = written.removeprefix(_HEADS)
        if not _OBJECT_ID.fullmatch(written):
            for folder in (_HEADS, _REMOTES):
                if self._has_commit(folder + name):
                    return Branch(name, folder + name)
        return Branch(written, written)

    def checked_out(self) -> Branch:
        """The branch that is checked out; where HEAD is detached, its commit."""
        branch = self.current_branch()
        if branch is not None:
            return Branch(branch, _HEADS + branch)
        commit = self.resolve("HEAD")
        return Branch(commit, commit)

    def current_branch(self) -> str | None:
        """The branch that is checked out, also if it has no commit yet; ``None`` if HEAD is detached."""
        answer = self.git.ask("symbolic-ref", "--quiet", "HEAD")
        return None if answer is None else _text(answer).removeprefix(_HEADS)

    def default_branch(self) -> Branch | None:
        """``origin/HEAD``, else the user's ``init.defaultBranch``, ``main`` or ``master`` if there is one."""
        answer = self.git.ask("symbolic-ref", "--quiet", _ORIGIN + "HEAD")
        if answer is not None and self._has_commit(ref := _text(answer)):
            return Branch(ref.removeprefix(_ORIGIN), ref)
        configured = read_user_setting(self.environment, "init.defaultBranch")
        names = [name for name in (configured, "main", "master") if name]
        branches = (Branch(name, folder + name) for name in names for folder in (_HEADS, _ORIGIN))
        return next((branch for branch in branches if self._has_commit(branch.ref)), None)

    def upstream_of(self, branch: str) -> Branch | None:
        """The branch that a local one follows, ``None`` if it follows none or that one is gone."""
        answer = self.git.run("for-each-ref", "--format=%(upstream)%00%(upstream:remoteref)", _HEADS + branch)
        ref, _, remote_ref = _text(answer).partition("\0")
        return Branch(remote_ref.removeprefix(_HEADS), ref) if ref and self._has_commit(ref) else None

    def merge_bases(self, first: CommitSha, second: CommitSha) -> tuple[CommitSha, ...]:
        """The best common ancestors in git's order; empty if the histories never meet."""
        answer = self.git.ask("merge-base", "--all", first, second)
        return () if answer is None else tuple(CommitSha(line) for line in answer.decode().split())

    def summarize(self, base: CommitSha, head: CommitSha) -> RangeSummary:
        """Count the commits of ``base..head`` and name the newest."""
        count = int(self.git.run("rev-list", "--count", head, f"^{base}"))
        newest = self.git.run("rev-list", "-1", "--no-commit-header", "--format=%s%n%an", head)
        title, _, author = newest.decode("utf-8", "replace").rstrip("\n").partition("\n")
        return RangeSummary(count, title, author)

    def _has_commit(self, ref: str) -> bool:
        return self._look_up(ref).code == 0

    def _look_up(self, ref: str) -> Answer:
        return self.git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")

    def _suggest(self, ref: str) -> str:
        listed = self.git.run("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads", "refs/remotes", "refs/tags")
        names = listed.decode("utf-8", "replace").split("\n")
        near = difflib.get_close_matches(ref, names, n=_NAMES_SUGGESTED)
        if near:
            return f"did you mean {' or '.join(near)}?"
        return "see `git branch --all`; a commit that is not here yet has to be fetched first"

    def _refuse_without_commits(self) -> None:
        if not self._has_commit("HEAD") and not self.git.run("for-each-ref", "--count=1"):
            raise UsageError("the repository has no commits", context=str(self.root), hint="make a first commit")


def check_version(git: Git) -> str:
    """The version of git.

    Raises:
        UsageError: There is no git, or it is too old.
    """
    printed = git.run("version").decode("utf-8", "replace").strip()
    found = _VERSION.match(printed)
    if found is None or (int(found[2]), int(found[3])) < MINIMUM_VERSION:
        wanted = ".".join(map(str, MINIMUM_VERSION))
        raise UsageError(f"{printed or 'git'} is too old", hint=f"install git {wanted} or newer")
    return found[1].rstrip(".")


def _find(git: Git, path: Path) -> tuple[Path | None, Path, Path, Path, str]:
    if not path.is_absolute():
        raise ValueError(f"{path} is relative, and there is no current directory here")
    if not path.is_dir():
        raise UsageError(f"{path} is no folder", hint="name a folder inside a git repository")
    try:
        object_format = _ask_one(git, "--show-object-format")
        has_work_tree = _ask_one(git, "--is-inside-work-tree") == "true"
        if _ask_one(git, "--is-inside-git-dir") == "true" and _ask_one(git, "--is-bare-repository") == "false":
            raise UsageError(f"{path} is the inside of a git directory", hint="name a folder of the work tree")
        work_tree = Path(_ask_one(git, "--show-toplevel")) if has_work_tree else None
        places = (("--absolute-git-dir",), ("--git-common-dir",), ("--git-path", "objects"))
        git_dir, common_dir, objects = (Path(_ask_one(git, *place)) for place in places)
    except GitFailed as failed:
        if "not a git repository" not in failed.message:
            raise UsageError(f"git cannot open {path}: {failed.message}", hint="see `git status` there") from failed
        hint = "run it inside a git repository, or name the folder of one"
        raise UsageError(f"{path} is not in a git repository", hint=hint) from failed
    return work_tree, git_dir, common_dir, objects, object_format


def _ask_one(git: Git, *question: str) -> str:
    answer = git.run("rev-parse", "--path-format=absolute", *question)
    return answer.decode("utf-8", "surrogateescape").removesuffix("\n")


def _text(answer: bytes) -> str:
    return answer.decode("utf-8", "surrogateescape").strip()
