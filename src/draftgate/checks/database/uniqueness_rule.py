"""A uniqueness rule of the application: it looks before it writes, or only declares what must be unique."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum


class RuleKind(StrEnum):
    """How the rule is kept."""

    VALIDATION = "validation"
    FIND_OR_CREATE = "find or create"
    CHECK_FIRST = "check, then insert"
    DECLARED = "declared constraint"


@dataclass(frozen=True, slots=True)
class UniquenessRule:
    """One rule as it is written.

    Attributes:
        kind: How it is kept.
        model: The model's class as written, with the modules around it in Ruby; "" in a module for several.
        attributes: What must be unique together, as written.
        line: The line that says so; 1-based.
        start: First line of the statement.
        end: Last line of the statement.
        tables: The tables it may be about, likeliest first (Rails, SQLAlchemy).
        conditional: It holds for some rows only.
        call: The method that keeps it, for the text of a finding.
    """

    kind: RuleKind
    model: str
    attributes: tuple[str, ...]
    line: int
    start: int
    end: int
    tables: tuple[str, ...] = ()
    conditional: bool = False
    call: str = ""

    @property
    def identity(self) -> tuple[str, str, frozenset[str]]:
        """What makes it the same rule at base and head, wherever it stands."""
        return self.kind, self.model.rsplit("::", 1)[-1], frozenset(self.attributes)

    def is_among(self, earlier: Collection[tuple[str, str, frozenset[str]]]) -> bool:
        """Whether it stood at base already, in this class or in a module that a class may have included."""
        kind, _, attributes = self.identity
        return self.identity in earlier or (kind, "", attributes) in earlier
