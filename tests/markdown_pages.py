"""The Markdown pages that the repository publishes, and what stands in them: fences, links, headings.

Read with a CommonMark parser, as GitHub, GitLab and the site do. What must be true of it is each test's affair.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[1]
_NOT_PAGES = ("src/", "tests/", "docs/pictures/")


@dataclass(frozen=True, slots=True)
class Fence:
    """A block of code.

    Attributes:
        before: The text of the paragraph or heading above it.
    """

    page: Path
    line: int
    language: str
    text: str
    before: str

    def __str__(self) -> str:
        return f"{_shown(self.page)}:{self.line}"


@dataclass(frozen=True, slots=True)
class Link:
    """A link or picture, with its address as it is written."""

    page: Path
    line: int
    address: str

    def __str__(self) -> str:
        return f"{_shown(self.page)}:{self.line}: {self.address}"


def pages() -> list[Path]:
    """Every Markdown page that is kept in git (or would be), prompts and test data apart."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout.splitlines()
    return [ROOT / path for path in sorted(set(listed)) if not path.startswith(_NOT_PAGES) and (ROOT / path).exists()]


def fences(page: Path) -> Iterator[Fence]:
    """Its blocks of code, in their order."""
    before = ""
    for token in _tokens(page):
        if token.type == "inline":
            before = token.content
        elif token.type == "fence" and token.map is not None:
            yield Fence(page, token.map[0] + 1, token.info.strip(), token.content, before)


def links(page: Path) -> Iterator[Link]:
    """What it points to, pictures in HTML included."""
    for token in _tokens(page):
        line = (token.map or [0])[0] + 1
        for child in token.children or ():
            address = child.attrGet("href") or child.attrGet("src")
            if address is not None:
                yield Link(page, line, str(address))
        if token.type == "html_block":
            found = re.findall(r'(?:src|srcset|href)="([^"]*)"', token.content)
            yield from (Link(page, line, address) for address in found)


def anchors(page: Path) -> set[str]:
    """The names of its headings, as GitHub makes them: lower case, blanks as dashes, no punctuation."""
    names: set[str] = set()
    tokens = _tokens(page)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(child.content for child in inline.children or ())
            name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            names.add(next(each for each in _numbered(name) if each not in names))
    return names


def _shown(page: Path) -> str:
    return str(page.relative_to(ROOT) if page.is_relative_to(ROOT) else page)


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in range(1, 1000))


def _tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
