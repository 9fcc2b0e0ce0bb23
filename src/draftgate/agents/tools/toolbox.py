"""The tools that an agent may use: they read the two commits of the change, and nothing else of the machine.

Whatever a model writes gets an answer and never an exception; only a repository that cannot be read raises. What
each tool finds is for `draftgate.agents.tools.lookups` and `draftgate.agents.tools.history_lookups`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from draftgate.agents.tools.arguments import Arguments, Unanswerable, show
from draftgate.agents.tools.history_lookups import blame, log
from draftgate.agents.tools.lookups import Found, World, fetch_url, grep, list_files, read_file
from draftgate.agents.tools.specs import describe_tools
from draftgate.llm.base import ToolCall, ToolSpec

_ENTRIES_KEPT = 200

_TOOLS: Final[Mapping[str, Callable[[World, Arguments], Found]]] = {
    "read_file": read_file,
    "list_files": list_files,
    "grep": grep,
    "blame": blame,
    "log": log,
    "fetch_url": fetch_url,
}


class Toolbox:
    """The tools of one agent, and a record of what they gave out; cheap to make.

    Args:
        world: What can be read; the same for all agents.

    Attributes:
        specs: What the model is offered, in a fixed order.
        characters: How many it was given, errors included.
    """

    def __init__(self, world: World) -> None:
        self.specs: tuple[ToolSpec, ...] = describe_tools(may_fetch=world.fetch is not None)
        self.characters = 0
        self._world = world
        self._entries: list[str] = []
        self._more = 0

    @property
    def given(self) -> tuple[str, ...]:
        """What was given out, for the audit; after the first entries only how many more there were."""
        return (*self._entries, *([f"and {self._more:,} more"] if self._more else ()))

    def run(self, call: ToolCall) -> str:
        """The result of a call, or a sentence that begins with ``error:`` and says what to write instead.

        Raises:
            DraftgateError: The repository could not be read.
        """
        try:
            found = self._find(call)
        except Unanswerable as refused:
            answer = f"error: {refused}"
        else:
            self._record(self._world.hide(found.entry))
            answer = found.text
        shown = self._world.hide(answer)
        self.characters += len(shown)
        return shown

    def _find(self, call: ToolCall) -> Found:
        spec = next((spec for spec in self.specs if spec.name == call.name), None)
        if spec is None:
            names = ", ".join(spec.name for spec in self.specs)
            raise Unanswerable(f"there is no tool {show(call.name)}; call one of {names}")
        return _TOOLS[spec.name](self._world, Arguments.read(call.arguments, spec))

    def _record(self, entry: str) -> None:
        if len(self._entries) < _ENTRIES_KEPT:
            self._entries.append(entry)
        else:
            self._more += 1
