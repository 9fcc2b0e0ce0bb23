"""The history of one commit, by ``git rev-list`` and ``git blame``.

``rev-list`` is plumbing and, other than ``log``, reads no configuration. Blame has settings that no option undoes, so
it is shown an empty repository that borrows the objects. What is not found in time is not waited for.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from draftgate.domain.change import CommitSha
from draftgate.domain.history import BlamedLine, LoggedCommit
from draftgate.errors import Limit
from draftgate.git.repository import Repository
from draftgate.git.run import MEBIBYTE, Git, GitFailed

HISTORY_LIMIT = Limit("answer about history", 4 * MEBIBYTE, "bytes")

_LINE_KEPT = 4096
_PATH_LIMIT = 4096
_REGULAR_MODES = ("100644", "100755", "100664")
# https://git-scm.com/docs/repository-version
_CONFIGURATIONS = {
    "sha1": "[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n",
    "sha256": "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n",
}
_FORMAT = "--format=%H%x00%an%x00%aI%x00%s%x00%b%x00"
_FIELDS = 5


class GitHistory:
    """What led to a commit (`draftgate.domain.history.History`).

    Args:
        repository: Holds the commit and what it has of its history.
        head: The commit.
        time_limit_s: Seconds for one answer.
    """

    def __init__(self, repository: Repository, head: CommitSha, *, time_limit_s: float = 10.0) -> None:
        self._git: Git = replace(repository.git, timeout_s=time_limit_s)
        self._repository = repository
        self._head = head

    @property
    def is_cut(self) -> bool:
        """The clone is shallow."""
        return self._repository.is_shallow

    def log(self, path: str | None, limit: int) -> tuple[LoggedCommit, ...] | None:
        """The newest commits that head contains; ``None`` if the path has no regular file at head.

        Raises:
            GitTimedOut: It took too long.
        """
        if path is not None and not self._has_file(path):
            return None
        place = () if path is None else (path,)  # literal: see GIT_LITERAL_PATHSPECS in `draftgate.git.run`
        asked = ("rev-list", f"--max-count={limit}", "--no-commit-header", _FORMAT, self._head, "--", *place)
        output, _ = self._git.read_up_to(HISTORY_LIMIT, *asked)
        return tuple(_parse_log(output))

    def blame(self, path: str, first: int, last: int) -> tuple[BlamedLine, ...] | None:
        """Who wrote these lines; ``None`` if the path has no regular file at head.

        Raises:
            GitTimedOut: It took too long.
        """
        if not self._has_file(path):
            return None
        options = ("--porcelain", "--no-textconv", "--no-progress", "-L", f"{first},{last}")
        with _unconfigured(self._git, self._repository) as git:
            answer = git.attempt("blame", *options, self._head, "--", path, limit=HISTORY_LIMIT)
        if answer.code != 0 and "has only" in answer.words:
            return ()
        # A commit that cannot be read is told on stderr alone, and its lines would be another one's.
        if "error:" in answer.words or (answer.code != 0 and not answer.is_cut):
            raise GitFailed(answer.words, context="git blame", hint="see whether `git fsck` is clean")
        return tuple(_parse_blame(answer.output))

    def _has_file(self, path: str) -> bool:
        """Whether git itself lists exactly this path as a regular file; anything that git would tidy up is none."""
        if not _may_be_path(path):
            return False
        row = self._git.run("ls-tree", "-z", "--full-tree", self._head, "--", path)
        facts, _, found = row.decode("utf-8", "surrogateescape").partition("\t")
        return found == f"{path}\0" and facts.partition(" ")[0] in _REGULAR_MODES


@contextmanager
def _unconfigured(git: Git, repository: Repository) -> Iterator[Git]:
    """Git for the same objects and the same cuts in history, and for nothing else of the repository.

    A file that ``blame.ignoreRevsFile`` names is read whatever the options say, and is fatal where it is missing; a
    bare repository reads the mailmap of HEAD (https://git-scm.com/docs/git-config), so HEAD is none here.
    """
    with tempfile.TemporaryDirectory(prefix="draftgate-") as folder:
        place = Path(folder)
        (place / "refs").mkdir()
        (place / "HEAD").write_text("ref: refs/heads/none\n")
        (place / "config").write_text(_CONFIGURATIONS[repository.object_format])
        if repository.is_shallow:
            (place / "shallow").write_bytes((repository.common_dir / "shallow").read_bytes())
        objects = git.environment.get("GIT_OBJECT_DIRECTORY", str(repository.object_directory))
        yield git.at(f"--git-dir={place}", GIT_OBJECT_DIRECTORY=objects)


def _may_be_path(path: str) -> bool:
    try:
        written = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    is_plain = not {"", ".", ".."}.intersection(path.split("/"))
    return is_plain and b"\0" not in written and len(written) <= _PATH_LIMIT


def _parse_log(output: bytes) -> Iterator[LoggedCommit]:
    """Five fields a commit, each ended by NUL, and a line end between commits; what was cut off is dropped."""
    fields = output.decode("utf-8", "replace").split("\0")[:-1]
    for start in range(0, len(fields) - _FIELDS + 1, _FIELDS):
        sha, author, date, subject, body = fields[start : start + _FIELDS]
        yield LoggedCommit(CommitSha(sha.lstrip("\n")), author, date, subject, body.strip("\n"))


def _parse_blame(output: bytes) -> Iterator[BlamedLine]:
    """``ID LINE LINE``, headers where the commit is new, and the text after a tab.

    https://git-scm.com/docs/git-blame#_the_porcelain_format
    """
    people: dict[str, dict[str, str]] = {}
    sha, number = "", 0
    for row in output.split(b"\n")[:-1]:
        if row.startswith(b"\t"):
            said = people[sha]
            text = row[1 : _LINE_KEPT + 1].removesuffix(b"\r").decode("utf-8", "replace")
            yield BlamedLine(number, CommitSha(sha), said.get("author", ""), _date(said), text)
            sha = ""
        elif not sha:
            sha, _, line = row.decode().split(" ")[:3]
            number = int(line)
            people.setdefault(sha, {})
        else:
            key, _, value = row.decode("utf-8", "replace").partition(" ")
            people[sha][key] = value


def _date(said: dict[str, str]) -> str:
    """The author's date; "" for one that no calendar has, which a commit may hold."""
    zone = said.get("author-tz", "+0000")
    try:
        minutes = int(zone[1:3]) * 60 + int(zone[3:5])
        offset = timezone(timedelta(minutes=-minutes if zone.startswith("-") else minutes))
        return datetime.fromtimestamp(int(said.get("author-time", "")), UTC).astimezone(offset).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
