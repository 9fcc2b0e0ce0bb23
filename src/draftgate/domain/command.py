"""The comment command language: the text of one comment in, parsed commands or refusals out.

The grammar of a comment is here, the arguments of each command are in its own file. It does no I/O and knows no
session: who wrote the comment, whether the findings exist and whether the phase fits is decided by who runs the
commands. A comment is taken as a whole: where one line is refused, no command of it is given out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from itertools import pairwise
from typing import Protocol

from draftgate.domain.command_line import CommandLine, find_deception
from draftgate.domain.comment_text import covered_lines, split_lines
from draftgate.domain.refusal import Refusal, quoted

PREFIX = "draftgate"
"""The name before every verb: ``/draftgate approve``."""

MAX_COMMENT = 65_536
MAX_LINE = 4_096
MAX_COMMANDS = 200


class Bare(StrEnum):
    """Which commands work without ``/draftgate``; the values of ``commands.bare`` in the configuration."""

    OWN = "own"
    ALL = "all"


class Effect(Enum):
    """What a command does to the round, as far as the order of several in one comment matters."""

    SUBMITS = "submits"
    CHANGES = "changes what may be submitted"
    OTHER = "neither"


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one command says, once understood; each command has its own subclass."""


class Verb(Protocol):
    """What the grammar asks of a command."""

    @property
    def name(self) -> str:
        """The full name, without slash."""

    @property
    def short(self) -> str | None:
        """The short form after ``/draftgate``, if it has one."""

    @property
    def bare(self) -> bool:
        """Whether the full name works without ``/draftgate`` in every configuration."""

    @property
    def effect(self) -> Effect:
        """What it does to the round."""

    @property
    def takes_body(self) -> bool:
        """Whether the lines below belong to it."""

    def parse(self, arguments: CommandLine, body: str) -> Parsed | Refusal:
        """Read its arguments."""


@dataclass(frozen=True, slots=True)
class _Slip:
    """A name that may have been meant: two slips at most, and fewer in a short name (`/hold` is not `/help`).

    Of the name cut into one part more than there may be slips, one part must stand in the word unharmed; that
    leaves few words to compare.
    """

    name: str
    edits: int
    parts: tuple[str, ...]

    @classmethod
    def of(cls, name: str) -> _Slip:
        edits = min(2, len(name) // 3)
        cuts = [len(name) * part // (edits + 1) for part in range(edits + 2)]
        return cls(name, edits, tuple(name[first:last] for first, last in pairwise(cuts)))

    def count(self, word: str) -> int | None:
        """The least number of slips between the name and a word; ``None`` if there are too many."""
        if abs(len(word) - len(self.name)) > self.edits or not any(part in word for part in self.parts):
            return None
        return next((edits for edits in range(self.edits + 1) if _is_within(word, self.name, edits)), None)


@dataclass(frozen=True, slots=True)
class Grammar:
    """The commands by the names under which they are known, and the names that a slip is held against."""

    after_prefix: Mapping[str, Verb]
    bare: Mapping[str, Verb]
    slips_after_prefix: tuple[_Slip, ...]
    slips_bare: tuple[_Slip, ...]

    @classmethod
    def of(cls, verbs: Sequence[Verb], bare: Bare) -> Grammar:
        """The language of a set of commands under a configuration."""
        names = {verb.name: verb for verb in verbs}
        short = {verb.short: verb for verb in verbs if verb.short}
        own = {name: verb for name, verb in names.items() if verb.bare}
        after_prefix = names | short
        known_bare = after_prefix if bare is Bare.ALL else own
        return cls(
            after_prefix=after_prefix,
            bare=known_bare,
            slips_after_prefix=tuple(_Slip.of(name) for name in after_prefix),
            slips_bare=tuple(_Slip.of(name) for name in (*known_bare, PREFIX)),
        )


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A command as it was understood: its full name, what it says, and where it stands (1-based)."""

    name: str
    parsed: Parsed
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line that is not done.

    Attributes:
        line: Where it stands, 1-based.
        text: The line as it was written, untrusted.
        refusal: Why, and what to write.
        is_suggestion: It is no command of ours, only close to one; answered for people who may command.
    """

    line: int
    text: str
    refusal: Refusal
    is_suggestion: bool = False


@dataclass(frozen=True, slots=True)
class ParsedComment:
    """A comment: commands in their order, or every reason why none of them runs, or neither."""

    commands: tuple[ParsedCommand, ...] = ()
    refusals: tuple[RefusedLine, ...] = ()


@dataclass(frozen=True, slots=True)
class _Head:
    """A line that is ours or nearly so: what it names (a verb, or why it names none) and where its arguments begin."""

    number: int
    line: CommandLine
    names: Verb | Refusal
    end: int
    is_suggestion: bool = False

    def refused(self, refusal: Refusal) -> RefusedLine:
        return RefusedLine(self.number + 1, self.line.source, refusal, self.is_suggestion)


_SLASHED = re.compile(r"[^\w/\uff0f]*[/\uff0f]")
"""A cheap look at the beginning of a line, before it is folded."""

_WORD = re.compile(r"[ ]*/(?P<word>[^ /]+)(?=[ ]|$)")
_VERB = re.compile(r"[ ]*(?P<word>[^ ]+)")

_SEE_HELP = f"`/{PREFIX} help` lists the commands"


def parse_comment(text: str, grammar: Grammar) -> ParsedComment:
    """Read a comment; whatever it holds, this returns, in time that grows with its length alone."""
    lines = split_lines(text)
    heads = [head for number, line in enumerate(lines) if (head := _read_head(number, line, grammar))]
    if not heads:
        return ParsedComment()
    if len(text) > MAX_COMMENT:
        return _refuse_all(heads[0], f"the comment is longer than {MAX_COMMENT} characters", "write a shorter one")
    covered = covered_lines(lines)
    live = [head for head in heads if head.number not in covered]
    if len(live) > MAX_COMMANDS:
        return _refuse_all(live[0], f"the comment has more than {MAX_COMMANDS} commands", "write several comments")
    swallowed = _swallowed(heads, live, covered)
    commands, refused = _parse_heads(live, lines)
    refusals = (*swallowed, *refused) or _out_of_order(commands, grammar)
    if refusals:
        return ParsedComment(refusals=tuple(sorted(refusals, key=lambda line: line.line)))
    return ParsedComment(commands=_without_repeated_submission(commands, grammar))


def _refuse_all(head: _Head, reason: str, write: str) -> ParsedComment:
    return ParsedComment(refusals=(RefusedLine(head.number + 1, head.line.source, Refusal(reason, write)),))


def _read_head(number: int, source: str, grammar: Grammar) -> _Head | None:
    """What a line names, whether or not a command may stand there; ``None`` if it is nothing of ours."""
    if not _SLASHED.match(source):
        return None
    line = CommandLine.of(source)
    found = _WORD.match(line.text)
    if found is None:
        return None
    word = found["word"].lower()
    if word == PREFIX:
        return _read_verb(number, line, found.end(), grammar)
    if word in grammar.bare:
        return _Head(number, line, grammar.bare[word], found.end())
    near = _nearest(word, grammar.slips_bare)
    if near is None:
        return None
    refusal = Refusal(f"{quoted(found[0])} is no command", f"did you mean `/{near}`?")
    return _Head(number, line, refusal, found.end(), is_suggestion=True)


def _read_verb(number: int, line: CommandLine, position: int, grammar: Grammar) -> _Head:
    found = _VERB.match(line.text, position)
    if found is None:
        return _Head(number, line, Refusal(f"`/{PREFIX}` needs a command", _SEE_HELP), position)
    word = found["word"].lower()
    if word in grammar.after_prefix:
        return _Head(number, line, grammar.after_prefix[word], found.end())
    near = _nearest(word.removeprefix("/"), grammar.slips_after_prefix)
    write = f"did you mean `/{PREFIX} {near}`?" if near else _SEE_HELP
    return _Head(number, line, Refusal(f"{quoted(found['word'])} is no command", write), found.end())


def _swallowed(heads: Sequence[_Head], live: Sequence[_Head], covered: Mapping[int, int]) -> tuple[RefusedLine, ...]:
    """Commands inside code or a comment that begins on the line of another command: surely not meant so."""
    openers = {head.number for head in live}
    return tuple(
        head.refused(
            Refusal(
                f"the line stands inside code or an HTML comment that begins on line {covered[head.number] + 1}",
                "close it there, or leave its mark out",
            )
        )
        for head in heads
        if covered.get(head.number) in openers
    )


def _parse_heads(live: Sequence[_Head], lines: Sequence[str]) -> tuple[list[ParsedCommand], list[RefusedLine]]:
    commands: list[ParsedCommand] = []
    refused: list[RefusedLine] = []
    ends = (*(head.number for head in live[1:]), len(lines))
    for head, end in zip(live, ends, strict=False):
        parsed = _parse_head(head, lines[head.number + 1 : end])
        if isinstance(parsed, Refusal):
            refused.append(head.refused(parsed))
        else:
            commands.append(parsed)
    return commands, refused


def _parse_head(head: _Head, below: Sequence[str]) -> ParsedCommand | Refusal:
    if isinstance(head.names, Refusal):
        return head.names
    if len(head.line.source) > MAX_LINE:
        return Refusal(f"the line is longer than {MAX_LINE} characters", "shorten it; ranges such as `1-200` help")
    deception = find_deception(head.line)
    if deception:
        return deception
    verb = head.names
    parsed = verb.parse(head.line.after(head.end), _body(below) if verb.takes_body else "")
    if isinstance(parsed, Refusal):
        return parsed
    return ParsedCommand(verb.name, parsed, head.number + 1, head.line.source)


def _body(lines: Sequence[str]) -> str:
    """The lines below a command, without the blank ones around them."""
    filled = [index for index, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""


def _out_of_order(commands: Sequence[ParsedCommand], grammar: Grammar) -> tuple[RefusedLine, ...]:
    """What may not follow a submission: a change to what it published, or another set."""
    refused = []
    submission: ParsedCommand | None = None
    for command in commands:
        effect = grammar.after_prefix[command.name].effect
        if submission and effect is Effect.CHANGES:
            reason = f"it would change findings after line {submission.line} has submitted them"
            refused.append((command, Refusal(reason, f"write it above `/{submission.name}`")))
        elif submission and effect is Effect.SUBMITS and command.parsed != submission.parsed:
            reason = f"it submits something else than line {submission.line}"
            refused.append((command, Refusal(reason, f"write one `/{submission.name}` with everything in it")))
        elif effect is Effect.SUBMITS:
            submission = command
    return tuple(RefusedLine(command.line, command.text, refusal) for command, refusal in refused)


def _without_repeated_submission(commands: Sequence[ParsedCommand], grammar: Grammar) -> tuple[ParsedCommand, ...]:
    """The commands, with a submission that is written twice once."""
    first = next((c for c in commands if grammar.after_prefix[c.name].effect is Effect.SUBMITS), None)
    return tuple(c for c in commands if c is first or first is None or c.parsed != first.parsed)


def _nearest(word: str, slips: Sequence[_Slip]) -> str | None:
    """The name that a word was probably meant to be."""
    counts = [(count, slip.name) for slip in slips if (count := slip.count(word)) is not None]
    return min(counts)[1] if counts else None


def _is_within(word: str, name: str, edits: int) -> bool:
    """Whether at most so many letters were added, left out or changed."""
    same = 0
    for one, other in zip(word, name, strict=False):
        if one != other:
            break
        same += 1
    word, name = word[same:], name[same:]
    if edits == 0 or not word or not name:
        return max(len(word), len(name)) <= edits
    return (
        _is_within(word[1:], name[1:], edits - 1)
        or _is_within(word[1:], name, edits - 1)
        or _is_within(word, name[1:], edits - 1)
    )
