"""The folded audit at the end of a checkpoint: how the round came about and what can be checked about it.

It lists facts that stand in the session; it proves nothing by itself and says so (the integrity sentence).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from draftgate.domain.agent_run import AgentRun, Spent, sum_spent
from draftgate.domain.finding import AnchorKind
from draftgate.domain.phase import Phase
from draftgate.domain.round import CheckRun, Dropped, RoundResult
from draftgate.domain.selection import spell
from draftgate.domain.session import AcceptedCommand, RoundScope, Session
from draftgate.render import neutralize
from draftgate.render.visible import one_line
from draftgate.render.wording import ROUND_KINDS, by_reason, cost_of, counted, duration, short_sha, spent_in_words

_BEFORE_REVIEW = frozenset({Phase.AWAITING_APPROVAL, Phase.CHOOSING_VERDICT, Phase.SUBMITTING})
"""Where a draft still waits; afterwards it is the review, or it is gone."""

_MAX_LISTED = 200
_LONGEST_REASON = 500
_DIGEST = 12


def audit(session: Session, integrity: str) -> str:
    """The folded audit; "" before there is a result.

    Args:
        session: The session.
        integrity: What a hand edit of this page could and could not do in this set-up, as sentences.
    """
    if session.result is None:
        return ""
    parts = (
        _scope(session.scope) if session.scope else "",
        _checks(session.result.checks),
        models_asked(session.result.agents, session.spent),
        _dropped(session.result.dropped),
        _coverage(session.result),
        _commands(session.commands),
        _draft(session, session.result),
        _digests(session),
        f"**Integrity** — {integrity}" if integrity else "",
    )
    body = "\n\n".join(part for part in parts if part)
    return f"<details><summary><sub>{_summary(session, session.result)}</sub></summary>\n\n{body}\n</details>"


def _summary(session: Session, result: RoundResult) -> str:
    seal = f" · seal <code>{session.seal[:_DIGEST]}</code>" if session.seal else ""
    agents = f" · {counted(len(result.agents), 'agent')} · {cost_of(sum_spent(result.agents))}" if result.agents else ""
    return f"Audit · {counted(len(result.checks), 'check')}{agents} · {duration(result.automated_s)}{seal}"


def _scope(scope: RoundScope) -> str:
    base, head = f"`{short_sha(scope.base)}`", f"`{short_sha(scope.head)}`"
    proved = f"{base} is proved to be a merge base of `{short_sha(scope.base_tip)}` and {head}"
    others = ", ".join(f"`{short_sha(sha)}`" for sha in scope.other_bases)
    sentences = (
        f"**Scope** — {ROUND_KINDS[scope.kind]}: {base}..{head}; {proved}.",
        f"Git names other merge bases too: {others}." if others else "",
        f"Last reviewed: `{short_sha(scope.last_reviewed)}`." if scope.last_reviewed else "",
        " ".join(neutralize.inline(reason) for reason in scope.reasons),
    )
    return " ".join(sentence for sentence in sentences if sentence)


def _checks(checks: tuple[CheckRun, ...]) -> str:
    if not checks:
        return ""
    rows = [f"| {_check_name(run)} | {run.findings} | {run.kept} | {duration(run.seconds)} |" for run in checks]
    return "\n".join(("| check | findings | kept | time |", "| --- | ---: | ---: | ---: |", *rows))


def _check_name(run: CheckRun) -> str:
    name = neutralize.cell(run.id)
    return f"{name} — failed: {neutralize.cell(run.failure)}" if run.failure else name


def models_asked(runs: tuple[AgentRun, ...], so_far: Spent) -> str:
    """Which models were asked, what it cost, and what was sent to whom; "" if none was.

    Args:
        runs: One per agent of the round.
        so_far: What models cost on the change in all its rounds.
    """
    if not runs:
        return ""
    table = (
        "| agent | model | requests | tokens | cost | findings | kept | time |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    )
    rows = [*table, *map(_agent_row, runs)]
    total = f"On this change so far: {spent_in_words(so_far)}."
    sent = "**Sent to models**\n\n" + _listed(map(_sent, runs))
    return "\n\n".join(("\n".join(rows), total, sent))


def _agent_row(run: AgentRun) -> str:
    name = neutralize.cell(run.name)
    if run.failure:
        name += f" — failed: {neutralize.cell(run.failure)}"
    if run.stopped_early:
        name += f" — answered early: {neutralize.cell(run.stopped_early)}"
    spent = run.spent
    cached = f" ({spent.cached_tokens:,} cached)" if spent.cached_tokens else ""
    tokens = f"{spent.input_tokens:,} in{cached}, {spent.output_tokens:,} out"
    cells = (name, _model(run), spent.requests, tokens, cost_of(spent), run.findings, run.kept, duration(run.seconds))
    return f"| {' | '.join(map(str, cells))} |"


def _model(run: AgentRun) -> str:
    asked = (
        f"{neutralize.cell(run.model)} ({run.tier}{f', effort {neutralize.cell(run.effort)}' if run.effort else ''})"
    )
    other = run.answered_as and run.answered_as != run.model.partition(":")[2]
    return f"{asked}, answered as {neutralize.cell(run.answered_as)}" if other else asked


def _sent(run: AgentRun) -> str:
    first, *others = run.sent or ("nothing of the change",)
    named = (neutralize.code_span(one_line(entry, _LONGEST_REASON)) for entry in others)
    what = "; ".join((neutralize.inline(first, _LONGEST_REASON), *named))
    return (
        f"{neutralize.inline(run.name)}, {run.sent_characters:,} characters to {neutralize.code_span(run.host)}: {what}"
    )


def _dropped(dropped: tuple[Dropped, ...]) -> str:
    if not dropped:
        return ""
    counts = Counter(entry.reason for entry in dropped)
    head = ", ".join(f"{count} {neutralize.inline(reason)}" for reason, count in counts.items())
    return f"**Found, but not shown** — {head}:\n\n" + _listed(
        f"{neutralize.inline(entry.reason)}: {neutralize.inline(entry.subject)}"
        + (f" ({neutralize.code_span(entry.path)})" if entry.path else "")
        + (f" — {neutralize.inline(entry.why, _LONGEST_REASON)}" if entry.why else "")
        for entry in dropped
    )


def _coverage(result: RoundResult) -> str:
    coverage = result.coverage
    groups = [f"{neutralize.inline(reason)}: {_paths(paths)}" for reason, paths in by_reason(coverage.left_out).items()]
    lines = [*groups, *(neutralize.inline(limit) for limit in coverage.limits)]
    return "**Not read, or only in part**\n\n" + _listed(lines) if lines else ""


def _paths(paths: list[str]) -> str:
    named = ", ".join(neutralize.code_span(path) for path in paths[:_MAX_LISTED])
    return named + (f" and {len(paths) - _MAX_LISTED} more" if len(paths) > _MAX_LISTED else "")


def _commands(commands: tuple[AcceptedCommand, ...]) -> str:
    if not commands:
        return ""
    return "**Commands accepted**\n\n" + _listed(
        f"{command.at} · {neutralize.inline(command.author)} · {neutralize.code_span(_first_line(command.text))}"
        for command in commands
    )


def _first_line(text: str) -> str:
    first, _, rest = text.strip().partition("\n")
    return f"{first.rstrip()} …" if rest else first


def _draft(session: Session, result: RoundResult) -> str:
    """Where the findings wait and what each hangs on; said where there is a conversation to hang it in."""
    if session.change.number is None or session.phase not in _BEFORE_REVIEW or not result.findings:
        return ""
    hung = [f"{said} {spell(numbers)}" for kind, said in _HUNG.items() if (numbers := _numbers(result, kind))]
    held = "waits as a draft review that nobody but the bot's account sees"
    if not session.holds_draft:
        why = f" ({neutralize.inline(session.why_not_held)})" if session.why_not_held else ""
        held = f"is made only once something is approved{why}"
    return f"**Draft** — it {held}: {'; '.join(hung)}."


_HUNG = {
    AnchorKind.LINE: "on their lines",
    AnchorKind.FILE: "on their files, since the diff does not show the line,",
    AnchorKind.NONE: "in the body of the review, since no thread can carry them,",
}


def _numbers(result: RoundResult, kind: AnchorKind) -> list[int]:
    return [shown.number for shown in result.findings if shown.finding.anchor.kind is kind]


def _digests(session: Session) -> str:
    scope = session.scope
    named = {
        "seal": session.seal,
        "scope evidence": scope.evidence_digest if scope else "",
        "scope decision": scope.decision_digest if scope else "",
        "handoff": scope.handoff_digest if scope else "",
        "configuration": scope.configuration_digest if scope else "",
    }
    shown = " · ".join(f"{name} `{value[:_DIGEST]}`" for name, value in named.items() if value)
    return f"**Digests** (SHA-256) — {shown}" if shown else ""


def _listed(lines: Iterable[str]) -> str:
    every = list(lines)
    more = [f"- and {len(every) - _MAX_LISTED} more"] if len(every) > _MAX_LISTED else []
    return "\n".join([*(f"- {line}" for line in every[:_MAX_LISTED]), *more])
