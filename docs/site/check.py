"""Whether a built site stands on its own: ``python docs/site/check.py FOLDER``.

Every link to a page of the site leads to a page and a heading that are there, and nothing that a browser loads by
itself (scripts, styles, fonts, pictures) is on another host: who reads the pages offline sees all of them, and nobody
else hears of it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {"src", "srcset", "poster", "data"}
_LOADING_RELATIONS = {"stylesheet", "icon", "preload", "preconnect", "dns-prefetch", "modulepreload", "manifest"}
_IN_STYLES = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


@dataclass
class Page(HTMLParser):
    """What a page names and points to."""

    names: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One element."""
        given = {name: value or "" for name, value in attrs}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        relations = set(given.get("rel", "").split())
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and relations & _LOADING_RELATIONS:
            self.loads.append(given.get("href", ""))
        for name in _LOADED & set(given):
            self.loads += [part.split()[0] for part in given[name].split(", ") if part.split()]
        self.loads += _in_style(given.get("style", ""))


def problems(site: Path) -> Iterator[str]:
    """What is wrong with a built site, a line for each."""
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    if not pages:
        yield f"{site}: there is no page"
    for path, page in pages.items():
        here = path.relative_to(site)
        yield from (f"{here}: loads {address} from another host" for address in page.loads if _is_outside(address))
        inside = (address for address in page.links + page.loads if not urlsplit(address).scheme)
        yield from (f"{here}: {address} leads nowhere" for address in inside if not _is_there(address, path, pages))
    for sheet in sorted(site.rglob("*.css")):
        for address in _in_style(sheet.read_text(encoding="utf-8")):
            if _is_outside(address):
                yield f"{sheet.relative_to(site)}: loads {address} from another host"


def _read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _in_style(style: str) -> list[str]:
    return ["".join(found.groups("")) for found in _IN_STYLES.finditer(style)]


def _is_outside(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme in {"http", "https"}


def _is_there(address: str, path: Path, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(address)
    if parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target not in {page.resolve() for page in pages}:
        return target.is_file()
    name = unquote(parts.fragment)
    return not name or name in _names(target, pages)


def _names(target: Path, pages: dict[Path, Page]) -> set[str]:
    return next(page.names for path, page in pages.items() if path.resolve() == target.resolve())


def main() -> int:
    """Name every problem; 1 if there is one."""
    found = list(problems(Path(sys.argv[1]).resolve()))
    for problem in found:
        sys.stderr.write(f"{problem}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
