"""The words and signs that the checkpoint and the terminal share, so that both say the same thing.

Plain text only: whoever puts a word into Markdown or a terminal escapes what came from others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from draftgate.domain.agent_run import Spent
from draftgate.domain.amend import AmendedFinding
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind, Finding, Label, Scope, Severity
from draftgate.domain.review import Verdict
from draftgate.domain.round import Coverage, LeftOut, RoundKind, count_by_severity
from draftgate.domain.selection import spell
from draftgate.domain.session import Session

SIGNS = {
    Severity.BLOCKER: "🛑",
    Severity.IMPORTANT: "⚠️",
    Severity.SUGGESTION: "💡",
    Severity.NITPICK: "🔹",
    Severity.INFORMATIONAL: "💬",
}
SCOPES = {Scope.IN_DIFF: "in the diff", Scope.FILE: "in a changed file", Scope.OUT_OF_DIFF: "outside the diff"}
VERDICTS = {
    Verdict.REQUEST_CHANGES: "request changes",
    Verdict.COMMENT: "comment",
    Verdict.APPROVE: "approve",
}
VERDICTS_GIVEN = {
    Verdict.REQUEST_CHANGES: "changes requested",
    Verdict.COMMENT: "commented",
    Verdict.APPROVE: "approved",
}
ROUND_KINDS = {
    RoundKind.INITIAL: "the full range",
    RoundKind.FOLLOW_UP_FULL: "the full range",
    RoundKind.FOLLOW_UP_NARROW: "what is new since the last reviewed commit",
}
VERDICT_RULE = (
    "Without `--as`, the verdict is *request changes* if a blocker is approved, else *comment*; "
    "*approve* is given only for `--as approve`."
)
_SHORT_SHA = 7
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_ONE_CENT = 0.01


def short_sha(sha: str) -> str:
    """The first digits of a commit, as people write it."""
    return sha[:_SHORT_SHA]


def counted(count: int, noun: str) -> str:
    """``1 finding``, ``2 findings``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def with_stop(text: str) -> str:
    """The text, ended by a stop."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def as_sentence(text: str) -> str:
    """The text as it stands by itself: it begins large and ends with a stop."""
    return with_stop(text[:1].upper() + text[1:])


def all_of(count: int) -> str:
    """``it``, ``both``, ``all 3``."""
    return {1: "it", 2: "both"}.get(count, f"all {count:,}")


def place_of(anchor: Anchor) -> str:
    """``path:line``, ``path:first-last`` or the path; "" for a finding about the change as a whole."""
    if anchor.kind is AnchorKind.NONE or anchor.path is None:
        return ""
    if anchor.line is None:
        return anchor.path
    lines = str(anchor.line) if anchor.start_line is None else f"{anchor.start_line}-{anchor.line}"
    return f"{anchor.path}:{lines}"


def place_note(anchor: Anchor) -> str:
    """What the place alone does not say, or ""."""
    match anchor.kind:
        case AnchorKind.NONE:
            return "the change as a whole"
        case AnchorKind.FILE:
            return "whole file"
        case AnchorKind.LINE:
            return "removed" if anchor.side is Side.LEFT else ""


def history_of(finding: Finding) -> str:
    """Whether an earlier round said it already, or ""."""
    if finding.previously_raised:
        return "previously raised, still unresolved"
    return "" if finding.from_round is None else f"from round {finding.from_round}"


def found_by(finding: Finding) -> tuple[str, ...]:
    """Who found it: the check in place of the general `builtin`, then the others."""
    others = tuple(source for source in finding.sources if finding.check is None or source != "builtin")
    return others if finding.check is None else (finding.check, *others)


def counts_of(findings: Iterable[Finding]) -> tuple[tuple[str, int, str], ...]:
    """Sign, count and word of every severity that occurs, most severe first; remarks by their label."""
    shown = tuple(findings)
    nouns = {Severity.BLOCKER: "blocker", Severity.SUGGESTION: "suggestion", Severity.NITPICK: "nitpick"}
    counts = count_by_severity(shown)
    rows = [
        (SIGNS[severity], count, _plural(count, nouns[severity]) if severity in nouns else "important")
        for severity, count in counts.items()
        if count and severity is not Severity.INFORMATIONAL
    ]
    remarks = Counter(finding.label for finding in shown if finding.severity is Severity.INFORMATIONAL)
    sign = SIGNS[Severity.INFORMATIONAL]
    rows += [(sign, count, _plural(count, label)) for label, count in remarks.items()]
    return tuple(rows)


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 or noun == Label.PRAISE else f"{noun}s"


def by_reason(left_out: Iterable[LeftOut]) -> dict[str, list[str]]:
    """The paths that were left out, by reason, in the order of first appearance."""
    grouped: dict[str, list[str]] = {}
    for entry in left_out:
        grouped.setdefault(entry.reason, []).append(entry.path)
    return grouped


def read_files(coverage: Coverage) -> str:
    """``read 14 of 15 files``."""
    if coverage.files == 0:
        return "no files changed"
    return f"read {coverage.reviewed:,} of {counted(coverage.files, 'file')}"


def reason_for(verdict: Verdict, kept: Sequence[AmendedFinding]) -> str:
    """Why this verdict is recommended, as the rest of a sentence that begins with it."""
    match verdict:
        case Verdict.REQUEST_CHANGES:
            numbers = [entry.number for entry in kept if entry.finding.severity is Severity.BLOCKER]
            return f"because {_are(numbers, 'a blocker', 'blockers')}"
        case Verdict.COMMENT:
            numbers = [entry.number for entry in kept if entry.finding.label is Label.ISSUE]
            if not numbers:
                return "because not everything was looked at"
            return f"because {_are(numbers, 'an issue', 'issues')}, and none is a blocker"
        case Verdict.APPROVE:
            return "because no finding asks for a change" if kept else "because there is no finding"


def _are(numbers: list[int], one: str, many: str) -> str:
    if len(numbers) == 1:
        return f"finding {numbers[0]} is {one}"
    named = f"{numbers[0]} and {numbers[1]}" if numbers[2:] == [] else spell(numbers)
    return f"findings {named} are {many}"


def example_set(kept: Sequence[AmendedFinding]) -> str:
    """A sensible part of the findings to show how one is approved: the important ones, the blockers, or the first."""
    for least in (Severity.IMPORTANT, Severity.BLOCKER):
        numbers = [entry.number for entry in kept if entry.finding.severity.rank <= least.rank]
        if 0 < len(numbers) < len(kept):
            return ",".join(map(str, numbers)) if len(numbers) <= 3 else spell(numbers)
    return str(kept[0].number)


def duration(seconds: float) -> str:
    """``0.6 s``, ``38 s``, ``12 min``, ``3 h 5 min``, ``2 d 4 h``."""
    if seconds < _MINUTE - 0.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    whole = round(seconds)
    if whole < _HOUR:
        return f"{whole // _MINUTE} min"
    if whole < _DAY:
        return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
    return f"{whole // _DAY} d {whole % _DAY // _HOUR} h"


def waited(session: Session) -> str:
    """How long the shown findings waited for a person, "" unless they were submitted."""
    if session.submission is None or not session.shown_at:
        return ""
    shown, submitted = (datetime.fromisoformat(at) for at in (session.shown_at, session.submission.at))
    return duration(max(0.0, (submitted - shown).total_seconds()))


def fate_of(entry: AmendedFinding) -> str:
    """What became of a finding that was not posted, as a clause."""
    if entry.dropped and entry.reason:
        return "rejected"
    return "dropped" if entry.dropped else "left out"


CONSEQUENCES = {
    "rejected": "it will not be raised again unless the facts change",
    "dropped": "not raised again while the code is unchanged",
    "left out": "not raised again while the code is unchanged",
}
"""What a `fate_of` means for later rounds."""


def cost_of(spent: Spent) -> str:
    """US dollars, or that the price of a model is not known."""
    if spent.usd is None:
        return "cost unknown"
    return "$0" if not spent.usd else f"${spent.usd:.4f}" if spent.usd < _ONE_CENT else f"${spent.usd:.2f}"


def spent_in_words(spent: Spent) -> str:
    """Requests, tokens and cost."""
    return f"{counted(spent.requests, 'request')}, {spent.tokens:,} tokens, {cost_of(spent)}"
