"""The same facts as the checkpoint, for a terminal: cards, the status page, the submitted review, a preview.

Rich measures, wraps and colours; its markup is never interpreted, and what came from others is spelled out
before it gets there. Every function returns text; whoever calls it writes it.
"""

from __future__ import annotations

from collections.abc import Sequence

from draftgate.domain.agent_run import sum_spent
from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.finding import Evidence, Finding, Severity, title_of
from draftgate.domain.phase import Phase
from draftgate.domain.review import PublishedReview
from draftgate.domain.round import Coverage, recommend
from draftgate.domain.session import Session
from draftgate.render.cards import window
from draftgate.render.comment import posted_text
from draftgate.render.visible import one_line, terminal
from draftgate.render.wording import (
    CONSEQUENCES,
    SCOPES,
    SIGNS,
    VERDICTS,
    VERDICTS_GIVEN,
    all_of,
    by_reason,
    counted,
    counts_of,
    duration,
    example_set,
    fate_of,
    found_by,
    history_of,
    place_note,
    place_of,
    read_files,
    reason_for,
    short_sha,
    spent_in_words,
    waited,
)
from draftgate.render.writer import Screen, Writer

_INDENT = 3
_MAX_NAMED_FILES = 5
_STYLES = {
    Severity.BLOCKER: "bold red",
    Severity.IMPORTANT: "bold yellow",
    Severity.SUGGESTION: "bold cyan",
    Severity.NITPICK: "bold",
    Severity.INFORMATIONAL: "bold blue",
}


def review_page(session: Session, amended: AmendedRound, screen: Screen) -> str:
    """All cards, the summary, and what to do next."""
    writer = Writer(screen)
    for entry in amended.findings:
        _write_card(writer, entry, last=amended.findings[-1].number)
    _write_summary(writer, session, amended)
    _write_next(writer, session, amended)
    return writer.text


def status_page(session: Session, amended: AmendedRound, screen: Screen) -> str:
    """Where a session stands: the change, the phase, its findings on a line each, and what to do next."""
    writer = Writer(screen)
    head = f" · {short_sha(session.scope.head)}" if session.scope else ""
    change = session.change
    writer.line((one_line(change.title) or "(no title)", "bold"))
    refs = f"{one_line(change.head_ref)} against {one_line(change.base_ref)}"
    writer.line((f"{refs}{head} · round {session.round}", "dim"))
    writer.line(f"Phase: {session.phase}")
    if session.failure is not None:
        writer.line((f"Stopped while {session.failure.phase}: {one_line(session.failure.reason)}", "red"))
    if session.phase is Phase.AGENTS_FAILED:
        _write_ways_on(writer, session)
    if session.submission is not None:
        submission = session.submission
        writer.line(f"Submitted: {VERDICTS_GIVEN[submission.verdict]}, {one_line(submission.reference)}")
    writer.blank()
    posted = session.submission.numbers if session.submission else ()
    for entry in amended.findings:
        _write_row(writer, entry, posted=entry.number in posted, decided=session.submission is not None)
    if session.phase in (Phase.AWAITING_APPROVAL, Phase.CHOOSING_VERDICT):
        _write_summary(writer, session, amended)
        _write_next(writer, session, amended)
    return writer.text


def submitted_page(session: Session, amended: AmendedRound, screen: Screen) -> str:
    """What was published, as whom, what was not, and how long it took; "" if nothing was."""
    submission = session.submission
    if submission is None:
        return ""
    writer = Writer(screen)
    writer.line((f"Submitted: {VERDICTS_GIVEN[submission.verdict]}", "bold green"))
    writer.line(one_line(submission.reference), indent=_INDENT)
    writer.blank()
    for entry in amended.findings:
        _write_row(writer, entry, posted=entry.number in submission.numbers, decided=True)
    writer.line(_timing(session, amended, posted=len(submission.numbers)))
    return writer.text


def preview(body: str, entries: Sequence[AmendedFinding], screen: Screen) -> str:
    """The body and the comments byte for byte as they would be posted.

    Invisible characters are spelled out, and nothing is a command to a CI system.
    """
    writer = Writer(screen)
    writer.rule("the review's body")
    writer.verbatim(body)
    for entry in entries:
        writer.blank()
        writer.rule(f"{entry.number} · {_where(entry.finding)}")
        writer.verbatim(posted_text(entry))
    writer.blank()
    writer.line("This is a preview. Nothing has been posted.")
    return writer.text


def published_page(review: PublishedReview, screen: Screen) -> str:
    """A published review read back: verdict, body, comments."""
    writer = Writer(screen)
    writer.line((f"{VERDICTS_GIVEN[review.verdict].capitalize()} by {one_line(review.author)}", "bold"))
    writer.line(f"{one_line(review.reference)} · {short_sha(review.head)} · {review.submitted_at}")
    writer.blank()
    writer.verbatim(review.body)
    for comment in review.comments:
        writer.blank()
        writer.rule(f"{comment.number} · {one_line(place_of(comment.anchor)) or 'the change as a whole'}")
        writer.verbatim(comment.text)
    return writer.text


def _write_card(writer: Writer, entry: AmendedFinding, *, last: int) -> None:
    finding = entry.finding
    writer.rule(f"{entry.number} of {last}")
    if entry.dropped:
        _write_dropped(writer, entry)
        writer.blank()
        return
    facts = [f"confidence {finding.confidence}", str(finding.category), SCOPES[finding.scope], history_of(finding)]
    head = f"{SIGNS[finding.severity]} {title_of(finding.label, finding.decorations)}"
    writer.line((head, _STYLES[finding.severity]), "".join(f" · {fact}" for fact in facts if fact))
    writer.line((_where(finding), "bold"), indent=_INDENT)
    writer.blank()
    _write_text(writer, entry)
    quote = finding.context or finding.evidence
    if quote is not None and quote.lines:
        _write_evidence(writer, finding, quote)
    if entry.text is None:
        _write_suggestion(writer, finding.suggestion)
    writer.line(("found by " + ", ".join(one_line(source) for source in found_by(finding)), "dim"), indent=_INDENT)
    writer.blank()


def _write_dropped(writer: Writer, entry: AmendedFinding) -> None:
    finding = entry.finding
    writer.line(
        f"{SIGNS[finding.severity]} {title_of(finding.label, finding.decorations)} · ",
        (one_line(finding.subject), "strike"),
    )
    who = f" by {one_line(entry.changed_by)}" if entry.changed_by else ""
    why = f": {one_line(entry.reason)}" if entry.reason else ", without a reason"
    writer.line((f"dropped{who}{why}", "dim"), indent=_INDENT)


def _write_text(writer: Writer, entry: AmendedFinding) -> None:
    if entry.text is not None:
        writer.line((f"rewritten by {one_line(entry.changed_by)}; this will be posted:", "dim"), indent=_INDENT)
        paragraphs = [terminal(entry.text)]
    else:
        paragraphs = [one_line(entry.finding.subject), terminal(entry.finding.body).strip("\n")]
    for number, paragraph in enumerate(filter(None, paragraphs)):
        for line in paragraph.split("\n"):
            writer.line((line, "bold" if number == 0 and entry.text is None else ""), indent=_INDENT)
        writer.blank()


def _write_evidence(writer: Writer, finding: Finding, evidence: Evidence) -> None:
    numbered = [(evidence.start_line + offset, text) for offset, text in enumerate(evidence.lines)]
    shown = window(finding, evidence, numbered)
    margin = max(_INDENT - 1, len(str(shown[-1][0])))
    anchor = finding.anchor
    meant = range(anchor.start_line or anchor.line or 0, (anchor.line or -1) + 1)
    writer.code(f"{'':>{margin}} ┌ ", evidence.path, "dim")
    for number, text in shown:
        is_meant = number in meant and anchor.path == evidence.path
        writer.code(f"{number:>{margin}} │ ", text, "bold" if is_meant else "")
    writer.code(f"{'':>{margin}} └", "")


def _write_suggestion(writer: Writer, suggestion: str | None) -> None:
    if suggestion is None:
        return
    if not suggestion:
        writer.line(("suggested: delete these lines", "green"), indent=_INDENT)
        return
    writer.line(("suggested:", "green"), indent=_INDENT)
    for line in suggestion.removesuffix("\n").split("\n"):
        writer.code(" " * _INDENT + "+ ", line, "green")


def _write_row(writer: Writer, entry: AmendedFinding, *, posted: bool, decided: bool) -> None:
    """A finding on a line, and under it what became of it."""
    finding = entry.finding
    head = f"{entry.number:>3} {SIGNS[finding.severity]} {title_of(finding.label, finding.decorations)}"
    writer.line((head, _STYLES[finding.severity]), f" · {_where(finding)}")
    writer.line(one_line(finding.subject), indent=_INDENT + 4)
    if entry.text is not None:
        writer.line((f"rewritten by {one_line(entry.changed_by)}", "dim"), indent=_INDENT + 4)
    if posted:
        writer.line(("posted", "green"), indent=_INDENT + 4)
    elif decided or entry.dropped:
        fate = fate_of(entry)
        reason = f": {one_line(entry.reason)}" if entry.reason else ""
        writer.line((f"{fate}{reason} — {CONSEQUENCES[fate]}", "dim"), indent=_INDENT + 4)
    writer.blank()


def _where(finding: Finding) -> str:
    place, note = one_line(place_of(finding.anchor)), place_note(finding.anchor)
    return f"{place} ({note})" if place and note else place or note


def _write_summary(writer: Writer, session: Session, amended: AmendedRound) -> None:
    result = session.result
    if result is None:
        return
    counts = " · ".join(f"{count} {noun}" for _, count, noun in counts_of(entry.finding for entry in amended.kept))
    hidden = f" ({len(result.dropped)} more found and not shown)" if result.dropped else ""
    dropped = len(amended.findings) - len(amended.kept)
    gone = f" ({dropped} dropped)" if dropped else ""
    nothing = "Nothing to show" if result.dropped else "Nothing found"
    found = counted(len(amended.kept), "finding") if amended.findings else nothing
    writer.line((found, "bold"), f"{gone}{f': {counts}' if counts else ''}{hidden}")
    took = duration(result.automated_s)
    writer.line(f"{read_files(result.coverage).capitalize()} in {took}{_left_out(result.coverage)}.")
    for limit in result.coverage.limits:
        writer.line((one_line(limit), "dim"))
    if result.agents:
        names = ", ".join(one_line(run.name) for run in result.agents)
        writer.line((f"Asked: {names}; {spent_in_words(sum_spent(result.agents))}.", "dim"))
    if session.scope is not None and session.scope.uncommitted:
        files = counted(session.scope.uncommitted, "file")
        writer.line(("Uncommitted changes", "yellow"), f" in {files} were not reviewed; `--worktree` includes them.")
    if result.addressed or result.unresolved:
        writer.line(f"Earlier findings: {len(result.addressed)} resolved, {len(result.unresolved)} still open.")


def _left_out(coverage: Coverage) -> str:
    groups = [f"{_named(paths)} ({one_line(reason)})" for reason, paths in by_reason(coverage.left_out).items()]
    return f"; left out: {', '.join(groups)}" if groups else ""


def _named(paths: list[str]) -> str:
    more = f" and {len(paths) - _MAX_NAMED_FILES} more" if len(paths) > _MAX_NAMED_FILES else ""
    return ", ".join(one_line(path) for path in paths[:_MAX_NAMED_FILES]) + more


def _write_next(writer: Writer, session: Session, amended: AmendedRound) -> None:
    kept = amended.kept
    coverage = session.result.coverage if session.result else Coverage(0, 0)
    verdict = recommend((entry.finding for entry in kept), coverage)
    why = reason_for(verdict, kept)
    writer.line("Nothing has been posted. Recommended: ", (VERDICTS[verdict], "bold"), f", {why}.")
    writer.blank()
    commands = _next_commands(kept)
    column = max(len(command) for command, _ in commands) + _INDENT
    fits = column + max(len(does) for _, does in commands) + 2 <= writer.width
    for command, does in commands:
        writer.line(("  " + command.ljust(column if fits else 0), "bold"), does if fits else "")
        if not fits:
            writer.line((does, "dim"), indent=2 * _INDENT)


def _next_commands(kept: Sequence[AmendedFinding]) -> list[tuple[str, str]]:
    if not kept:
        return [
            ("draftgate approve none --as comment", "publishes a review without findings"),
            ("draftgate do '/discard-findings'", "ends the round"),
        ]
    some = example_set(kept)
    rows = [("draftgate approve", f"publishes {all_of(len(kept))}")]
    rows += [(f"draftgate approve {some}", "publishes only that")] if len(kept) > 1 else []
    drop = f"draftgate do '/drop-finding {kept[-1].number} reason'"
    return [*rows, (drop, "rejects one for good"), ("draftgate do /preview-findings", "shows the exact texts")]


def _write_ways_on(writer: Writer, session: Session) -> None:
    """What a person can do about an agent that failed."""
    names = session.failure.names if session.failure else ()
    without = names[0] if len(names) == 1 else "NAME"
    writer.line(("  draftgate do /retry-agent", "bold"), "  asks again what failed; what the others found is kept")
    writer.line((f"  draftgate do '/proceed-without {one_line(without)}'", "bold"), "  goes on without it")
    writer.line(("  draftgate do '/draftgate abort'", "bold"), "  ends the round; nothing is posted")


def _timing(session: Session, amended: AmendedRound, *, posted: int) -> str:
    total = counted(len(amended.findings), "finding")
    took = duration(session.result.automated_s) if session.result else ""
    pause = waited(session)
    parts = (f"{total} ({posted} approved, {len(amended.findings) - posted} not)", took and f"reviewed in {took}")
    return ", ".join(part for part in (*parts, pause and f"waited {pause}") if part) + "."
