"""Every check of an area, found by listing the folder of that name: a new check is one file."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from draftgate.doctor import checks
from draftgate.doctor.base import Area, Check


def load_checks(area: Area) -> tuple[Check[Any], ...]:
    """The checks of an area, in the order of their file names but for those that say what comes first."""
    folder = importlib.import_module(f"{checks.__name__}.{area}")
    names = sorted(module.name for module in pkgutil.iter_modules(folder.__path__))
    found = [importlib.import_module(f"{folder.__name__}.{name}").CHECK for name in names]
    known = (check for check in found if isinstance(check, Check))
    return tuple(sorted(known, key=lambda check: not check.comes_first))
