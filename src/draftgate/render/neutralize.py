"""Text of others as Markdown that cannot act: it reads as it was written, and does nothing once posted.

Untrusted text (the change, a model, a check's quotes) may keep emphasis, lists, quotes and code. Whatever
links, mentions, refers, embeds, commands or breaks the page becomes code or a plain character. Both forges
look for mentions and references in the *rendered* text, so a backslash or an entity does not disarm them;
a code span does. Text that a permitted human typed does not come through here.

A paragraph is read line by line: a code span that runs over a line end is shown with its backticks.
"""

from __future__ import annotations

import html as html_entities
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator

from draftgate.render.visible import normalize_newlines, one_line, visible

LANGUAGES = {
    "c": "c", "cc": "cpp", "cpp": "cpp", "cs": "csharp", "css": "css", "diff": "diff", "ex": "elixir",
    "exs": "elixir", "go": "go", "graphql": "graphql", "h": "c", "html": "html", "java": "java",
    "js": "javascript", "json": "json", "jsx": "jsx", "kt": "kotlin", "md": "markdown", "php": "php",
    "proto": "protobuf", "py": "python", "rake": "ruby", "rb": "ruby", "rs": "rust", "sh": "shell",
    "sql": "sql", "text": "text", "toml": "toml", "ts": "typescript", "tsx": "tsx", "vue": "vue",
    "xml": "xml", "yaml": "yaml", "yml": "yaml",
}  # fmt: skip
"""File extension to the info string of a fence. Other info strings are dropped, since some of them act:
``suggestion`` can be applied with a click, ``mermaid``, ``geojson``, ``plantuml`` and more draw."""

_INFO_STRINGS = frozenset(LANGUAGES) | frozenset(LANGUAGES.values())

_ASCII_PUNCTUATION = r"[!-/:-@\[-`{-~]"
_ESCAPE_OR_TICKS = re.compile(rf"\\{_ASCII_PUNCTUATION}|`+")
_NEEDLESS_ESCAPE = re.compile(r"\\([!-)+-/:-=?@^{}~])|(\\.)")
"""Escapes that only hide a character from us: all but those of ``* _ ` \\ [ ] | >`` (and ``<`` is an entity)."""

_TOKEN = re.compile(
    r"""
      (?P<pair>\\[*_`\\\[\]|>])
    | (?P<entity>&(?:lt|gt|amp(?!;\d));)
    | (?P<code>
          &(?:\#[0-9]+|\#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);         # decoded before references are looked for
        | [\w./+-]*+://[^\s<>`]*+                                        # any scheme
        | \[\[[^\]\n]*+\]\] | \[(?i:toc)\]                               # a wiki's link, a table of contents
        | \[[a-z_]{1,30}:[^\]\n]{1,200}\]                                # [vulnerability:1], [work_item:a/b/1]
        | [\w./+-]*+(?:(?:[@$~%](?:"[^"\n]*+"|\w)|[\#!&^]\d)[\w./+-]*+)++    # @a a/b#1 !1 &1 ^1 $1 %"x" ~x
        | [@$~]
      )
    | (?P<word>[\w./+-]++:?)
    | (?P<special>[\[\]|<\\`])
    | (?P<rest>[^\w./+\[\]|<\\`&@\#!%$~^-]++|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_REFERENCE_WORD = re.compile(
    r"""
      .*(?i:www\.)
    | .*(?<![A-Za-z0-9])(?:[A-Z][A-Z0-9]+|[Gg][Hh])-\d      # GH-1, a ticket
    | (?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}\.?$                 # a commit
    | (?i:iteration):$                                      # *iteration:1
    """,
    re.VERBOSE,
)
_EVIDENCE_WORD = re.compile(
    r".*(?:caught-by|review-executor|gate-ledger|rework-origin|draftgate-(?:status|evidence)):$", re.IGNORECASE
)
_SPECIAL = {"[": r"\[", "]": r"\]", "|": r"\|", "<": "&lt;", "\\": r"\\", "`": r"\`"}

_FENCE = re.compile(r"([ \t]*)(`{3,}(?=[^`]*$)|~{3,})[ \t]*([\w#+.-]*)")
_CONTAINERS = re.compile(r"[ \t]*+(?:(?:(?:[-*+]|\d{1,9}[.)])[ \t]++|>[ \t]*+))*+")
_LONGEST_CONTAINERS = 40
_RULE_LIKE = re.compile(r"\s*(?:[-=*_:|+]\s*(?:\\?[-=*_:|+]\s*)*|>{3,}\s*)$")
_BLOCK_START = re.compile(r"(?:#{1,6}|[-*+]|\d{1,9}[.)])(?:\s|$)|>")


def markdown(text: str) -> str:
    """``text`` as Markdown paragraphs, lists, quotes and code that hold nothing active; fences are closed."""
    lines = iter(normalize_newlines(text).strip("\n").split("\n"))
    return "\n".join(_blocks(lines))


def inline(text: str, limit: int = 300) -> str:
    """``text`` as one line of inline Markdown that begins no block, at most ``limit`` characters of it."""
    return _without_block_start(_without_needless_escapes(one_line(text, limit)))


def cell(text: str, limit: int = 300) -> str:
    """``text`` for a table cell: as `inline`, and no bar ends the cell, not even one in code."""
    pieces = _pieces(one_line(text, limit))
    return _join(_code_in_cell(raw) if is_code else raw for is_code, raw in pieces)


def html(text: str, limit: int = 300) -> str:
    """``text`` as one line of inert HTML, for the places where Markdown is not read (``<summary>``)."""
    line = one_line(text, limit)
    return "".join(
        f"<code>{html_entities.escape(raw)}</code>" if is_code else _html_of(raw) for is_code, raw in _pieces(line)
    )


def code_span(text: str) -> str:
    """``text`` as a code span, whatever backticks it holds."""
    content = visible(text.replace("\n", " ")) or " "
    fence = "`" * (_longest_run(content) + 1)
    needs_room = content[0] == "`" or content[-1] == "`" or (content[0] == content[-1] == " " and content.strip())
    return f"{fence} {content} {fence}" if needs_room else f"{fence}{content}{fence}"


def fenced(lines: Iterable[str], info: str = "") -> str:
    """``lines`` as a code block that nothing in them can close; invisible characters are spelled out."""
    return fence("".join(f"{visible(line)}\n" for line in lines), info if info in _INFO_STRINGS else "")


def fence(content: str, info: str) -> str:
    """``content`` byte for byte between fences longer than any run of backticks in it; "" makes an empty block."""
    ticks = "`" * max(3, _longest_run(content) + 1)
    end = "" if not content or content.endswith("\n") else "\n"
    return f"{ticks}{info}\n{content}{end}{ticks}"


def language_of(path: str) -> str:
    """The info string for code of this file, "" if unknown."""
    return LANGUAGES.get(path.rpartition(".")[2].lower(), "")


def _blocks(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        opening = _FENCE.match(line)
        if opening:
            yield fenced(_until_closed(lines, opening), opening[3].lower())
        else:
            yield _block_line(visible(line))


def _until_closed(lines: Iterator[str], opening: re.Match[str]) -> Iterator[str]:
    """The lines of a code block without its closing fence and without the fence's own indentation."""
    closing = re.compile(rf"[ \t]*{opening[2][0]}{{{len(opening[2])},}}[ \t]*$")
    indent = re.compile(rf"[ \t]{{0,{len(opening[1])}}}")
    for line in lines:
        if closing.match(line):
            return
        yield indent.sub("", line, count=1)


def _block_line(line: str) -> str:
    """One line outside code blocks; only list and quote markers keep their meaning at its start."""
    line = _without_needless_escapes(line)
    containers = _CONTAINERS.match(line)
    start = containers.end() if containers else 0
    if start > _LONGEST_CONTAINERS:
        return code_span(line)
    if _RULE_LIKE.match(line):
        start = len(line) - len(line.lstrip())
    return line[:start] + _without_block_start(line[start:])


def _without_block_start(line: str) -> str:
    """A line that is text and nothing else, wherever it begins."""
    if not _BLOCK_START.match(line) and not _RULE_LIKE.match(line):
        return _inline(line)
    digits = len(line) - len(line.lstrip("0123456789"))
    return f"{line[:digits]}\\{line[digits]}{_inline(line[digits + 1 :])}"


def _inline(line: str) -> str:
    return _join(code_span(raw) if is_code else raw for is_code, raw in _pieces(line))


def _join(pieces: Iterable[str]) -> str:
    """The pieces in a row; two code spans are kept apart, or their backticks would make one run."""
    written = ""
    for piece in pieces:
        written += f" {piece}" if written[-1:] == "`" == piece[:1] else piece
    return written


def _pieces(line: str) -> Iterator[tuple[bool, str]]:
    """``(True, raw content)`` of code and ``(False, escaped Markdown)`` of text, in order."""
    after_space = True
    for is_code, part in _split_code_spans(line):
        if is_code:
            yield True, part
        else:
            yield from _text_pieces(_without_needless_escapes(part), after_space=after_space)
        after_space = False


def _split_code_spans(line: str) -> Iterator[tuple[bool, str]]:
    """Text and the contents of code spans, as CommonMark pairs runs of backticks within one line."""
    closers = _runs_by_length(line)
    text_from = position = 0
    while found := _ESCAPE_OR_TICKS.search(line, position):
        position = found.end()
        if found[0][0] == "\\":
            continue
        length = len(found[0])
        later = bisect_right(closers[length], found.start())
        if later == len(closers[length]):
            continue
        closer = closers[length][later]
        yield False, line[text_from : found.start()]
        yield True, _strip_one_space(line[position:closer])
        text_from = position = closer + length
    yield False, line[text_from:]


def _runs_by_length(line: str) -> dict[int, list[int]]:
    runs: dict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", line):
        runs[len(run[0])].append(run.start())
    return runs


def _strip_one_space(content: str) -> str:
    if content[:1] == content[-1:] == " " and content.strip(" "):
        return content[1:-1]
    return content


def _without_needless_escapes(text: str) -> str:
    return _NEEDLESS_ESCAPE.sub(lambda match: match[1] or match[0], text)


def _text_pieces(text: str, *, after_space: bool) -> Iterator[tuple[bool, str]]:
    for token in _TOKEN.finditer(text):
        kind, raw = token.lastgroup, token[0]
        if kind == "code" or (kind == "word" and _REFERENCE_WORD.match(raw)):
            kept = raw if raw[0] == "&" else raw.rstrip(".,;:!?)'")
            yield True, kept
            yield from _text_pieces(raw[len(kept) :], after_space=False)
        elif kind == "word":
            yield False, _word(raw, after_space=text[token.start() - 1].isspace() if token.start() else after_space)
        else:
            yield False, _SPECIAL.get(raw, raw) if kind == "special" else raw


def _word(word: str, *, after_space: bool) -> str:
    """A word as it is, unless it begins like a command or reads like an evidence line of ours."""
    if _EVIDENCE_WORD.match(word):
        word = word[:-1] + r"\:"
    return "\\" + word if after_space and word[0] == "/" else word


def _html_of(escaped: str) -> str:
    """What a Markdown renderer would make of one piece of text without emphasis."""
    plain = html_entities.unescape(re.sub(rf"\\({_ASCII_PUNCTUATION})", r"\1", escaped))
    return html_entities.escape(plain)


def _code_in_cell(content: str) -> str:
    r"""A table splits at ``|`` before it looks for code, and ``\|`` cannot follow a backslash: entities can."""
    if "|" not in content:
        return code_span(content)
    spelled = re.sub(_ASCII_PUNCTUATION, lambda match: f"&#{ord(match[0])};", visible(content))
    return f"<code>{spelled}</code>"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
