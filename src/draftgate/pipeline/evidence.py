"""Hold every finding to the lines it quotes: they must stand in the commit, at that place.

A finding whose quote does not stand there is dropped and counted as unsupported, whoever made it; a quote may be of
the lines without their keys. It is widened by its neighbours for the card; identity and proof rest on the quote alone.
"""

from __future__ import annotations

import dataclasses

from draftgate.domain.diff import Side
from draftgate.domain.finding import Evidence, Finding
from draftgate.domain.hiding import HiddenLines
from draftgate.domain.round import Dropped
from draftgate.domain.snapshot import Change
from draftgate.pipeline.run_checks import CheckOutcome

CARD_LINES = 3
"""A card shows at least so many lines, where the file has them."""


def hold_to_evidence(outcome: CheckOutcome, change: Change, files: HiddenLines) -> CheckOutcome:
    """Drop what is not supported by the commit, and give the rest its context.

    Args:
        outcome: What was found.
        change: The commits.
        files: The same files without keys.
    """
    kept: list[Finding] = []
    dropped: list[Dropped] = []
    for finding in outcome.findings:
        held = _hold(finding, change, files)
        if held is None:
            dropped.append(Dropped("unsupported", finding.subject, finding.anchor.path))
        else:
            kept.append(held)
    return dataclasses.replace(outcome, findings=tuple(kept), dropped=(*outcome.dropped, *dropped))


def _hold(finding: Finding, change: Change, files: HiddenLines) -> Finding | None:
    evidence = finding.evidence
    if evidence is None:
        return finding
    snapshot = change.base if finding.anchor.side is Side.LEFT else change.head
    text = snapshot.read(evidence.path)
    if text is None:
        return None
    lines = tuple(text.split("\n"))
    first = evidence.start_line - 1
    versions = (lines, files.of(evidence.path, finding.anchor.side) or ())
    if not any(_plain(each[first : first + len(evidence.lines)]) == _plain(evidence.lines) for each in versions):
        return None
    return dataclasses.replace(finding, context=_widen(evidence, lines))


def _plain(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lines without the carriage return that some files end theirs with, and that some readers take off."""
    return tuple(line.removesuffix("\r") for line in lines)


def _widen(evidence: Evidence, lines: tuple[str, ...]) -> Evidence:
    """The quote with lines before and after it, until the card has enough or the file ends."""
    end_of_file = len(lines) - (lines[-1] == "")  # a final newline begins no line
    first = evidence.start_line - 1
    end = first + len(evidence.lines)
    while end - first < CARD_LINES and (first > 0 or end < end_of_file):
        if first > 0:
            first -= 1
        if end - first < CARD_LINES and end < end_of_file:
            end += 1
    return Evidence(evidence.path, first + 1, lines[first:end])
