"""A finding: one thing to say about the change, and the vocabulary it is said in.

Labels and decorations are those of Conventional Comments (https://conventionalcomments.org);
severity is derived from them and never stored. A finding carries its place (anchor), the quoted
lines it rests on (evidence), who found it and how sure they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum

from draftgate.domain.diff import Side


class Label(StrEnum):
    """What kind of remark it is."""

    PRAISE = "praise"
    ISSUE = "issue"
    SUGGESTION = "suggestion"
    TODO = "todo"
    QUESTION = "question"
    THOUGHT = "thought"
    NITPICK = "nitpick"
    CHORE = "chore"
    NOTE = "note"


class Decoration(StrEnum):
    """How the remark bears on merging."""

    BLOCKING = "blocking"
    NON_BLOCKING = "non-blocking"
    IF_MINOR = "if-minor"


class Severity(Enum):
    """How much the finding matters, most severe first; compare by ``rank``."""

    BLOCKER = "blocker"
    IMPORTANT = "important"
    SUGGESTION = "suggestion"
    NITPICK = "nitpick"
    INFORMATIONAL = "informational"

    @property
    def rank(self) -> int:
        """0 for the most severe."""
        return list(Severity).index(self)


class Category(StrEnum):
    """The closed set of subjects that findings are grouped by."""

    LOGIC = "logic"
    SECURITY = "security"
    TESTS = "tests"
    PERFORMANCE = "performance"
    API_DESIGN = "api-design"
    DATABASE = "database"
    IMPACT = "impact"
    NAMING = "naming"
    DOCS = "docs"
    RULES = "rules"
    REQUIREMENTS = "requirements"
    OTHER = "other"


class Scope(StrEnum):
    """Where the finding stands relative to the diff."""

    IN_DIFF = "in-diff"
    FILE = "file"
    OUT_OF_DIFF = "out-of-diff"


class AnchorKind(StrEnum):
    """What a finding hangs on."""

    LINE = "line"
    FILE = "file"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a finding hangs: a line or range on one side of the diff, a whole file, or nothing.

    Attributes:
        kind: ``line``, ``file`` or ``none``.
        path: The path at head, also for a line on the ``LEFT`` side; the old path of a deleted file. ``None`` only
            for ``none``.
        side: ``RIGHT`` for head, ``LEFT`` for base; ``None`` unless ``kind`` is ``line``.
        start_line: First line of a range, ``None`` for a single line.
        line: The line, or the last line of a range; 1-based.
    """

    kind: AnchorKind
    path: str | None = None
    side: Side | None = None
    start_line: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The quoted lines that a finding rests on, at the head commit (at base for removed code)."""

    path: str
    start_line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A line that the finding names besides its anchor, such as a caller that breaks."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to say about the change.

    Attributes:
        check: The id of the built-in check, ``None`` for an agent's finding.
        sources: Everyone who found it, e.g. ``("builtin",)``.
        label: See `Label`.
        decorations: See `Decoration`; empty means the label's default.
        confidence: 0 to 100.
        category: See `Category`.
        subject: One line, without the label; what a reader sees first.
        body: Markdown paragraphs, without the subject; may be empty.
        anchor: Where it hangs.
        evidence: The lines it rests on.
        context: The same lines with their neighbours, as a card shows them; ``None`` until they were read.
        related: Other lines it names.
        suggestion: Replacement for the anchored lines; "" deletes them, ``None`` offers nothing.
        scope: Relative to the diff.
        previously_raised: An earlier round said it and it still stands.
        from_round: The earlier round whose undecided finding this is, ``None`` if new.
        caught_by: ``<gate>/<round>/<tier>``.
        fingerprint: Stable identity over rounds; "" until `fingerprint.assign` ran.
        about: What it speaks of in a form that stays over rounds: a column, a symbol; "" for the subject.
    """

    check: str | None
    sources: tuple[str, ...]
    label: Label
    decorations: tuple[Decoration, ...]
    confidence: int
    category: Category
    subject: str
    body: str
    anchor: Anchor
    evidence: Evidence | None
    related: tuple[Place, ...] = ()
    suggestion: str | None = None
    scope: Scope = Scope.IN_DIFF
    previously_raised: bool = False
    from_round: int | None = None
    caught_by: str = ""
    fingerprint: str = ""
    context: Evidence | None = None
    about: str = ""

    @property
    def severity(self) -> Severity:
        """The severity that follows from label and decorations."""
        return severity_of(self.label, self.decorations)


def severity_of(label: Label, decorations: tuple[Decoration, ...]) -> Severity:
    """Any label with `blocking` is a blocker; else the label decides."""
    if Decoration.BLOCKING in decorations:
        return Severity.BLOCKER
    match label:
        case Label.ISSUE | Label.TODO:
            return Severity.IMPORTANT
        case Label.SUGGESTION | Label.CHORE:
            return Severity.SUGGESTION
        case Label.NITPICK:
            return Severity.NITPICK
        case Label.QUESTION | Label.THOUGHT | Label.NOTE | Label.PRAISE:
            return Severity.INFORMATIONAL


def title_of(label: Label, decorations: tuple[Decoration, ...]) -> str:
    """The Conventional Comments prefix without the colon, e.g. ``issue (blocking)``."""
    return f"{label} ({', '.join(decorations)})" if decorations else str(label)
