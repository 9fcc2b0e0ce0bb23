"""The text of an HTML page as a person would read it, without scripts, styles and markup.

It is not `html.parser`: in some of the supported Pythons that takes hours for a page of ``<a <a <a``
(https://github.com/python/cpython/issues/135462), and while a regular expression works no other thread does.
Here every character is looked at a bounded number of times.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

_UNSEEN: Final = {
    name: re.compile(f"</{name}(?=[\\s/>])", re.IGNORECASE)
    for name in ("script", "style", "template", "noscript", "svg")
}
_BREAKING: Final = frozenset(
    "address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 "
    "header hr li main nav ol option p pre section table td th title tr ul".split()
)
_TAG: Final = re.compile(r"</?([A-Za-z][^\s/>]{0,40})")
_MARK: Final = re.compile(r""">|=\s*["']""")


def html_to_text(page: str) -> str:
    """The text, a line for each block, with the layout of ``pre`` kept; what is not closed runs to the end."""
    pieces: list[str] = []
    preformatted = 0
    for tag, text in _parts(page):
        if tag == "pre":
            preformatted += 1
        elif tag == "/pre":
            preformatted = max(0, preformatted - 1)
        if tag.removeprefix("/") in _BREAKING:
            pieces.append("\n")
        pieces.append(_unescape(text) if preformatted else _unescape(_squeeze(text)))
    lines = (line.rstrip() for line in "".join(pieces).split("\n"))
    return "\n".join(line for line in lines if line)


def _parts(page: str) -> Iterator[tuple[str, str]]:
    """Each tag by its name, an end with a slash before it, with the text that follows; first the text before any."""
    tag, position = "", 0
    while position < len(page):
        start = page.find("<", position)
        end = len(page) if start < 0 else start
        yield tag, page[position:end]
        tag, position = "", len(page)
        if start >= 0:
            found = _TAG.match(page, start)
            if found is not None:
                slash = "/" if page[start + 1] == "/" else ""
                tag, position = slash + found[1].lower(), _end_of_tag(page, found.end())
                position = _end_of_unseen(page, tag, position)
            elif page.startswith(("<!", "<?"), start):
                position = _end_of_comment(page, start)
            else:
                yield "", "<"
                position = start + 1
    yield tag, ""


def _end_of_tag(page: str, position: int) -> int:
    """After the ``>`` that is in no quoted attribute."""
    while mark := _MARK.search(page, position):
        if mark[0] == ">":
            return mark.end()
        position = page.find(mark[0][-1], mark.end()) + 1
        if not position:
            break
    return len(page)


def _end_of_unseen(page: str, tag: str, position: int) -> int:
    if tag not in _UNSEEN:
        return position
    closing = _UNSEEN[tag].search(page, position)
    return len(page) if closing is None else closing.start()


def _end_of_comment(page: str, start: int) -> int:
    closing = "-->" if page.startswith("<!--", start) else ">"
    end = page.find(closing, start + 2)
    return len(page) if end < 0 else end + len(closing)


def _squeeze(text: str) -> str:
    words = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    after = " " if words and text[-1:].isspace() else ""
    return f"{before}{words}{after}"


def _unescape(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a character number of thousands of digits
        return text
