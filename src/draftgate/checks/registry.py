"""Finds the checks: every module of `rules`, in name order, by its ``CHECK`` constant.

Adding a check is adding its file. No entry points and no third-party packages: a check runs with the
bot's rights.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from draftgate.checks import rules
from draftgate.checks.base import Check


@cache
def load_checks() -> tuple[Check, ...]:
    """Every built-in check, in the order of its file name."""
    names = sorted(module.name for module in pkgutil.iter_modules(rules.__path__))
    checks = [importlib.import_module(f"{rules.__name__}.{name}").CHECK for name in names]
    return tuple(check for check in checks if isinstance(check, Check))


def check_ids() -> frozenset[str]:
    """The ids alone, read off the file names: validating a configuration must not load grammars."""
    names = (module.name for module in pkgutil.iter_modules(rules.__path__))
    return frozenset(name.replace("_", ".", 1).replace("_", "-") for name in names)
