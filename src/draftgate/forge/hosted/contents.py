"""The changed files of a change as they were read through a forge's API, where there is no clone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from draftgate.domain.provider import ProviderChange
from draftgate.forge.known_files import KnownFiles


@dataclass(frozen=True, slots=True)
class Contents:
    """What was read.

    Attributes:
        change: The change with object ids and modes.
        base: The changed files at the merge base.
        head: The changed files at head.
        unread: Path to reason, for files of which a side could not be read.
    """

    change: ProviderChange
    base: KnownFiles
    head: KnownFiles
    unread: Mapping[str, str]
