"""Hang every finding on a place that the diff shows, before anybody sees it and long before anything is sent.

A line that no hunk shows becomes the file, a file that the change does not touch becomes nothing; the
finding's text then names the true place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from draftgate.domain.anchor import Wanted, resolve
from draftgate.domain.diff import FileDiff
from draftgate.domain.finding import Anchor, AnchorKind, Finding
from draftgate.pipeline.run_checks import CheckOutcome


def anchor_findings(
    outcome: CheckOutcome, files: Sequence[FileDiff], *, without_file_threads: bool = False
) -> CheckOutcome:
    """Resolve the anchor of every finding against the diff.

    Args:
        outcome: What was found.
        files: The diff.
        without_file_threads: What no line can carry hangs on nothing, and so goes into the body of the review.
    """
    anchored = (_anchor(finding, files) for finding in outcome.findings)
    if without_file_threads:
        anchored = (_off_file(finding) for finding in anchored)
    return dataclasses.replace(outcome, findings=tuple(anchored))


def _off_file(finding: Finding) -> Finding:
    if finding.anchor.kind is not AnchorKind.FILE:
        return finding
    return dataclasses.replace(finding, anchor=Anchor(AnchorKind.NONE))


def _anchor(finding: Finding, files: Sequence[FileDiff]) -> Finding:
    wanted = finding.anchor
    if wanted.path is None:
        return finding
    resolution = resolve(files, Wanted(wanted.path, wanted.side, wanted.start_line, wanted.line))
    return dataclasses.replace(finding, anchor=resolution.anchor, scope=resolution.scope)
