"""The list of commands as a reply in Markdown and as a page for a terminal.

It renders the rows that it is given; which commands there are and who may give them is the commands' affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from draftgate.render import neutralize
from draftgate.render.visible import one_line


@dataclass(frozen=True, slots=True)
class HelpRow:
    """One command.

    Attributes:
        usage: As it is written, e.g. ``/drop-finding N [reason]``.
        description: What it does, as a clause.
        who: Who may give it.
        applies_now: Whether it would be accepted in the present phase.
    """

    usage: str
    description: str
    who: str
    applies_now: bool


def help_markdown(rows: Sequence[HelpRow]) -> str:
    """Two tables: what applies now, and the rest, folded."""
    now = [row for row in rows if row.applies_now]
    later = [row for row in rows if not row.applies_now]
    blocks = ["### Draftgate · commands"]
    blocks += [_table(now)] if now else ["No command applies in the present phase."]
    if later:
        summary = "Not in the present phase" if now else "All commands"
        blocks.append(f"<details><summary>{summary}</summary>\n\n{_table(later)}\n</details>")
    return "\n\n".join(blocks) + "\n"


def help_terminal(rows: Sequence[HelpRow]) -> str:
    """The commands that apply now, then the others, one a line with its description under it."""
    blocks = []
    for title, applies in (("Applies now", True), ("Not in the present phase", False)):
        listed = [_lines(row) for row in rows if row.applies_now is applies]
        if listed:
            blocks.append(f"{title}\n" + "\n".join(listed))
    return "\n\n".join(blocks) + "\n"


def _table(rows: Sequence[HelpRow]) -> str:
    head = "| command | does | who |\n| --- | --- | --- |\n"
    return head + "\n".join(
        f"| {neutralize.cell(f'`{row.usage}`')} | {neutralize.cell(row.description)} | {neutralize.cell(row.who)} |"
        for row in rows
    )


def _lines(row: HelpRow) -> str:
    return f"  {one_line(row.usage)}\n      {one_line(row.description)} ({one_line(row.who)})"
