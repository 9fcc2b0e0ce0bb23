"""What a built-in check is, and the view of the change that it reads.

A check is a value, not a class: its id, what it reports by default, the file kinds it reads, the
examples that are its tests and its reference page, and one pure function. It sees the two commits
through `Snapshot` and never the work tree, so it gives the same answer in CI, in a bare repository
and in a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from draftgate.domain.finding import Category, Decoration, Finding, Label
from draftgate.domain.match import Match
from draftgate.domain.snapshot import Change, Snapshot

__all__ = ["Change", "Check", "Example", "Match", "Snapshot"]


@dataclass(frozen=True, slots=True)
class Example:
    """A small change that is test and documentation of a check at once.

    Attributes:
        name: What the example shows, as a sentence part.
        base: Path to text at the base commit.
        head: Path to text at the head commit (files not named here are removed).
        findings: ``path:line`` of each expected anchor, in order; empty for a negative example.
        related: ``path:line`` of every place that must be named, over all findings.
    """

    name: str
    base: Mapping[str, str]
    head: Mapping[str, str]
    findings: tuple[str, ...] = ()
    related: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """A deterministic check that needs no key and no network.

    Attributes:
        id: ``family.name``; also the key under ``checks:`` in the configuration.
        summary: One line for lists and the reference page.
        label: Default label.
        decorations: Default decorations.
        confidence: Default confidence; `run` lowers or raises it where the evidence says so.
        category: What its findings are grouped under.
        covers: Path globs of the changed files it reads (``*.py``); the rest is *not covered* by it.
        run: Yields findings with anchor and evidence set; ``fingerprint`` and ``caught_by`` are set later.
        examples: Positive and negative ones.
        can_be_disabled: The impact step is always on.
        on_by_default: Whether it runs without configuration.
    """

    id: str
    summary: str
    label: Label
    decorations: tuple[Decoration, ...]
    confidence: int
    category: Category
    covers: tuple[str, ...]
    run: Callable[[Change], Iterator[Finding]]
    examples: tuple[Example, ...] = field(default=())
    can_be_disabled: bool = True
    on_by_default: bool = True
