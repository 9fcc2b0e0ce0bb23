"""The checkpoint: the one page that shows a session to the people who decide about it, in Markdown.

Pure: the same session always gives the same page. It holds no state of its own, and what came from others
cannot break it. The terminal shows the same facts in its own form.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from draftgate.domain.agent_run import AgentRun
from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict, recommend_verdict
from draftgate.domain.round import EarlierFinding, RoundResult, recommend
from draftgate.domain.session import Session, Submission
from draftgate.errors import Problem
from draftgate.render import neutralize
from draftgate.render.audit import audit, models_asked
from draftgate.render.cards import HANDFUL, card, is_folded, line_of, quoted
from draftgate.render.language import FALLBACK
from draftgate.render.links import NOWHERE, Links, is_address
from draftgate.render.page import Page, join, size
from draftgate.render.setting import ANYWHERE, Setting
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
    waited,
)

_ACCOUNT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?")
_UNTIL_MENDED = "nothing is done here until the file on the target branch is mended."
_NO_NEW_REVIEW = "no new review begins until that is there. Commands on a round that waits work as before."
_WHAT_STAYS = "What stands below, and its draft, stay."
_LIST_ROOM = 18_000
"""Bytes of a list in the part of a page that is never parted."""

_LONGEST_REASON = 2_000
_LONGEST_LEFT = 1_000

_NOTHING_POSTED = "nothing has been posted"


def checkpoint(session: Session, amended: AmendedRound, setting: Setting = ANYWHERE) -> Page:
    """The page for a session in whatever phase it is.

    Args:
        session: The session.
        amended: Its findings as the accepted commands left them; empty before there is a result.
        setting: Where the page stands.
    """
    links = _links(session, setting)
    view = _View(session, amended, setting, links)
    page = _PAGES.get(session.phase, _under_way)(view)
    said = _NO_NEW_REVIEW if setting.only_reviews_stop else f"{_UNTIL_MENDED} {_WHAT_STAYS}"
    head = join((_banner(setting.problems, said), page.head))
    return dataclasses.replace(page, head=head, audit=audit(session, setting.integrity))


def _links(session: Session, setting: Setting) -> Links:
    here = Links(setting.repository_url, style=setting.link_style)
    if session.scope is not None:
        return dataclasses.replace(here, head=session.scope.head, base=session.scope.base)
    return NOWHERE if session.reviewing is None else dataclasses.replace(here, head=session.reviewing)


@dataclass(frozen=True, slots=True)
class _View:
    """All that a page is made of."""

    session: Session
    amended: AmendedRound
    setting: Setting
    links: Links

    def lines(self, entries: Sequence[AmendedFinding]) -> list[str]:
        """Findings on one line each."""
        return [line_of(entry, self.links) for entry in entries]


def broken_configuration(problems: Sequence[Problem], *, only_reviews_stop: bool = False) -> str:
    """What is shown where the configuration is broken and there is no checkpoint yet."""
    said = _NO_NEW_REVIEW if only_reviews_stop else _UNTIL_MENDED
    return join((_heading("nothing is reviewed"), _banner(problems, said)))


def _banner(problems: Sequence[Problem], said: str) -> str:
    """A broken configuration, above everything else: commands are refused until it is mended."""
    if not problems:
        return ""
    where = "with keys for models" if said == _NO_NEW_REVIEW else "in the configuration"
    title = f"⚠️ **{counted(len(problems), 'problem')} {where}** — {said}"
    return quoted(f"{title}\n\n{_listed([neutralize.inline(str(problem), 600) for problem in problems])}")


def _waiting(view: _View) -> Page:
    session, kept, result = view.session, view.amended.kept, view.session.result
    entries = view.amended.findings
    language = result.language if result else FALLBACK
    cards = tuple(
        card(entry, folded=is_folded(entry, len(entries)), links=view.links, language=language) for entry in entries
    )
    rule = "---" if cards else ""
    above = (
        _heading(_waiting_title(view.amended)),
        _identity(view, f"{_NOTHING_POSTED} yet"),
        _mentions(view.setting.notify) if kept else "",
        counts_line(session, view.amended),
        rule,
    )
    below = (
        rule,
        _earlier(result) if result else "",
        "#### Your turn" if kept else "#### What you can do",
        _recommendation(kept, result),
        *_actions(session, kept),
        *_notes(view),
    )
    return Page(join(above), cards, join(below))


def _mentions(accounts: Sequence[str]) -> str:
    """Names of the configuration only, and only those that can be names of accounts or teams."""
    names = (account.removeprefix("@") for account in accounts)
    mentioned = [f"@{name}" for name in dict.fromkeys(names) if _ACCOUNT.fullmatch(name)]
    return f"{' '.join(mentioned)} — findings wait." if mentioned else ""


def _notes(view: _View) -> list[str]:
    session = view.session
    notes = []
    if session.why_not_held:
        notes.append(
            f"The draft review is made only once something is approved: {neutralize.inline(session.why_not_held)}."
        )
    if view.setting.account_is_shared and session.round == 1:
        notes.append(
            "This bot shares its account with every workflow of the repository. A GitHub App of its own is better: "
            "no other workflow's draft review can then be in its way, and none can write under its name."
        )
    return [f"<sub>{note}</sub>" for note in notes]


def _waiting_title(amended: AmendedRound) -> str:
    count = len(amended.kept)
    if not amended.findings:
        return "nothing found"
    if not count:
        return "every finding was dropped"
    return f"{counted(count, 'finding')} {'waits' if count == 1 else 'wait'} for your approval"


def _submitted(view: _View) -> Page:
    session, findings, submission = view.session, view.amended.findings, view.session.submission
    if submission is None:
        return _under_way(view)
    posted = [entry for entry in findings if entry.number in submission.numbers]
    others = [entry for entry in findings if entry.number not in submission.numbers]
    fates = zip(view.lines(others), others, strict=True)
    return _single(
        _heading(f"submitted: {VERDICTS_GIVEN[submission.verdict]}"),
        _identity(view, _review_link(submission)),
        _who_decided(session, posted, others),
        f"⚠️ Not all of it: {neutralize.inline(submission.left, _LONGEST_LEFT)}." if submission.left else "",
        _fold("What was posted", view.lines(posted), is_open=len(posted) <= HANDFUL),
        _fold("What was not posted", [f"{line} — {_fate(entry)}" for line, entry in fates]),
    )


def _single(*blocks: str) -> Page:
    return Page(join(blocks))


def _who_decided(session: Session, posted: Sequence[AmendedFinding], others: Sequence[AmendedFinding]) -> str:
    who = ""
    if session.payload is not None:
        who = f" by **{neutralize.inline(session.payload.given.author)}**"
        who += f" ({neutralize.code_span(session.payload.given.text.strip().partition(chr(10))[0])})"
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


def _ended(title: str, sentence: str) -> Callable[[_View], Page]:
    def page(view: _View) -> Page:
        submission = view.session.submission
        return _single(
            _heading(title),
            _identity(view, _review_link(submission) if submission else _NOTHING_POSTED),
            sentence,
            _command(view.session, "draftgate review", "/draftgate review"),
            _found(view),
        )

    return page


def _failed(view: _View) -> Page:
    failure = view.session.failure
    reason = neutralize.inline(failure.reason) if failure else "no reason was recorded"
    phase = f" while {failure.phase}" if failure else ""
    again = "Running it again may help:" if failure is None or failure.recoverable else "Once that is mended:"
    return _single(
        _heading("failed"),
        _identity(view, _NOTHING_POSTED),
        f"The round stopped{phase}: {reason}",
        again,
        _command(view.session, "draftgate review", "/draftgate review"),
        _found(view),
    )


def _found(view: _View) -> str:
    return _fold("What had been found", view.lines(view.amended.findings))


def _agents_failed(view: _View) -> Page:
    session, failure = view.session, view.session.failure
    names = failure.names if failure else ()
    reason = neutralize.inline(failure.reason, _LONGEST_REASON) if failure else "no reason was recorded"
    runs = tuple(outcome.run for outcome in session.kept.outcomes) if session.kept else ()
    done = [run for run in runs if not run.failure]
    without = names[0] if len(names) == 1 else "NAME"
    return _single(
        _heading(f"{' and '.join(map(neutralize.inline, names)) or 'an agent'} failed"),
        _identity(view, _NOTHING_POSTED),
        reason,
        "Nothing is shown, since it would not be complete." + (f" {_kept(done)}" if done else ""),
        "Ask again, go on without what failed, or give the round up:",
        _command(session, "draftgate do '/retry-agent'", "/retry-agent"),
        _command(session, f"draftgate do '/proceed-without {without}'", f"/proceed-without {without}"),
        _command(session, "draftgate do '/draftgate abort'", "/draftgate abort"),
        _folded_block("What was asked", models_asked(runs, session.spent)),
    )


def _kept(done: Sequence[AgentRun]) -> str:
    """The others are not asked again; how much they found says nothing yet about what it is worth."""
    names = ", ".join(neutralize.inline(run.name) for run in done)
    return f"What {names} found is kept and not asked for again."


def _folded_block(title: str, block: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{block}\n</details>" if block else ""


def _under_way(view: _View) -> Page:
    phase = view.session.phase
    doing = "publishing" if phase is Phase.SUBMITTING else "reviewing"
    again = "If this stays, give the approve command again: it goes on where it stopped, and posts nothing twice."
    return _single(
        _heading(f"{doing} …"),
        _identity(view, str(phase).replace("-", " ")),
        again if phase is Phase.SUBMITTING else _run(view.session.run_url),
    )


def _run(url: str) -> str:
    return f"[The run]({url}) shows how far it is." if is_address(url) else ""


_PAGES = {
    Phase.AWAITING_APPROVAL: _waiting,
    Phase.CHOOSING_VERDICT: _waiting,
    Phase.FINDINGS_DELIVERED: _waiting,
    Phase.SUBMITTED: _submitted,
    Phase.FAILED: _failed,
    Phase.AGENTS_FAILED: _agents_failed,
    Phase.ABORTED: _ended("discarded", "This round was ended without a review. To look again:"),
    Phase.SUPERSEDED: _ended("superseded", "The change has a newer head than the one reviewed here. To review that:"),
    Phase.FINALIZED: _ended(
        "finalized", "This session is closed. As long as the change is open, this begins a new one:"
    ),
}


def _heading(title: str) -> str:
    return f"### Draftgate · {title}"


def _identity(view: _View, state: str) -> str:
    session, change = view.session, view.session.change
    url = change.url if change.url and is_address(change.url) else ""
    refs = f"{neutralize.code_span(change.head_ref)} against {neutralize.code_span(change.base_ref)}"
    continues = view.setting.continues
    parts = (
        f"**{neutralize.inline(change.title) or '(no title)'}**",
        url or refs,
        view.links.commit(view.links.head) if view.links.head else "",
        f"round {session.round}",
        state,
        f"continues {continues}" if is_address(continues) else "",
    )
    return " · ".join(part for part in parts if part)


def _review_link(submission: Submission) -> str:
    reference = submission.reference
    if is_address(reference):
        return f"[the review]({reference})"
    return f"the review is {neutralize.code_span(reference)}"


def counts_line(session: Session, amended: AmendedRound) -> str:
    """How many findings of each severity, what was read and what was left out; "" before there is a result."""
    if session.result is None:
        return ""
    coverage = session.result.coverage
    counts = " · ".join(f"{sign} **{count}** {noun}" for sign, count, noun in _kept_counts(amended))
    groups = by_reason(coverage.left_out)
    small = [f"{len(paths):,} left out: {neutralize.inline(reason)}" for reason, paths in groups.items()]
    small += _worktree_notes(session)
    small += [f"**{neutralize.inline(hindrance)}**" for hindrance in coverage.hindrances]
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
    lines = [f"✅ {_earlier_line(entry)}" for entry in result.addressed]
    lines += [f"⟳ {_earlier_line(entry)}" for entry in result.unresolved]
    return f"{head}\n\n{_listed(lines)}"


def _listed(lines: Sequence[str]) -> str:
    """A list that leaves room for the rest of the page, however long the lines are."""
    ends = accumulate(size(line) + 3 for line in lines)
    shown = sum(end <= _LIST_ROOM for end in ends)
    more = [f"- and {len(lines) - shown:,} more"] if shown < len(lines) else []
    return "\n".join([*(f"- {line}" for line in lines[:shown]), *more])


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
    listed = _listed(lines)
    return f"<details{' open' if is_open else ''}><summary>{title}</summary>\n\n{listed}\n</details>"
