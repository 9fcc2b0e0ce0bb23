"""Comments in the code that silence a finding: ``draftgate: ignore[check-id] reason`` and a bare ``noqa``.

They count on the line the finding hangs on, and ours also in a comment that has the line above for itself. A linter's
``noqa: CODE`` with a code of its own silences that linter, not us.
"""

from __future__ import annotations

import re

from draftgate.checks.base import Change
from draftgate.checks.lines import lines_of
from draftgate.domain.diff import Side
from draftgate.domain.finding import Finding

_OURS = re.compile(r"draftgate:\s*ignore\[([a-z0-9.,\s-]+)\]")
_COMMENT_LINE = re.compile(r"\s*(?:#|//|--|/\*|\*|<!--|<%#|\{#)")
_BARE_NOQA = re.compile(r"#\s*noqa\s*(?:$|[^:\w\s])", re.IGNORECASE)


def is_suppressed(finding: Finding, change: Change) -> bool:
    """Whether a comment at the finding's place silences it."""
    anchor = finding.anchor
    if anchor.path is None or anchor.line is None:
        return False
    snapshot = change.base if anchor.side is Side.LEFT else change.head
    text = snapshot.read(anchor.path)
    if text is None:
        return False
    lines = lines_of(text)
    here = lines[anchor.line - 1] if anchor.line <= len(lines) else ""
    above = lines[anchor.line - 2] if anchor.line >= 2 else ""
    lines_that_count = (here, above) if _COMMENT_LINE.match(above) else (here,)
    return bool(_BARE_NOQA.search(here)) or any(_names(line, finding.check) for line in lines_that_count)


def _names(line: str, check: str | None) -> bool:
    match = _OURS.search(line)
    return match is not None and check in {part.strip() for part in match.group(1).split(",")}
