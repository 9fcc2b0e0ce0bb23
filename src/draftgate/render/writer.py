"""Lines for a terminal: wrapped to its width, in its colours, with nothing in them that it would obey."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from draftgate.render.visible import no_command, terminal

if TYPE_CHECKING:
    from rich.text import Text

_MIN_WIDTH = 40
_MAX_TEXT_WIDTH = 92


@dataclass(frozen=True, slots=True)
class Screen:
    """Where the text goes: how many columns, and whether colours may be used."""

    width: int = 80
    color: bool = False


class Writer:
    """Collects lines of one screen; every text handed in is already safe for a terminal."""

    def __init__(self, screen: Screen) -> None:
        from rich.console import Console  # noqa: PLC0415  # not loaded by `draftgate --help`

        self.width = max(_MIN_WIDTH, screen.width)
        self._file = StringIO()
        self._console = Console(
            file=self._file,
            width=self.width,
            force_terminal=screen.color,
            color_system="standard" if screen.color else None,
            no_color=not screen.color,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
            _environ={},
        )

    @property
    def text(self) -> str:
        """Everything written so far."""
        return "".join(f"{no_command(line.rstrip())}\n" for line in self._file.getvalue().split("\n")[:-1])

    def blank(self) -> None:
        """An empty line."""
        self._console.print()

    def line(self, *parts: str | tuple[str, str], indent: int = 0, hang: int = 0) -> None:
        """One paragraph, wrapped to the width at ``indent``, from its second line on ``hang`` further in.

        Long words are folded.
        """
        width = min(self.width, _MAX_TEXT_WIDTH + indent) - indent - hang
        for number, row in enumerate(_assemble(parts).wrap(self._console, width, overflow="fold")):
            row.rstrip()
            self._put(_assemble([" " * (indent + hang if number else indent)]).append_text(row))

    def code(self, gutter: str, text: str, style: str = "") -> None:
        """One line of code after its gutter, cut at the width instead of wrapped."""
        row = _assemble([(gutter, "dim"), (_code_line(text), style)])
        row.truncate(self.width, overflow="ellipsis")
        self._put(row)

    def rule(self, title: str) -> None:
        """A header line over the whole width."""
        row = _assemble([f"══ {title} "])
        row.truncate(self.width - 2, overflow="ellipsis")
        row.append("═" * (self.width - row.cell_len))
        row.stylize("dim")
        self._put(row)

    def verbatim(self, text: str) -> None:
        """Text of several lines as it is; wrapping it is left to the terminal, so that it can be copied."""
        for line in terminal(text).split("\n"):
            self._put(_assemble([line]))

    def _put(self, row: Text) -> None:
        if self._console.no_color:  # the same without the price of a console, which shows from a hundred cards on
            self._file.write(f"{row.plain}\n")
        else:
            self._console.print(row, overflow="ignore", no_wrap=True, crop=False)


def _code_line(text: str) -> str:
    return terminal(text.removesuffix("\r")).replace("\n", "⏎")


def _assemble(parts: Iterable[str | tuple[str, str]]) -> Text:
    from rich.text import Text  # noqa: PLC0415  # not loaded by `draftgate --help`

    text = Text()
    for part in parts:
        content, style = (part, "") if isinstance(part, str) else part
        text.append(content, style or None)
    return text
