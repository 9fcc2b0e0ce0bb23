"""Tries a suggested change on a copy of the file before anybody is offered it.

It must replace lines that the diff shows, keep their indentation, repeat no neighbour, and leave a file that parses.
One that does not is not lost: it goes into the text of the finding, where nobody can apply it with a click.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from draftgate.checks.grammar.soundness import is_broken_by
from draftgate.domain.diff import Side
from draftgate.domain.finding import AnchorKind, Finding
from draftgate.domain.snapshot import Snapshot
from draftgate.render.language import FALLBACK, sentences
from draftgate.render.neutralize import fence, language_of

LONGEST = 100
"""Lines of a suggestion; a longer one is a patch."""


def offer_suggestion(finding: Finding, head: Snapshot, language: str = FALLBACK) -> Finding:
    """The finding with its suggestion if that can be applied, else with the suggestion as prose.

    Args:
        finding: Already on its place in the diff.
        head: The commit under review.
        language: Of the fixed sentences.
    """
    if finding.suggestion is None:
        return finding
    anchor = finding.anchor
    text = None if anchor.path is None else head.read(anchor.path)
    is_on_line = anchor.kind is AnchorKind.LINE and anchor.side is Side.RIGHT
    if not is_on_line or anchor.line is None or text is None:
        return _as_prose(finding, language)
    lines = text.split("\n")
    first, last = (anchor.start_line or anchor.line) - 1, anchor.line
    present = lines[first:last]
    suggested = _lines_of(finding.suggestion, present)
    if suggested == present:
        return dataclasses.replace(finding, suggestion=None)
    after = "\n".join((*lines[:first], *suggested, *lines[last:]))
    fits = _fits(present, suggested, lines[first - 1 : first], lines[last : last + 1])
    if not fits or is_broken_by(anchor.path or "", text, after):
        return _as_prose(finding, language)
    return dataclasses.replace(finding, suggestion="".join(f"{line}\n" for line in suggested))


def _lines_of(suggestion: str, present: Sequence[str]) -> list[str]:
    """The suggested lines with the line ends of those they replace; none if the lines are to be deleted."""
    if not suggestion:
        return []
    end = "\r" if all(line.endswith("\r") for line in present) else ""
    return [line.removesuffix("\r") + end for line in suggestion.removesuffix("\n").split("\n")]


def _fits(present: Sequence[str], suggested: Sequence[str], before: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether it is of a reasonable size, begins where the lines begin, and says nothing that its neighbours say."""
    if not suggested:
        return True
    pairs = ((suggested[:1], before), (suggested[-1:], behind))
    repeats = any(mine == [*other] and mine[0].strip() for mine, other in pairs)
    return len(suggested) <= LONGEST and _indent(present) == _indent(suggested) and not repeats


def _indent(lines: Sequence[str]) -> str:
    """The white space before the first line that has more."""
    line = next((line for line in lines if line.strip()), "")
    return line[: len(line) - len(line.lstrip())]


def _as_prose(finding: Finding, language: str) -> Finding:
    said, suggestion = sentences(language), finding.suggestion or ""
    info = language_of(finding.anchor.path or "")
    block = f"{said.suggested}\n\n{fence(suggestion, info)}" if suggestion else said.delete_lines
    body = f"{finding.body}\n\n{block}" if finding.body else block
    return dataclasses.replace(finding, body=body, suggestion=None)
