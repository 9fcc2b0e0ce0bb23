"""Who owns which files, by a CODEOWNERS file; whether an owner may do anything is asked elsewhere.

The syntax is gitignore's with the exceptions of https://docs.github.com/articles/about-code-owners: the last line
that matches decides, alone; ``!``, bare ``[ ]`` and an escaped ``#`` make a line invalid, which is then skipped.
What follows a ``#`` is a comment, so nobody becomes an owner by being mentioned there. Owners named by an e-mail
address own nothing here: it does not say which account it is.

GitLab reads the same syntax with sections: each has its own last match, and may name owners for lines that name none
(https://docs.gitlab.com/user/project/codeowners/reference/).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SIZE_LIMIT = 3_000_000
"""Characters; GitHub does not load a file of 3 MB or more, so nobody owns anything by it."""

_TOKEN = re.compile(r"(?:\\.|[^ \t\\])+|\\")
_ACCOUNT = re.compile(r"@[A-Za-z0-9][A-Za-z0-9-]*(?:_[A-Za-z0-9]+)?(?:\[bot\])?")
_TEAM = re.compile(r"@[A-Za-z0-9][A-Za-z0-9-]*/[\w.-]+", re.ASCII)
_SECTIONED_OWNER = re.compile(r"@{1,2}[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)*", re.ASCII)
_SECTION = re.compile(r"\^?\[[^\]]+\](?:\[\d+\])?(?P<owners>(?:[ \t].*)?)")
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")
_INVALID_PATTERN = re.compile(r"!|\\#|(?:[^\\]|\\.)*?[\[\]]")
_PIECE = re.compile(r"\\(?P<escaped>.)|(?P<stars>\*+)|(?P<one>\?)|(?P<plain>.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CodeOwners:
    """The rules of a CODEOWNERS file, in their order, section by section; a file without sections is one."""

    sections: tuple[tuple[_Rule, ...], ...]

    @classmethod
    def parse(cls, text: str, *, has_sections: bool = False) -> CodeOwners:
        """Read a file; what the forge would skip is skipped."""
        if len(text) >= SIZE_LIMIT:
            return cls(())
        return cls(tuple(_sections(text)) if has_sections else (tuple(_rules(text)),))

    def of(self, path: str) -> tuple[str, ...]:
        """The accounts and teams (``organization/team``) that own a path, lower case, as each last match says."""
        matches = (
            next((rule.owners for rule in reversed(rules) if rule.pattern.fullmatch(path)), ())
            for rules in self.sections
        )
        return tuple(dict.fromkeys(owner for owners in matches for owner in owners))

    def of_any(self, paths: Iterable[str]) -> frozenset[str]:
        """Whoever owns at least one of the paths."""
        return frozenset(owner for path in paths for owner in self.of(path))


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    owners: tuple[str, ...]


def _rules(text: str) -> Iterator[_Rule]:
    for line in text.replace("\r\n", "\n").split("\n"):
        pattern, *owners = _tokens(line) or ("",)
        if pattern and not _INVALID_PATTERN.match(pattern) and all(map(_is_owner, owners)):
            known = tuple(owner[1:].lower() for owner in owners if owner.startswith("@"))
            yield _Rule(_compile(pattern), known)


def _sections(text: str) -> Iterator[tuple[_Rule, ...]]:
    """The rules of each section; sections of one name are one, whatever its case."""
    sections: dict[str, list[_Rule]] = {}
    rules = sections.setdefault("", [])
    default: tuple[str, ...] = ()
    for line in text.replace("\r\n", "\n").split("\n"):
        header = _SECTION.fullmatch(line.strip())
        if header is not None:
            name = line.strip().removeprefix("^").partition("]")[0].lower()
            rules = sections.setdefault(name, [])
            default = tuple(_tokens(header["owners"]))
            continue
        pattern, *owners = _tokens(line) or ("",)
        if pattern and not pattern.startswith("!"):
            named = (owner for owner in owners or default if _SECTIONED_OWNER.fullmatch(owner))
            known = tuple(owner.lstrip("@").lower() for owner in named if not owner.startswith("@@"))
            rules.append(_Rule(_compile(pattern.replace("\\#", "#")), known))
    return (tuple(rules) for rules in sections.values())


def _tokens(line: str) -> list[str]:
    """The words of a line up to its comment; a blank after a backslash parts nothing."""
    words: list[str] = _TOKEN.findall(line)
    comment = next((index for index, word in enumerate(words) if word.startswith("#")), len(words))
    return words[:comment]


def _is_owner(word: str) -> bool:
    return any(form.fullmatch(word) for form in (_ACCOUNT, _TEAM, _EMAIL))


def _compile(pattern: str) -> re.Pattern[str]:
    """The paths that a pattern covers: a file itself, and whatever lies below a folder that it names."""
    is_anchored = "/" in pattern[:-1]
    segments = pattern.strip("/").split("/")
    last = segments.pop()
    start = "" if is_anchored else "(?:.*/)?"
    folders = "".join("(?:.*/)?" if segment == "**" else f"{_segment(segment)}/" for segment in segments)
    return re.compile(start + folders + _end(last, is_folder=pattern.endswith("/"), is_anchored=is_anchored), re.DOTALL)


def _end(last: str, *, is_folder: bool, is_anchored: bool) -> str:
    if last == "**":
        return ".+"
    if is_folder:
        return f"{_segment(last)}/.+"
    if last == "*" and is_anchored:  # the one form in which a match on a folder does not reach below it
        return "[^/]+"
    return f"{_segment(last)}(?:/.*)?"


def _segment(segment: str) -> str:
    """One segment of a path; more than one star in it is one star."""

    def translate(piece: re.Match[str]) -> str:
        if piece["stars"]:
            return "[^/]*"
        return "[^/]" if piece["one"] else re.escape(piece["escaped"] or piece["plain"])

    return _PIECE.sub(translate, segment)
