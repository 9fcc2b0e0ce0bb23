"""The options of the whole program may stand anywhere on the command line; this puts them where they are read."""

from __future__ import annotations

from collections.abc import Sequence

_FLAGS = frozenset({"--quiet", "-q", "--verbose"})
_VALUED = "--log-format"
_END = "--"


def hoist(arguments: Sequence[str]) -> list[str]:
    """The arguments with the program's own options before the subcommand; nothing after ``--`` is touched."""
    hoisted: list[str] = []
    rest: list[str] = []
    pending = list(arguments)
    while pending:
        argument = pending.pop(0)
        if argument == _END:
            rest += [argument, *pending]
            break
        if argument in _FLAGS or argument.startswith(f"{_VALUED}="):
            hoisted.append(argument)
        elif argument == _VALUED:
            hoisted += [argument, *pending[:1]]
            del pending[:1]
        else:
            rest.append(argument)
    return [*hoisted, *rest]
