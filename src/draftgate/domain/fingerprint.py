"""The identity of a finding over rounds: what it says about which code, not where the code stands today.

A fingerprint is taken over the check (or the category of an agent's finding), what the finding is about (or its
subject), and the quoted lines with their white space normalized. It therefore survives inserted lines, moved
code, renames and rebases, and changes when the code it speaks about changes.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable

from draftgate.domain.canonical import digest
from draftgate.domain.finding import Finding

_LENGTH = 16
"""Hex digits kept: 64 bits, far beyond the number of findings any change can have."""


def assign(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Give every finding its fingerprint; equal ones in one round are told apart by their order."""
    seen: Counter[str] = Counter()
    named: list[Finding] = []
    for finding in findings:
        identity = _identity(finding)
        named.append(dataclasses.replace(finding, fingerprint=digest((identity, seen[identity]))[:_LENGTH]))
        seen[identity] += 1
    return tuple(named)


def _identity(finding: Finding) -> str:
    who = finding.check or str(finding.category)
    code = tuple(_normalized(line) for line in finding.evidence.lines) if finding.evidence else ()
    return digest((who, _normalized(finding.about or finding.subject), code))


def _normalized(text: str) -> str:
    return " ".join(text.split())
