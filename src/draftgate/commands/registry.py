"""Finds the comment commands: every module of `verbs`, in name order, by its ``COMMAND`` constant.

Adding a command is adding its file. No entry points and no third-party packages: a command runs with the bot's
rights.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from draftgate.commands import verbs
from draftgate.commands.base import CommandSpec
from draftgate.domain.command import Bare, Grammar


@cache
def load_commands() -> tuple[CommandSpec, ...]:
    """Every comment command, in the order of its file name."""
    names = sorted(module.name for module in pkgutil.iter_modules(verbs.__path__))
    commands = [importlib.import_module(f"{verbs.__name__}.{name}").COMMAND for name in names]
    return tuple(command for command in commands if isinstance(command, CommandSpec))


@cache
def load_grammar(bare: Bare) -> Grammar:
    """The command language under a configuration."""
    return Grammar.of(load_commands(), bare)
