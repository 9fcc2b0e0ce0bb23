"""Real git repositories for tests, built from plain mappings.

Every commit has the same identity and a date that only depends on how many commits the builder made
before, and no configuration of the machine is read, so object ids are the same everywhere. It builds;
what is asserted about the result is each test's affair.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

IDENTITY_NAME = "draftgate-test"
IDENTITY_EMAIL = "test@example.invalid"
FIRST_DATE = 1_700_000_000


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link with this target."""

    target: str


@dataclass(frozen=True, slots=True)
class Executable:
    """A file with mode 755."""

    content: str | bytes


Content = str | bytes | Link | Executable | None
"""What a path holds; ``None`` deletes it."""


def git_environment() -> dict[str, str]:
    """An environment for git that holds nothing of this machine but ``PATH``."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.devnull,
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


@dataclass
class Repo:
    """A git repository in a folder, with a work tree."""

    path: Path
    commits: int = field(default=0)

    @classmethod
    def create(cls, path: Path, *, branch: str = "main", object_format: str = "sha1") -> Repo:
        """An empty repository whose unborn branch is `branch`."""
        path.mkdir(parents=True, exist_ok=True)
        repo = cls(path)
        repo.git("init", "--quiet", f"--initial-branch={branch}", f"--object-format={object_format}")
        return repo

    @property
    def head(self) -> str:
        """The full id of the commit that is checked out."""
        return self.sha("HEAD")

    def git(self, *arguments: str, stdin: bytes = b"", **environment: str) -> bytes:
        """Run git in the repository and return its output; a failure raises with git's words."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env={**git_environment(), **self._identity(), **environment},
            input=stdin,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def sha(self, name: str) -> str:
        """The full object id that `name` stands for."""
        return self.git("rev-parse", "--verify", "--quiet", "--end-of-options", name).decode().split()[-1]

    def write(self, files: Mapping[str, Content]) -> None:
        """Change files of the work tree without a commit."""
        for name, content in files.items():
            _write(self.path / name, content)

    def commit(self, files: Mapping[str, Content] | None = None, message: str = "change") -> str:
        """Write `files`, commit everything that is in the work tree, and return the commit's id."""
        self.write(files or {})
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)
        self.commits += 1
        return self.head

    def branch(self, name: str, at: str = "HEAD") -> None:
        """Create a branch and check it out."""
        self.git("switch", "--quiet", "--create", name, at)

    def switch(self, name: str) -> None:
        """Check out an existing branch, or a commit as a detached head."""
        self.git("checkout", "--quiet", name)

    def merge(self, *names: str, message: str = "merge") -> str:
        """Merge branches without conflicts into the current one, always with a merge commit."""
        self.git("merge", "--quiet", "--no-ff", "--no-verify", "-m", message, *names)
        self.commits += 1
        return self.head

    def clone(self, path: Path, *options: str) -> Repo:
        """Clone into `path` (``--bare``, ``--depth=1`` and the like as options)."""
        self.git("clone", "--quiet", *options, f"file://{self.path}", str(path))
        return Repo(path, self.commits)

    def _identity(self) -> dict[str, str]:
        date = f"{FIRST_DATE + 60 * self.commits} +0000"
        return {
            "GIT_AUTHOR_NAME": IDENTITY_NAME,
            "GIT_AUTHOR_EMAIL": IDENTITY_EMAIL,
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_NAME": IDENTITY_NAME,
            "GIT_COMMITTER_EMAIL": IDENTITY_EMAIL,
            "GIT_COMMITTER_DATE": date,
        }


def _write(path: Path, content: Content) -> None:
    if path.is_symlink() or path.exists():
        path.unlink()
    if content is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    match content:
        case Link(target):
            path.symlink_to(target)
        case Executable(inner):
            path.write_bytes(_bytes(inner))
            path.chmod(0o755)
        case str() | bytes():
            path.write_bytes(_bytes(content))


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
