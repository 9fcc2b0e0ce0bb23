"""Takes keys out of what a finding shows: a change may add one, and a quotation must not spread it.

Only known forms of keys are found. The change itself still holds the key, which is for its author to revoke.
"""

from __future__ import annotations

import dataclasses

from draftgate.config.key_shapes import is_secret, without_secrets
from draftgate.domain.finding import Evidence, Finding


def redact(finding: Finding) -> Finding:
    """The finding without keys; a suggested change that would hold one is not offered."""
    suggestion = finding.suggestion
    return dataclasses.replace(
        finding,
        subject=without_secrets(finding.subject),
        body=without_secrets(finding.body),
        evidence=_quote(finding.evidence),
        context=_quote(finding.context),
        suggestion=None if suggestion is not None and is_secret(suggestion) else suggestion,
    )


def _quote(evidence: Evidence | None) -> Evidence | None:
    if evidence is None:
        return None
    return dataclasses.replace(evidence, lines=tuple(without_secrets(line) for line in evidence.lines))
