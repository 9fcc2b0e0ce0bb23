"""The job summary: what a run did, for whoever opens the run's page; and its one line of timing.

Where the token cannot write, it is the only place that shows the findings. It is as public as the run, and holds
nothing that the checkpoint would not hold.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.session import Session, Submission
from draftgate.render import neutralize
from draftgate.render.cards import card
from draftgate.render.checkpoint import counts_line
from draftgate.render.language import FALLBACK
from draftgate.render.links import NOWHERE, Links, is_address
from draftgate.render.page import cut, join
from draftgate.render.wording import SIGNS, counted, duration, short_sha

LIMIT = 1_000_000
"""Bytes; GitHub refuses a step's summary of more than 1 MiB
(docs.github.com, "Workflow commands", "Adding a job summary")."""

_CARD_ROOM = 40_000
_MINUTE = 60


@dataclass(frozen=True, slots=True)
class Timing:
    """Where the time of a run or of a round went.

    Attributes:
        automated_s: Seconds of work.
        waited_s: Seconds in which the findings waited for a person; ``None`` if nothing was submitted.
        requests: To the forge; ``None`` where they were not counted, as in a run that stopped.
    """

    automated_s: float
    waited_s: float | None = None
    requests: int | None = None


@dataclass(frozen=True, slots=True)
class Happened:
    """What a run did, in words of ours.

    Attributes:
        title: A few words: ``findings wait``, ``skipped``.
        said: Sentences of Markdown; what came from others in them is neutralized here.
        checkpoint_url, review_url: Where to look, or "".
        shows_findings: Nothing could be written to the change, so the findings stand here in full.
    """

    title: str
    said: str = ""
    checkpoint_url: str = ""
    review_url: str = ""
    shows_findings: bool = False


def timing_line(timing: Timing) -> str:
    """``automated 12.3 s · waited 2 h 3 min · 9 requests``."""
    waited = "" if timing.waited_s is None else f"waited {duration(timing.waited_s)}"
    automated = duration(timing.automated_s) if timing.automated_s >= _MINUTE else f"{timing.automated_s:.1f} s"
    requests = "" if timing.requests is None else counted(timing.requests, "request")
    parts = (f"automated {automated}", waited, requests)
    return " · ".join(part for part in parts if part)


def job_summary(
    happened: Happened,
    timing: Timing,
    session: Session | None = None,
    amended: AmendedRound | None = None,
    links: Links = NOWHERE,
) -> str:
    """The summary as Markdown of at most `LIMIT` bytes."""
    blocks = [f"### Draftgate · {neutralize.inline(happened.title)}", _where(happened, session)]
    blocks.append(neutralize.markdown(happened.said))
    if session is not None and amended is not None and session.result is not None:
        scope = session.scope
        at = dataclasses.replace(links, head=scope.head, base=scope.base) if scope else NOWHERE
        blocks += [counts_line(session, amended), _findings(session, amended, at, in_full=happened.shows_findings)]
    last = f"<sub>{timing_line(timing)}</sub>"
    return f"{cut(join(blocks), LIMIT - 1_000)}\n\n{last}\n"


def _where(happened: Happened, session: Session | None) -> str:
    parts = []
    if session is not None:
        change = session.change
        parts.append(f"**{neutralize.inline(change.title) or '(no title)'}**")
        parts += [change.url] if change.url and is_address(change.url) else []
        parts += [f"`{short_sha(session.scope.head)}`"] if session.scope else []
        parts.append(f"round {session.round}")
    urls = (("checkpoint", happened.checkpoint_url), ("review", happened.review_url))
    parts += [f"[the {name}]({url})" for name, url in urls if is_address(url)]
    return " · ".join(parts)


def _findings(session: Session, amended: AmendedRound, links: Links, *, in_full: bool) -> str:
    entries = amended.findings
    if not entries:
        return ""
    if not in_full:
        return _table(entries, session.submission, links)
    language = session.result.language if session.result else FALLBACK
    # No box: nothing can be approved from here.
    cards = (card(entry, folded=False, links=links, language=language).removeprefix("- [ ] ") for entry in entries)
    return join(cut(shown, _CARD_ROOM) for shown in cards)


def _table(entries: Sequence[AmendedFinding], submission: Submission | None, links: Links) -> str:
    rows = (
        f"| {entry.number} | {_label(entry)}{_note(entry, submission)} | {links.cell(entry.finding)} "
        f"| {neutralize.cell(entry.finding.subject)} |"
        for entry in entries
    )
    return "\n".join(("| | finding | place | subject |", "| ---: | --- | --- | --- |", *rows))


def _label(entry: AmendedFinding) -> str:
    return f"{SIGNS[entry.finding.severity]} {entry.finding.label}"


def _note(entry: AmendedFinding, submission: Submission | None) -> str:
    """What is not, or not so, in the review, or will not be."""
    if entry.dropped:
        return " (dropped)"
    if submission is not None and entry.number not in submission.numbers:
        return " (left out)"
    return "" if entry.text is None else " (reworded)"
