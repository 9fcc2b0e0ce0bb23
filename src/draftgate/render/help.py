"""The list of commands as a page for a terminal.

It renders the rows that it is given; which commands there are and who may give them is the commands' affair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from draftgate.render.visible import one_line


@dataclass(frozen=True, slots=True)
class HelpRow:
    """One command.

    Attributes:
        usage: As it is written, e.g. ``/drop-finding N [reason]``.
        description: What it does, as a sentence.
        who: Who may give it on a forge.
        applies_now: Whether it would be accepted in the present phase.
    """

    usage: str
    description: str
    who: str
    applies_now: bool


def help_terminal(rows: Sequence[HelpRow]) -> str:
    """The commands that apply now, then the others, then who may give them."""
    blocks = []
    for title, applies in (("Applies now", True), ("Not in the present phase", False)):
        listed = [_lines(row) for row in rows if row.applies_now is applies]
        if listed:
            blocks.append(f"{title}\n" + "\n".join(listed))
    blocks.append("Who may, on a forge\n" + "\n".join(_who(rows)))
    return "\n\n".join(blocks) + "\n"


def _lines(row: HelpRow) -> str:
    return f"  {one_line(row.usage)}\n      {one_line(row.description)}"


def _who(rows: Sequence[HelpRow]) -> Iterator[str]:
    """The rule of most commands once, and by name those that have another."""
    [(usual, _)] = Counter(row.who for row in rows).most_common(1)
    for row in rows:
        if row.who != usual:
            yield f"  {one_line(row.usage.split()[0])}: {one_line(row.who)}"
    yield f"  the others: {one_line(usual)}"
