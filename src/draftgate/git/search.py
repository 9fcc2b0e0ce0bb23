"""Whole-word search through a commit, by as few runs of ``git grep`` as the words need.

The commit is searched even where it is checked out: to prove that the checkout equals it costs a good part
of what its faster search saves, and filters and line endings would still show other text than the commit's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from draftgate.domain.change import CommitSha
from draftgate.domain.match import Match
from draftgate.domain.paths import matches_any
from draftgate.errors import Limit
from draftgate.git.run import MEBIBYTE, Git, GitFailed

MATCH_LIMIT = Limit("lines found by one search", 50_000, "lines")
SEARCH_LIMIT = Limit("output of one search", 64 * MEBIBYTE, "bytes")

_LINE_KEPT = 4096
# A compiled expression may take 64 KiB (https://www.pcre.org/current/doc/html/pcre2limits.html).
_WORDS_AT_ONCE = 500
_NO_MATCH, _FAILED = 1, 128
_OPTIONS = (
    "grep",
    "-n",
    "-I",
    "-z",
    "--full-name",
    "--no-color",
    "--no-column",
    "--no-textconv",
    "--no-recurse-submodules",
)
_ROW = re.compile(rb"([^\0]+)\0(\d+)[\0:]([^\n]*)\n")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The lines found, in path and line order, and whether there were more than the limit."""

    matches: tuple[Match, ...]
    is_cut: bool


def search_commit(
    git: Git, commit: CommitSha, words: Collection[str], *, globs: Collection[str] = (), without: Collection[str] = ()
) -> SearchResult:
    """Find the lines of text files that hold any of the words between identifier boundaries.

    Args:
        git: Of the repository.
        commit: What is searched.
        words: Fixed strings; one that is empty or holds a line end is on no line.
        globs: Path globs in the sense of `draftgate.domain.paths`; empty means every file.
        without: Paths that are not opened.
    """
    wanted = sorted({word for word in words if word and not set(word) & {"\n", "\0"}})
    pathspecs = (*map(_pathspec, globs), *(f":(top,literal,exclude){path}" for path in without))
    search = git.at(GIT_LITERAL_PATHSPECS="0")
    found: set[tuple[str, int, str]] = set()
    is_cut = False
    for start in range(0, len(wanted), _WORDS_AT_ONCE):
        output, cut_here = _grep(search, wanted[start : start + _WORDS_AT_ONCE], commit, pathspecs)
        rows = _parse(output, commit)
        found.update((path, line, text) for path, line, text in rows if not globs or matches_any(path, globs))
        is_cut |= cut_here
    ordered = sorted(found, key=lambda row: (row[0].encode("utf-8", "surrogateescape"), row[1]))
    kept = tuple(Match(*row) for row in ordered[: MATCH_LIMIT.value])
    return SearchResult(kept, is_cut or len(ordered) > len(kept))


def _grep(git: Git, words: Sequence[str], commit: CommitSha, pathspecs: Sequence[str]) -> tuple[bytes, bool]:
    place = (commit, "--", *pathspecs)
    answer = git.attempt(*_OPTIONS, "-P", "-e", _as_expression(words), *place, limit=SEARCH_LIMIT)
    if answer.code == _FAILED and "Perl-compatible" in answer.words:
        # Git was built without PCRE. `-w` beside an alternation would miss a word that begins with another one.
        each = (part for word in words for part in ("-e", word))
        answer = git.attempt(*_OPTIONS, "-w", "-F", *each, *place, limit=SEARCH_LIMIT)
    # A file that cannot be read is told on stderr alone, and would pass for one without a match.
    if "error:" in answer.words or (answer.code not in (0, _NO_MATCH) and not answer.is_cut):
        raise GitFailed(answer.words, context="git grep", hint="see whether `git fsck` is clean")
    return answer.output, answer.is_cut


def _as_expression(words: Sequence[str]) -> str:
    alternatives = "|".join(re.escape(word) for word in words)
    return f"(?<![A-Za-z0-9_])(?:{alternatives})(?![A-Za-z0-9_])"


def _pathspec(glob: str) -> str:
    """A pathspec that lets through at least what the glob does; `matches_any` has the last word."""
    # https://git-scm.com/docs/gitglossary#Documentation/gitglossary.txt-glob
    pattern = glob.removeprefix("./").removeprefix("/")
    if "/" not in glob.rstrip("/"):
        pattern = f"**/{pattern}"
    return f":(top,glob){pattern}{'**' if pattern.endswith('/') else ''}"


def _parse(output: bytes, commit: CommitSha) -> Iterator[tuple[str, int, str]]:
    """Each row is ``COMMIT:PATH NUL LINE NUL TEXT``; a last row without its end was cut and is dropped."""
    start = len(commit) + 1
    for path, line, text in _ROW.findall(output):
        yield (
            path[start:].decode("utf-8", "surrogateescape"),
            int(line),
            text[:_LINE_KEPT].removesuffix(b"\r").decode("utf-8", "replace"),
        )
