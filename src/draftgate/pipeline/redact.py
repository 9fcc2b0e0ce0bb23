"""Takes keys out of what a finding shows: a change may add one, and a quotation must not spread it.

Those that the run itself holds are found, and known forms of others. The change itself still holds the key, which
is for its author to revoke.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from draftgate.domain.finding import Evidence, Finding


def redact(finding: Finding, hide: Callable[[str], str]) -> Finding:
    """The finding without keys; a suggested change that would hold one is not offered.

    Args:
        finding: As it was found.
        hide: Takes keys out of a text.
    """
    suggestion = finding.suggestion
    return dataclasses.replace(
        finding,
        subject=hide(finding.subject),
        body=hide(finding.body),
        evidence=_quote(finding.evidence, hide),
        context=_quote(finding.context, hide),
        suggestion=None if suggestion is not None and hide(suggestion) != suggestion else suggestion,
    )


def _quote(evidence: Evidence | None, hide: Callable[[str], str]) -> Evidence | None:
    """The lines are hidden together, for a key may stand on several."""
    if evidence is None:
        return None
    return dataclasses.replace(evidence, lines=tuple(hide("\n".join(evidence.lines)).split("\n")))
