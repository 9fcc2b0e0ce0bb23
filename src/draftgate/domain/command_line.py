"""One line of a comment as its commands read it: spaces, dashes, digits and flags in the forms that people type.

Phones and word processors change dashes, quotes and spaces, and copying adds characters that nobody sees; all
of that is folded here, once, for every command. Words are not judged here: each command knows its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from draftgate.domain.refusal import Refusal, not_a, quoted
from draftgate.errors import CommandRefused, Limit

_BLANKS = "\t\v\f\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_DASHES = "\u2010-\u2015\u2212\ufe58\ufe63"
_QUOTES = "\u2018-\u201f\u00ab\u00bb"
_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2064\ufeff"
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_HIDDEN_IN_NUMBER = re.compile(f"[0-9\uff10-\uff19][{_INVISIBLE}]+[0-9\uff10-\uff19]")
_IDEOGRAPHIC_COMMA = "\u3001"


def _characters(ranges: str) -> tuple[int, ...]:
    """The code points of the inside of a regular expression's ``[…]``."""
    return tuple(
        code
        for first, last in re.findall("(.)(?:-(.))?", ranges, re.DOTALL)
        for code in range(ord(first), ord(last or first) + 1)
    )


_FOLDED: Final[Mapping[int, str | None]] = {
    **{0xFF01 + offset: chr(0x21 + offset) for offset in range(94)},  # full-width forms of ASCII
    **dict.fromkeys(_characters(_BLANKS), " "),
    **dict.fromkeys(_characters(_DASHES), "-"),
    **dict.fromkeys(_characters(_QUOTES), '"'),
    **dict.fromkeys(_characters(_INVISIBLE), None),
    ord(_IDEOGRAPHIC_COMMA): ",",
}
"""One character to one or none, so that a place in folded text can be found again in what was written."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A line, or the rest of one: folded for reading, and as it was written."""

    text: str
    source: str

    @classmethod
    def of(cls, source: str) -> CommandLine:
        """Fold a line; its letters keep their case."""
        return cls(source.translate(_FOLDED), source)

    def after(self, position: int) -> CommandLine:
        """What follows a position of the folded text, without the blanks before it."""
        rest = self.text[position:]
        skipped = position + len(rest) - len(rest.lstrip())
        visible = (index for index, char in enumerate(self.source) if _FOLDED.get(ord(char), char) is not None)
        start = next((index for count, index in enumerate(visible) if count == skipped), len(self.source))
        return CommandLine(rest.strip(), self.source[start:].strip())


def find_deception(line: CommandLine) -> Refusal | None:
    """Why a line may show another number or order than it holds."""
    if _REORDERING.search(line.source):
        return Refusal(
            "the line holds an invisible character that changes the order in which it is shown",
            "type the command instead of pasting it",
        )
    if _HIDDEN_IN_NUMBER.search(line.source):
        return Refusal("an invisible character stands between two digits", "type the numbers instead of pasting them")
    return None


def refuse_text(line: CommandLine, usage: str) -> None:
    """Refuse anything after a command that takes nothing."""
    if line.text:
        raise CommandRefused(f"{quoted(line.source)} is not understood here", hint=f"write `{usage}` alone on its line")


def need_body(body: str) -> str:
    """The lines below a command that cannot do without them."""
    if not body:
        raise CommandRefused("there is no text below the command", hint="write the new text on the lines below it")
    return body


MAX_TEXT = Limit("the new text", 60_000, "bytes")
"""What a person may put in place of a posted text: GitHub takes 65,536 characters, our marks among them."""


def need_text(body: str) -> str:
    """The lines below a command, to be posted in place of a text of ours."""
    text = need_body(body)
    size = len(text.encode("utf-8", "replace"))
    if size > MAX_TEXT.value:
        raise CommandRefused(
            f"{MAX_TEXT.name} has {size:,} {MAX_TEXT.unit}, and {MAX_TEXT.value:,} can be posted", hint="shorten it"
        )
    return text


_AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


def read_agent(line: CommandLine) -> str:
    """The name of one agent; whether there is such an agent is not known here."""
    if not _AGENT.fullmatch(line.text):
        raise CommandRefused(not_a(line.text, "the name of one agent"), hint="write one name, such as `correctness`")
    return line.text


class Takes(Enum):
    """What follows a flag."""

    NOTHING = "nothing"
    WORD = "one word"
    LIST = "everything up to the next flag"


@dataclass(frozen=True, slots=True)
class Options:
    """A command's arguments, taken apart: the text that belongs to no flag, and each flag's value."""

    text: str
    values: Mapping[str, str]


_FLAG = re.compile(r"-+(?P<name>[a-z][a-z0-9-]*)(?:=(?P<value>.*))?", re.IGNORECASE)
"""One dash or several: a typographic dash stands for two, and nothing but a flag begins with one and a letter."""


def read_options(line: CommandLine, flags: Mapping[str, Takes]) -> Options:
    """Take the flags out of a line; nothing that looks like a flag is ever read as something else.

    Raises:
        CommandRefused: An unknown or repeated flag, a missing value, or text in two places.
    """
    values: dict[str, str] = {}
    pieces: list[list[str]] = [[]]
    words = line.text.split()
    while words:
        flag = _FLAG.fullmatch(words[0])
        if flag is None:
            pieces[-1].append(words.pop(0))
            continue
        name = flag["name"].lower()
        _refuse_flag(name, values, flags)
        following = _words_before_flag(words[1:])
        taken = _count_taken(flags[name], given=flag["value"] is not None, following=len(following))
        values[name] = _value(name, flags[name], flag["value"], following[:taken])
        del words[: 1 + taken]
        pieces.append([])
    texts = [" ".join(piece) for piece in pieces if piece]
    if len(texts) > 1:
        raise CommandRefused(
            f"{quoted(texts[0])} and {quoted(texts[1])} stand apart", hint="write them together, before the flags"
        )
    return Options("".join(texts), values)


def _words_before_flag(words: list[str]) -> list[str]:
    stop = next((index for index, word in enumerate(words) if _FLAG.fullmatch(word)), len(words))
    return words[:stop]


def _refuse_flag(name: str, seen: Collection[str], flags: Collection[str]) -> None:
    if name not in flags:
        known = ", ".join(f"`--{flag}`" for flag in flags) or "none"
        raise CommandRefused(f"there is no flag {quoted('--' + name)} here", hint=f"flags of this command: {known}")
    if name in seen:
        raise CommandRefused(f"`--{name}` stands here twice", hint="write it once")


def _count_taken(takes: Takes, *, given: bool, following: int) -> int:
    match takes:
        case Takes.NOTHING:
            return 0
        case Takes.WORD:
            return 0 if given else min(1, following)
        case Takes.LIST:
            return following


def _value(name: str, takes: Takes, given: str | None, following: list[str]) -> str:
    value = " ".join([given or "", *following]).strip().strip('"')
    if takes is Takes.NOTHING and given is not None:
        raise CommandRefused(f"`--{name}` takes no value", hint=f"write `--{name}` alone")
    if takes is not Takes.NOTHING and not value:
        raise CommandRefused(f"`--{name}` has no value", hint=f"write it as `--{name} VALUE`")
    return value


def one_of(value: str, choices: Collection[str], what: str) -> str:
    """The choice that a word names, whatever its case; a part of one is not guessed at."""
    if value.lower() not in choices:
        raise CommandRefused(f"{quoted(value)} is no {what}", hint=f"write one of {', '.join(choices)}")
    return value.lower()
