"""The one comment that answers a comment with commands: what was done, or why not and what to write.

Short, in the configured language where a sentence is fixed; reasons come from the commands themselves. The command
is quoted as code, so that neither Draftgate nor another bot reads it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from draftgate.domain.review import ReviewComment
from draftgate.render import neutralize
from draftgate.render.cards import quoted
from draftgate.render.help import HelpRow
from draftgate.render.language import FALLBACK, sentences
from draftgate.render.links import is_address
from draftgate.render.page import LIMIT, close_fence, cut, join
from draftgate.render.wording import place_of

_ROOM = LIMIT - 2_000
_MAX_QUOTED = 5


def done(command: str, said: str, *, page: str = "", language: str = FALLBACK) -> str:
    """A command was done.

    Args:
        command: The comment as it was written, or the lines of it that are answered.
        said: What was done, as sentences of ours; "" for a command that only shows something.
        page: What is shown below: `help_page`, `preview_page`, or what now applies.
        language: Of the fixed sentences.
    """
    head = f"**{sentences(language).done}** — {neutralize.markdown(said)}" if said else ""
    return cut(join((_asked(command), head, page)), _ROOM)


def refused(command: str, reason: str, write: str, *, language: str = FALLBACK) -> str:
    """A command was not done: why, and what to write instead."""
    said = sentences(language)
    instead = f"**{said.instead}** — {neutralize.markdown(write)}" if write else ""
    return cut(join((_asked(command), f"**{said.not_done}** — {neutralize.markdown(reason)}", instead)), _ROOM)


def not_allowed(command: str, who: str, setting: str = "", *, language: str = FALLBACK) -> str:
    """A command of somebody who may not give it: who may, and the setting that would let them.

    Args:
        command: As it was written.
        who: Who may, as help says it.
        setting: Lines of the configuration file that would allow it; "" if none would.
        language: Of the fixed sentences.
    """
    said = sentences(language)
    would = f"{said.setting}\n\n{neutralize.fenced(setting.split(chr(10)), 'yaml')}" if setting else ""
    who_may = f"**{said.who_may}** — {neutralize.markdown(who)}"
    return _not_done(command, said.you_may_not, who_may, would, language=language)


def verdict_refused(command: str, reason: str, submit: str, *, language: str = FALLBACK) -> str:
    """The forge does not take the verdict: its reason, and the command that would submit the review."""
    said = sentences(language)
    would = f"{said.would_submit}\n\n{neutralize.fenced([submit])}"
    return _not_done(command, f"{said.verdict_refused} {neutralize.markdown(reason)}", would, language=language)


def running(command: str, run_url: str, *, language: str = FALLBACK) -> str:
    """A review is being made; the command comes too early."""
    said = sentences(language)
    link = f" → [{said.the_run}]({run_url})" if is_address(run_url) else ""
    return _not_done(command, f"{said.running}{link}", said.once_shown, language=language)


def superseded(command: str, reason: str, again: str = "/draftgate review", *, language: str = FALLBACK) -> str:
    """The change moved on or is closed: why, and the command for a new round."""
    said = sentences(language)
    would = f"{said.new_round}\n\n{neutralize.fenced([again])}"
    return _not_done(command, f"{said.superseded} {neutralize.markdown(reason)}", would, language=language)


def help_page(rows: Sequence[HelpRow]) -> str:
    """The commands as tables: those that apply now, then the others; and who may give them."""
    tables = []
    for title, applies in (("Applies now", True), ("Not in the present phase", False)):
        listed = [f"| {neutralize.cell(f'`{row.usage}`')} | {neutralize.cell(row.description)} |" for row in rows
                  if row.applies_now is applies]  # fmt: skip
        if listed:
            tables.append("\n".join((f"| {title} | |", "| --- | --- |", *listed)))
    return join((*tables, "**Who may**", "\n".join(_who(rows))))


def preview_page(body: str, comments: Iterable[ReviewComment]) -> str:
    """The review as it would be posted: body, then every comment at its place, each within its own quotation."""
    shown = [quoted(close_fence(body))]
    for comment in comments:
        place = place_of(comment.anchor)
        where = neutralize.code_span(place) if place else "in the body"
        shown.append(f"**{comment.number}** · {where}\n\n{quoted(close_fence(comment.text))}")
    return join(shown)


def _who(rows: Sequence[HelpRow]) -> list[str]:
    [(usual, _)] = Counter(row.who for row in rows).most_common(1)
    others = [row for row in rows if row.who != usual]
    named = [f"- {neutralize.inline(f'`{row.usage.split()[0]}`')}: {neutralize.inline(row.who)}" for row in others]
    return [*named, f"- {'the others' if named else 'all'}: {neutralize.inline(usual)}"]


def _not_done(command: str, reason: str, *more: str, language: str) -> str:
    said = sentences(language)
    return cut(join((_asked(command), f"**{said.not_done}** — {reason}", *more, said.nothing_posted)), _ROOM)


def _asked(command: str) -> str:
    """The commands of a comment as a quotation of code."""
    lines = [line.strip() for line in command.splitlines() if line.strip()]
    named = [line for line in lines if line.startswith("/")] or lines[:1]
    spans = [neutralize.code_span(line if len(line) <= 120 else f"{line[:119]}…") for line in named[:_MAX_QUOTED]]
    more = [f"and {len(named) - _MAX_QUOTED} more"] if len(named) > _MAX_QUOTED else []
    return quoted("  \n".join([*spans, *more]))
