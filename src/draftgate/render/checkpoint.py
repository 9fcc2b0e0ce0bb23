"""The checkpoint: the one page that shows a session to the people who decide about it, in Markdown.

Pure: the same session always gives the same page. It holds no state of its own, and what came from others
cannot break it. The terminal shows the same facts in its own form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict, recommend_verdict
from draftgate.domain.round import EarlierFinding, RoundResult, recommend
from draftgate.domain.session import Session, Submission
from draftgate.render import neutralize
from draftgate.render.audit import audit
from draftgate.render.cards import HANDFUL, card, is_folded, line_of
from draftgate.render.wording import (
    CONSEQUENCES,
    VERDICT_RULE,
    VERDICTS,
    VERDICTS_GIVEN,
    all_of,
    by_reason,
    counted,
    counts_of,
    duration,
    example_set,
    fate_of,
    read_files,
    reason_for,
    short_sha,
    waited,
)

_NOTHING_POSTED = "nothing has been posted"


def checkpoint(session: Session, amended: AmendedRound, *, integrity: str = "") -> str:
    """The page for a session in whatever phase it is.

    Args:
        session: The session.
        amended: Its findings as the accepted commands left them; empty before there is a result.
        integrity: The set-up's row of the integrity table, as sentences for the audit.
    """
    return _page((*_PAGES.get(session.phase, _under_way)(session, amended), audit(session, integrity)))


def _page(blocks: Iterable[str]) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"


def _waiting(session: Session, amended: AmendedRound) -> list[str]:
    kept = amended.kept
    result = session.result
    cards = [card(entry, folded=is_folded(entry, len(amended.findings))) for entry in amended.findings]
    return [
        _heading(_waiting_title(amended)),
        _identity(session, f"{_NOTHING_POSTED} yet"),
        _counts(session, amended),
        *(["---", *cards, "---"] if cards else []),
        _earlier(result) if result else "",
        "#### Your turn" if kept else "#### What you can do",
        _recommendation(kept, result),
        *_actions(session, kept),
    ]


def _waiting_title(amended: AmendedRound) -> str:
    count = len(amended.kept)
    if not amended.findings:
        return "nothing found"
    if not count:
        return "every finding was dropped"
    return f"{counted(count, 'finding')} {'waits' if count == 1 else 'wait'} for your approval"


def _submitted(session: Session, amended: AmendedRound) -> list[str]:
    submission = session.submission
    if submission is None:
        return _under_way(session, amended)
    posted = [entry for entry in amended.findings if entry.number in submission.numbers]
    others = [entry for entry in amended.findings if entry.number not in submission.numbers]
    return [
        _heading(f"submitted: {VERDICTS_GIVEN[submission.verdict]}"),
        _identity(session, _review_link(submission)),
        _who_decided(session, posted, others),
        _fold("What was posted", [line_of(entry) for entry in posted], is_open=len(posted) <= HANDFUL),
        _fold("What was not posted", [f"{line_of(entry)} — {_fate(entry)}" for entry in others]),
    ]


def _who_decided(session: Session, posted: Sequence[AmendedFinding], others: Sequence[AmendedFinding]) -> str:
    who = ""
    if session.payload is not None:
        who = f" by **{neutralize.inline(session.payload.approved_by)}**"
        who += f" ({neutralize.code_span(session.payload.command.strip().partition(chr(10))[0])})"
    fates = [fate_of(entry) for entry in others]
    shares = [f"{len(posted)} of {counted(len(posted) + len(others), 'finding')} {_were(len(posted))} approved{who}"]
    for fate, said in (("rejected", "rejected with a reason"), ("dropped", "dropped"), ("left out", "left out")):
        if count := fates.count(fate):
            shares.append(f"{count} {_were(count)} {said}")
    decided = f"{', '.join(shares)}." if posted or others else f"A review without findings was approved{who}."
    pause = waited(session)
    took = duration(session.result.automated_s) if session.result else ""
    return f"{decided} Reviewed in {took}{f', waited {pause}' if pause else ''}." if took else decided


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _fate(entry: AmendedFinding) -> str:
    fate = fate_of(entry)
    reason = f": *{neutralize.inline(entry.reason)}*" if entry.reason else ""
    return f"{fate}{reason} — {CONSEQUENCES[fate]}"


def _ended(title: str, sentence: str) -> Callable[[Session, AmendedRound], list[str]]:
    def blocks(session: Session, amended: AmendedRound) -> list[str]:
        return [
            _heading(title),
            _identity(session, _review_link(session.submission) if session.submission else _NOTHING_POSTED),
            sentence,
            _command(session, "draftgate review", "/draftgate review"),
            _fold("What had been found", [line_of(entry) for entry in amended.findings]),
        ]

    return blocks


def _failed(session: Session, amended: AmendedRound) -> list[str]:
    failure = session.failure
    reason = neutralize.inline(failure.reason) if failure else "no reason was recorded"
    phase = f" while {failure.phase}" if failure else ""
    again = "Running it again may help:" if failure is None or failure.recoverable else "Once that is mended:"
    return [
        _heading("failed"),
        _identity(session, _NOTHING_POSTED),
        f"The round stopped{phase}: {reason}",
        again,
        _command(session, "draftgate review", "/draftgate review"),
        _fold("What had been found", [line_of(entry) for entry in amended.findings]),
    ]


def _agents_failed(session: Session, _amended: AmendedRound) -> list[str]:
    reason = neutralize.inline(session.failure.reason) if session.failure else "no reason was recorded"
    return [
        _heading("a check failed, so nothing is shown as if it were complete"),
        _identity(session, _NOTHING_POSTED),
        reason,
        "Try again, go on without it, or give the round up:",
        _command(session, "draftgate do '/retry-agent'", "/retry-agent"),
        _command(session, "draftgate do '/proceed-without NAME'", "/proceed-without NAME"),
        _command(session, "draftgate do '/draftgate abort'", "/draftgate abort"),
    ]


def _under_way(session: Session, _amended: AmendedRound) -> list[str]:
    doing = "publishing" if session.phase is Phase.SUBMITTING else "reviewing"
    again = "If this stays, give the approve command again: it goes on where it stopped, and posts nothing twice."
    return [
        _heading(f"{doing} …"),
        _identity(session, str(session.phase).replace("-", " ")),
        again if session.phase is Phase.SUBMITTING else "",
    ]


_PAGES = {
    Phase.AWAITING_APPROVAL: _waiting,
    Phase.CHOOSING_VERDICT: _waiting,
    Phase.FINDINGS_DELIVERED: _waiting,
    Phase.SUBMITTED: _submitted,
    Phase.FAILED: _failed,
    Phase.AGENTS_FAILED: _agents_failed,
    Phase.ABORTED: _ended("discarded", "This round was ended without a review. To look again:"),
    Phase.SUPERSEDED: _ended("superseded", "The change has a newer head than the one reviewed here. To review that:"),
    Phase.FINALIZED: _ended("finalized", "This session is closed. To begin a new one:"),
}


def _heading(title: str) -> str:
    return f"### Draftgate · {title}"


def _identity(session: Session, state: str) -> str:
    change = session.change
    title = neutralize.inline(change.title) or "(no title)"
    name = f"**[{title}]({change.url})**" if change.url else f"**{title}**"
    refs = f"{neutralize.code_span(change.head_ref)} against {neutralize.code_span(change.base_ref)}"
    head = f"`{short_sha(session.scope.head)}`" if session.scope else ""
    parts = (name, "" if change.url else refs, head, f"round {session.round}", state)
    return " · ".join(part for part in parts if part)


def _review_link(submission: Submission) -> str:
    reference = submission.reference
    if reference.startswith(("https://", "http://")):
        return f"[the review]({reference})"
    return f"the review is {neutralize.code_span(reference)}"


def _counts(session: Session, amended: AmendedRound) -> str:
    if session.result is None:
        return ""
    coverage = session.result.coverage
    counts = " · ".join(f"{sign} **{count}** {noun}" for sign, count, noun in _kept_counts(amended))
    groups = by_reason(coverage.left_out)
    small = [f"{len(paths):,} left out: {neutralize.inline(reason)}" for reason, paths in groups.items()]
    small += _worktree_notes(session)
    notes = f" <sub>({'; '.join(small)})</sub>" if small else ""
    return f"{counts} — {read_files(coverage)}{notes}" if counts else f"{read_files(coverage).capitalize()}{notes}"


def _kept_counts(amended: AmendedRound) -> tuple[tuple[str, int, str], ...]:
    return counts_of(entry.finding for entry in amended.kept)


def _worktree_notes(session: Session) -> list[str]:
    scope = session.scope
    if scope is None:
        return []
    if scope.includes_worktree:
        return ["uncommitted changes included"]
    return [f"uncommitted changes in {counted(scope.uncommitted, 'file')} not reviewed"] if scope.uncommitted else []


def _earlier(result: RoundResult) -> str:
    if not result.addressed and not result.unresolved:
        return ""
    head = f"**Earlier findings** — ✅ {len(result.addressed)} resolved · ⟳ {len(result.unresolved)} still open"
    lines = [f"- ✅ {_earlier_line(entry)}" for entry in result.addressed]
    lines += [f"- ⟳ {_earlier_line(entry)}" for entry in result.unresolved]
    return f"{head}\n\n" + "\n".join(lines)


def _earlier_line(entry: EarlierFinding) -> str:
    place = "" if entry.path is None else entry.path if entry.line is None else f"{entry.path}:{entry.line}"
    where = f"{neutralize.code_span(place)} " if place else ""
    return f"{where}{neutralize.inline(entry.subject)} <sub>round {entry.round}</sub>"


def _recommendation(kept: Sequence[AmendedFinding], result: RoundResult | None) -> str:
    if result is None:
        return ""
    verdict = recommend((entry.finding for entry in kept), result.coverage)
    return f"Recommended: **{VERDICTS[verdict]}**, {reason_for(verdict, kept)}."


def _actions(session: Session, kept: Sequence[AmendedFinding]) -> list[str]:
    """What to do next, each with a command that is ready to copy."""
    if not kept:
        return [
            "Publish a review without findings, or approve the change with it:",
            _command(session, "draftgate approve none --as comment", "/approve-findings none --as comment"),
            _command(session, "draftgate approve none --as approve", "/approve-findings none --as approve"),
            _last_words(session),
        ]
    some = example_set(kept)
    blocks = [f"Publish {all_of(len(kept))}:", _command(session, "draftgate approve", "/approve-findings")]
    if recommend_verdict(entry.finding for entry in kept) is Verdict.APPROVE:
        blocks += [
            "… and approve the change with it:",
            _command(session, "draftgate approve --as approve", "/approve-findings --as approve"),
        ]
    if len(kept) > 1:
        blocks += ["Publish some:", _command(session, f"draftgate approve {some}", f"/approve-findings {some}")]
    drop = f"/drop-finding {kept[-1].number} why it does not hold"
    return [
        *blocks,
        "Reject one, with the reason, so that it is not raised again:",
        _command(session, f"draftgate do '{drop}'", drop),
        VERDICT_RULE + " " + _last_words(session),
    ]


def _last_words(session: Session) -> str:
    if session.change.number is None:
        return (
            "`draftgate do '/discard-findings'` ends the round without a review; "
            "`draftgate do '/draftgate help'` lists the rest."
        )
    return "`/discard-findings` ends the round without a review; `/draftgate help` lists the rest."


def _command(session: Session, shell: str, comment: str) -> str:
    """A command in its own block, to be copied: for a terminal where there is no conversation to comment in."""
    return neutralize.fenced([shell if session.change.number is None else comment])


def _fold(title: str, lines: Sequence[str], *, is_open: bool = False) -> str:
    if not lines:
        return ""
    listed = "\n".join(f"- {line}" for line in lines)
    return f"<details{' open' if is_open else ''}><summary>{title}</summary>\n\n{listed}\n</details>"
