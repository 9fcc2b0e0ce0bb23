"""Takes keys out of what a finding shows: a change may add one, and a quotation must not spread it.

Those that the run itself holds are found, and known forms of others. The change itself still holds the key, which
is for its author to revoke.
"""

from __future__ import annotations

import dataclasses

from draftgate.domain.diff import Side
from draftgate.domain.finding import Evidence, Finding
from draftgate.domain.hiding import HiddenLines, Hide


def redact(finding: Finding, hide: Hide, files: HiddenLines) -> Finding:
    """The finding without keys; a suggested change that would hold one is not offered.

    Args:
        finding: As it was found.
        hide: Takes keys out of a text.
        files: Those that it quotes.
    """
    suggestion, side = finding.suggestion, finding.anchor.side
    return dataclasses.replace(
        finding,
        subject=hide(finding.subject),
        body=hide(finding.body),
        evidence=_quote(finding.evidence, side, hide, files),
        context=_quote(finding.context, side, hide, files),
        about=hide(finding.about),
        suggestion=None if suggestion is not None and hide(suggestion) != suggestion else suggestion,
    )


def _quote(evidence: Evidence | None, side: Side | None, hide: Hide, files: HiddenLines) -> Evidence | None:
    """The lines as they are in the file without keys; hidden by themselves where it cannot be read."""
    if evidence is None:
        return None
    lines = files.of(evidence.path, side) or ()
    first = evidence.start_line - 1
    quoted = lines[first : first + len(evidence.lines)]
    if len(quoted) < len(evidence.lines):
        quoted = tuple(hide("\n".join(evidence.lines)).split("\n"))
    return dataclasses.replace(evidence, lines=quoted)
