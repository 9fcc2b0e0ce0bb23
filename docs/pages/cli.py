"""The page of the command line, from the program's own declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from docs.pages.environment import VARIABLES
from draftgate.cli.main import app

_LATER = re.compile(r"Not in this release: (.+)\.")

_EXITS = """\
Every subcommand ends with one of the [exit codes](exit-codes.md). What was found is no failure: `draftgate review`
ends with 1 only if `--fail-on` asks for it.
"""


def cli() -> str:
    """Every subcommand with its arguments, options and defaults, and the variables that the program reads."""
    program: Any = typer.main.get_command(app)
    lines = ["# Command line\n", f"{program.help}\n", "```", "draftgate [OPTIONS] COMMAND [ARGUMENTS]", "```\n"]
    lines += [
        *_parameters(program),
        "",
        "`--quiet`, `--verbose` and `--log-format` may stand after the subcommand too.\n",
        _EXITS,
    ]
    later = []
    for name, command in program.commands.items():
        found = _LATER.fullmatch(command.help or "")
        if found is not None:
            later.append(f"| `draftgate {name}` | {found[1]} |")
        else:
            lines += _command(f"draftgate {name}", command)
    if later:
        lines += ["## Not in this release\n", "Each is refused with a sentence and exit code 2.\n"]
        lines += ["| command | for |", "| --- | --- |", *later, ""]
    return "\n".join((*lines, *_environment()))


def _command(name: str, command: Any) -> Iterator[str]:  # noqa: ANN401 - typer has no types for what it makes
    inner = getattr(command, "commands", None)
    if inner:
        for word, each in inner.items():
            yield from _command(f"{name} {word}", each)
        return
    arguments = [_metavar(each) for each in command.params if not each.opts[0].startswith("-")]
    yield f"## `{name}`\n"
    yield f"{_text(command.help)}\n"
    yield f"```\n{' '.join((name, *filter(None, arguments), '[OPTIONS]'))}\n```\n"
    yield from _parameters(command)
    yield ""


def _parameters(command: Any) -> Iterator[str]:  # noqa: ANN401 - as above
    shown = [each for each in command.params if not each.hidden and each.name != "help"]
    if not shown:
        yield "No options."
        return
    yield "| option | default | does |"
    yield "| --- | --- | --- |"
    for each in shown:
        names = each.opts if each.opts[0].startswith("-") else [_metavar(each)]
        metavar = f" {each.metavar}" if each.metavar and each.opts[0].startswith("-") else ""
        value = "–" if each.default in (None, False, ...) or each.required else f"`{each.default}`"
        yield f"| {', '.join(f'`{name}{metavar}`' for name in names)} | {value} | {_text(each.help or '')} |"


def _metavar(argument: Any) -> str:  # noqa: ANN401 - as above
    name = argument.metavar or argument.name.upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _text(text: str) -> str:
    """Help as Markdown: paragraphs stay, line breaks inside them go."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n")).replace("|", r"\|")


def _environment() -> Iterator[str]:
    yield "## Environment\n"
    yield "An empty variable is the same as none. Any key of the [configuration](configuration.md) is a variable too:"
    yield "`DRAFTGATE_`, then the key in upper case with `__` between its parts"
    yield "(`DRAFTGATE_CODE_REVIEW__MIN_CONFIDENCE`).\n"
    for title, sentence, rows in VARIABLES:
        yield f"### {title}\n"
        yield f"{sentence}\n"
        yield "| variable | what for |"
        yield "| --- | --- |"
        for names, purpose in rows:
            yield f"| {' · '.join(f'`{name}`' for name in names.split())} | {purpose} |"
        yield ""
