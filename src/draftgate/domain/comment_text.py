"""Which lines of a Markdown comment a command may stand on: not those that are quoted, code, or hidden.

The block structure is CommonMark's (https://spec.commonmark.org/0.31.2/), read one line at a time and only as far
as the question needs. Where an exact answer would need a full parser, a line counts as covered: a command that
is ignored can be written again. What a ``<details>`` folds is visible text and not covered.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_LIST_ITEMS = re.compile(r"(?:[ ]{0,3}(?:[-+*]|[0-9]{1,9}[.)])[ ]{1,4})*")
_ITEMS_AND_QUOTES = re.compile(r"(?:[ ]{0,3}(?:>|(?:[-+*]|[0-9]{1,9}[.)])[ ]{1,4}))*[ ]*")
_LATER_ITEM = re.compile(r"[ ]{0,3}(?!1[.)])[0-9]")
"""An ordered item that does not begin at 1: the next one of a list, or the middle of a paragraph."""

_FENCE = re.compile(r"[ ]{0,3}(?P<fence>`{3,}(?=[^`]*$)|~{3,})")

_HIDDEN_BLOCK = re.compile(r"<!--|<\?|<!\[CDATA\[|<![A-Z]", re.IGNORECASE)
_ENDS = {"<!--": "-->", "<?": "?>", "<![cdata[": "]]>", "<": ">"}
"""HTML blocks 2 to 5 of CommonMark, none of which is shown, and tags. A declaration ends with its ``>``."""

_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main"
    "|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead"
    "|title|tr|track|ul"
)
_ENDS_PARAGRAPH = re.compile(
    r"[ ]{0,3}(?:(?:[-+*]|1[.)])[ ]+\S|#{1,6}(?:[ ]|$)"
    rf"|(?:</?(?:{_BLOCK_TAGS})|<(?:pre|script|style|textarea))(?=[\s/>]|$))",
    re.IGNORECASE,
)
"""What may interrupt a paragraph besides quotes, fences and hidden blocks."""

_INLINE = re.compile(
    r"\\[\\`<]|`+|<!--|<(?P<tag>pre|code|blockquote|script|style|textarea)(?=[\s/>]|$)|<(?=[a-z/?!])", re.IGNORECASE
)
_BACKTICKS = re.compile("`+")
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
"""Tags are ASCII, and `str.lower` moves places: U+0130 becomes two characters."""


def split_lines(text: str) -> list[str]:
    """The lines of a comment, ended as Markdown ends them: U+2028 and form feeds do not."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def covered_lines(lines: Sequence[str]) -> dict[int, int]:
    """The lines on which no command may stand, each with the line where what covers it begins (0-based)."""
    reader = _Reader()
    for number, line in enumerate(lines):
        reader.read(number, line)
    reader.end_paragraph()
    _cover_quotes(lines, reader.covered)
    return reader.covered


def _cover_quotes(lines: Sequence[str], covered: dict[int, int]) -> None:
    """What stands between two lines ``>>>`` is quoted on GitLab, whatever Markdown makes of it.

    https://docs.gitlab.com/user/markdown/#multiline-blockquote
    """
    opener: int | None = None
    for number, line in enumerate(lines):
        if line.rstrip() != ">>>":
            continue
        if opener is None:
            opener = number
            continue
        for inside in range(opener, number + 1):
            covered.setdefault(inside, opener)
        opener = None


@dataclass(frozen=True, slots=True)
class _Block:
    """Open code or HTML.

    Attributes:
        opener: The line where it began.
        end: What ends it.
        least_indentation: A fence in a list item ends with the item, at the first text left of this column.
        most_indentation: A mark further right does not end a fence.
    """

    opener: int
    end: str
    least_indentation: int = 0
    most_indentation: int = 3

    def find_end(self, line: str) -> int | None:
        """Where the block ends in a line: a fence with a line of nothing but its characters, HTML with its end."""
        if self.end[0] not in "`~":
            place = line.translate(_ASCII_LOWER).find(self.end)
            return None if place < 0 else place + len(self.end)
        mark = line.strip(" \t")
        closes = mark.startswith(self.end) and not mark.strip(self.end[0])
        return len(line) if closes and _indentation(line) <= self.most_indentation else None


@dataclass(slots=True)
class _Reader:
    """Reads lines in order and collects the covered ones."""

    covered: dict[int, int] = field(default_factory=dict)
    _block: _Block | None = None
    _paragraph: list[tuple[int, str]] = field(default_factory=list)
    _is_html: bool = False
    _quoting: bool = False

    def read(self, number: int, line: str) -> None:
        """Take the next line."""
        blank = not line.strip(" \t")
        indentation = 0 if blank else _indentation(line)
        if self._block and not blank and indentation < self._block.least_indentation:
            self._block = None  # the list item that held the fence is over
        if self._block:
            self._read_inside(number, line, self._block)
        elif blank:
            self.end_paragraph()
        elif indentation >= 4:
            self.covered[number] = number  # code, or the rest of a paragraph: never a command
            self._add(number, line)
            self._block = _open_deep_fence(number, line, indentation)
        else:
            self._read_text(number, line)

    def end_paragraph(self) -> None:
        """Cover the lines of the paragraph that begin inside code, a quotation or a comment; these may go on."""
        paragraph, self._paragraph, self._quoting = self._paragraph, [], False
        if any("`" in line or "<" in line for _, line in paragraph):
            self._cover_spans(paragraph)
        self._is_html = False

    def _add(self, number: int, line: str) -> None:
        if not self._paragraph:
            self._is_html = line.startswith("<", _end_of(_ITEMS_AND_QUOTES, line))
        self._paragraph.append((number, line))

    def _read_inside(self, number: int, line: str, block: _Block) -> None:
        self.covered[number] = block.opener
        if self._is_html:
            self._paragraph.append((number, line))  # to HTML a fence is text
        end = block.find_end(line)
        if end is not None:
            self._block = None
            if "<" in line[end:]:
                self._paragraph, self._is_html = [(number, line[end:])], True

    def _read_text(self, number: int, line: str) -> None:
        opened = _open_fence(number, line) or (None if self._is_html else _open_hidden(number, line))
        quoted = line.lstrip(" ").startswith(">")
        ends = (opened and not _LATER_ITEM.match(line)) or (quoted and not self._quoting) or _ENDS_PARAGRAPH.match(line)
        if ends and not self._is_html:
            self.end_paragraph()
        if self._block:  # the paragraph left something open
            self._read_inside(number, line, self._block)
            return
        if opened or quoted:
            self.covered[number] = number
        if not opened or self._paragraph:
            self._add(number, line)
        self._block, self._quoting = opened, quoted

    def _cover_spans(self, paragraph: list[tuple[int, str]]) -> None:
        starts = [0]
        for _, line in paragraph:
            starts.append(starts[-1] + len(line) + 1)
        text = "\n".join(line for _, line in paragraph)
        for span in _spans(text, is_html=self._is_html):
            opener = bisect_right(starts, span.start) - 1
            for index in range(opener + 1, bisect_right(starts, span.stop - 1)):
                self.covered.setdefault(paragraph[index][0], paragraph[opener][0])
            if span.goes_on_until:
                self._block = _Block(paragraph[opener][0], span.goes_on_until)


@dataclass(frozen=True, slots=True)
class _Span:
    """A covered part of a paragraph, and what ends it later if it does not end in its paragraph."""

    start: int
    stop: int
    goes_on_until: str | None = None


def _spans(text: str, *, is_html: bool) -> Iterator[_Span]:
    """The code spans, comments, tags and covered elements of a paragraph.

    A code span, comment or tag that does not end in its paragraph is ordinary text, unless the paragraph is HTML:
    there comments and tags go on, and backticks protect nothing.
    """
    closings = _Closings(text)
    position = 0
    while found := _INLINE.search(text, position):
        mark = found[0].lower()
        position = found.end()
        if mark.startswith("\\"):
            position = found.start() + 1 if is_html else position
            continue
        end_mark = f"</{found['tag'].lower()}>" if found["tag"] else _ENDS.get(mark, mark)
        # `<!-->` is a whole comment: its end may overlap its beginning by the two dashes.
        end = closings.find(end_mark, found.start() + 2 if mark == "<!--" else position)
        if end is not None:
            yield _Span(found.start(), end)
            position = position if is_html and mark.startswith("`") else end
        elif found["tag"] or (is_html and mark.startswith("<")):
            yield _Span(found.start(), len(text), end_mark)
            return


class _Closings:
    """Finds where spans end, in one pass over the text however many spans begin."""

    def __init__(self, text: str) -> None:
        self._text = text.translate(_ASCII_LOWER)
        self._last: dict[str, int] = {}
        self._runs: dict[str, list[int]] = defaultdict(list)
        for run in _BACKTICKS.finditer(text):
            self._runs[run[0]].append(run.start())

    def find(self, mark: str, position: int) -> int | None:
        """The place after the next end mark; backticks count only in a run of the same length."""
        if mark.startswith("`"):
            runs = self._runs[mark]
            following = bisect_right(runs, position - 1)
            return runs[following] + len(mark) if following < len(runs) else None
        if mark not in self._last:
            self._last[mark] = self._text.rfind(mark)
        return self._text.find(mark, position) + len(mark) if position <= self._last[mark] else None


def _indentation(line: str) -> int:
    """The columns of blanks before the text, a tab reaching to the next multiple of four."""
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4))


def _end_of(pattern: re.Pattern[str], line: str) -> int:
    found = pattern.match(line)
    return found.end() if found else 0


def _open_fence(number: int, line: str) -> _Block | None:
    """The fence that a line opens, in a list item or in none; it ends with the item that holds it."""
    column = _end_of(_LIST_ITEMS, line)
    fence = _FENCE.match(line, column)
    return _Block(number, fence["fence"], column, column + 3) if fence else None


def _open_deep_fence(number: int, line: str, indentation: int) -> _Block | None:
    """The fence that an indented line opens if it stands in a list item, whose text begins at column 2 or later."""
    fence = _FENCE.match(line.lstrip(" \t"))
    return _Block(number, fence["fence"], 2, indentation) if fence else None


def _open_hidden(number: int, line: str) -> _Block | None:
    """The hidden HTML that a line opens and does not close.

    It does not end with its list item or quotation: what follows is still inside it when the page is drawn.
    """
    html = _HIDDEN_BLOCK.match(line, _end_of(_ITEMS_AND_QUOTES, line))
    if html is None:
        return None
    block = _Block(number, _ENDS.get(html[0].lower(), ">"))
    return block if block.find_end(line[html.start() + 2 :]) is None else None
