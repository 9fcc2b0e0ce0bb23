"""Callers that a changed or removed Python definition breaks and that the change does not update.

Reports
    A function, method, class, property, constant or module that is gone, or whose use changed: a required
    parameter added; one removed, renamed, reordered or made keyword-only; a default removed; a property
    that became a method or the other way round; a function that became a coroutine; a returned tuple of
    another length. With it every place at head that this breaks: a call that fitted before and does not
    now, a positional call whose values now land in other parameters, an import or use of a name that is
    gone, a dotted name in a string that leads nowhere, an override that still has the old signature.
    Callers may stand anywhere: in other files, in untouched lines of changed files, in the function itself.

Why it matters
    Python finds out only when the line runs, and the lines nobody thought of are the rare ones: error
    paths, management commands, scripts.

Deliberately ignores
    Other changes of what is returned, and changed defaults: whether a caller minds cannot be read off its
    text. Signatures under decorators that changed and may change them, names bound twice or by condition,
    modules and classes with ``__getattr__``, anything reached through ``getattr``. Uses that expect the
    name to be missing (``try``/``except ImportError``, ``hasattr``, ``TYPE_CHECKING``). Names that are gone
    and used in their own file: linters find those. Calls that unpack arguments, unless they break for
    sure; they are mentioned where others break. Database columns (`db.column-removed`). Definitions of
    tests, and those that only tests still use: the test run says so. A name in more than 60 files is
    followed only where its class or module is named too; of more than 300 files the nearest are read.

Confidence
    90 if an import or a module-level name leads to the definition. 75 if a receiver of known type does,
    and for overrides and strings. 60 if nothing else defines such a member and the receiver is only
    called like the class, or a gone attribute has a name of several words that little else reads.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from draftgate.checks.base import Change, Check, Example
from draftgate.checks.bounds import within_bounds
from draftgate.checks.lines import lines_of
from draftgate.checks.python.breaks import BrokenUse, Sureness
from draftgate.checks.python.callers import Affected, find_affected
from draftgate.checks.python.changes import ChangedSymbol, read_changes
from draftgate.domain.anchor import commentable_lines
from draftgate.domain.diff import FileDiff, Side
from draftgate.domain.finding import Anchor, AnchorKind, Category, Evidence, Finding, Label, Place
from draftgate.domain.paths import printable

_ID = "impact.callers"
_CONFIDENCE = {Sureness.BY_IMPORT: 90, Sureness.BY_RECEIVER: 75, Sureness.BY_NAME: 60}
_LISTED = 10
_RELATED = 200
_QUOTED = 7


def find(change: Change) -> Iterator[Finding]:
    """One finding for each changed definition that breaks something besides tests."""
    texts = change.head  # searching a text needs no tree, and so no judgement whether it may have one
    change = within_bounds(change, _ID)
    shown: dict[str, _ShownLines] = {}
    for affected in find_affected(change, read_changes(change), texts):
        if not all(use.in_tests for use in affected.broken):
            diff = affected.symbol.diff
            if diff.path not in shown:
                shown[diff.path] = _ShownLines.of(diff)
            yield _finding(change, affected, shown[diff.path])


@dataclass(frozen=True, slots=True)
class _ShownLines:
    """The lines of a file that its diff shows, sorted: added ones, those at head and those only at base."""

    added: Sequence[int]
    right: Sequence[int]
    left: Sequence[int]

    @classmethod
    def of(cls, diff: FileDiff) -> Self:
        right, left = commentable_lines(diff, Side.RIGHT), commentable_lines(diff, Side.LEFT)
        return cls(sorted(diff.added_lines), sorted(right), sorted(left))


def _finding(change: Change, affected: Affected, shown: _ShownLines) -> Finding:
    symbol, broken = affected.symbol, sorted(affected.broken, key=lambda use: use.in_tests)
    anchor = _anchor(symbol, shown)
    return Finding(
        check=_ID,
        sources=("builtin",),
        label=Label.ISSUE,
        decorations=(),
        confidence=max(_CONFIDENCE[use.sureness] for use in broken),
        category=Category.IMPACT,
        subject=_subject(symbol, len(broken)),
        body=_body(affected, broken),
        anchor=anchor,
        evidence=_evidence(change, symbol, anchor),
        related=tuple(Place(use.path, use.line) for use in broken[:_RELATED]),
        about=symbol.name,
    )


def _subject(symbol: ChangedSymbol, count: int) -> str:
    places = "1 place" if count == 1 else f"{count} places"
    use = "uses" if count == 1 else "use"
    if symbol.is_module:
        return f"{printable(symbol.path)} is gone, but {places} still {use} it"
    if symbol.is_removed:
        return f"{symbol.name} is gone, but {places} still {use} it"
    return f"the change to {symbol.owner if symbol.is_constructor else symbol.name} breaks {places}"


def _body(affected: Affected, broken: list[BrokenUse]) -> str:
    rows = [f"- `{printable(use.path)}:{use.line}`: {use.what}" for use in broken[:_LISTED]]
    if len(broken) > _LISTED:
        rows.append(f"- and {len(broken) - _LISTED} more")
    parts = ["This change does not update:", "\n".join(rows)]
    if affected.unsure:
        places = ", ".join(f"`{printable(path)}:{line}`" for path, line in affected.unsure[:_LISTED])
        parts.append(f"Unsure, since they unpack their arguments: {places}.")
    parts.append(_advice(affected.symbol))
    return "\n\n".join(parts)


def _advice(symbol: ChangedSymbol) -> str:
    if symbol.is_removed:
        return "Update them, or keep the old name as a deprecated alias until they are."
    return "Update them, or keep the old way of calling valid (a default for what is new)."


def _anchor(symbol: ChangedSymbol, shown: _ShownLines) -> Anchor:
    """The changed line of the definition, else the nearest line of it that the diff shows."""
    diff, before, after = symbol.diff, symbol.before, symbol.after
    spans: list[tuple[Side, Sequence[int], int, int]] = []
    if after is not None:
        spans.append((Side.RIGHT, shown.added, after.line, after.header_end))
        spans.append((Side.RIGHT, shown.right, after.line, after.line))
    if before is not None:
        spans.append((Side.LEFT, shown.left, before.line, before.header_end))
        spans.append((Side.LEFT, shown.left, before.line, before.last_line))
    if after is not None:
        spans.append((Side.RIGHT, shown.right, after.line, after.last_line))
    spans.append((Side.LEFT, shown.left, 1, shown.left[-1] if shown.left else 0))
    for side, lines, first, last in spans:
        position = bisect_left(lines, first)
        if position < len(lines) and lines[position] <= last:
            path = diff.old_path if side is Side.LEFT else diff.new_path
            return Anchor(AnchorKind.LINE, path=path, side=side, line=lines[position])
    return Anchor(AnchorKind.FILE, path=diff.path)


def _evidence(change: Change, symbol: ChangedSymbol, anchor: Anchor) -> Evidence | None:
    """The anchored line and the rest of the signature it begins or lies in."""
    if anchor.path is None or anchor.line is None:
        return None
    is_left = anchor.side is Side.LEFT
    text = (change.base if is_left else change.head).read(anchor.path)
    definition = symbol.before if is_left else symbol.after
    last = definition.header_end if definition and definition.header_end >= anchor.line else anchor.line
    lines = lines_of(text or "")[anchor.line - 1 : min(last, anchor.line + _QUOTED - 1)]
    return Evidence(anchor.path, anchor.line, tuple(line.rstrip("\r") for line in lines)) if lines else None


CHECK = Check(
    id=_ID,
    summary="a changed or removed Python definition breaks callers that the change does not update",
    label=Label.ISSUE,
    decorations=(),
    confidence=75,
    category=Category.IMPACT,
    covers=("*.py",),
    run=find,
    can_be_disabled=False,
    examples=(
        Example(
            name="a new required parameter, one caller not updated",
            base={
                "svc.py": "def send(to, text):\n    return to, text\n",
                "a.py": "from svc import send\n\nsend('x', 'y')\n",
                "b.py": "import svc as s\n\ns.send('x', text='y')\n",
            },
            head={
                "svc.py": "def send(to, text, channel):\n    return to, text, channel\n",
                "a.py": "from svc import send\n\nsend('x', 'y', 'sms')\n",
                "b.py": "import svc as s\n\ns.send('x', text='y')\n",
            },
            findings=("svc.py:1",),
            related=("b.py:3",),
        ),
        Example(
            name="a removed function that another module still imports",
            base={
                "pkg/__init__.py": "",
                "pkg/help.py": "def tips():\n    return 'a'\n\n\ndef more():\n    return 'b'\n",
                "pkg/poll.py": "from .help import more, tips\n\nprint(tips(), more())\n",
            },
            head={
                "pkg/__init__.py": "",
                "pkg/help.py": "def more():\n    return 'b'\n",
                "pkg/poll.py": "from .help import more, tips\n\nprint(tips(), more())\n",
            },
            findings=("pkg/help.py:1",),
            related=("pkg/poll.py:1",),
        ),
        Example(
            name="a method that an instance variable and an override still use the old way",
            base={
                "box.py": "class Box:\n    def open(self, path):\n        return path\n",
                "sub.py": "from box import Box\n\n\nclass Small(Box):\n    def open(self, path):\n        return 1\n",
                "use.py": "from box import Box\n\nbox = Box()\nbox.open('x')\nopen('y')\n",
            },
            head={
                "box.py": "class Box:\n    def open(self, path, mode):\n        return path\n",
                "sub.py": "from box import Box\n\n\nclass Small(Box):\n    def open(self, path):\n        return 1\n",
                "use.py": "from box import Box\n\nbox = Box()\nbox.open('x')\nopen('y')\n",
            },
            findings=("box.py:2",),
            related=("sub.py:5", "use.py:4"),
        ),
        Example(
            name="two parameters swapped under a positional caller",
            base={
                "m.py": "def mark(name, state):\n    return name\n",
                "u.py": "from m import mark\n\nmark('n', 's')\nmark(state='s', name='n')\n",
            },
            head={
                "m.py": "def mark(state, name):\n    return name\n",
                "u.py": "from m import mark\n\nmark('n', 's')\nmark(state='s', name='n')\n",
            },
            findings=("m.py:1",),
            related=("u.py:3",),
        ),
        Example(
            name="every caller is updated",
            base={"m.py": "def put(a):\n    return a\n", "u.py": "import m\n\nm.put(1)\n"},
            head={"m.py": "def f(a, b):\n    return a\n", "u.py": "import m\n\nm.f(1, 2)\n"},
        ),
        Example(
            name="a parameter with a default is added",
            base={"m.py": "def put(a):\n    return a\n", "u.py": "import m\n\nm.put(1)\n"},
            head={"m.py": "def f(a, b=2):\n    return a\n", "u.py": "import m\n\nm.f(1)\n"},
        ),
        Example(
            name="another class has a method of the same name",
            base={
                "box.py": "class Box:\n    def pack(self, a):\n        return a\n",
                "door.py": "class Door:\n    def pack(self, a):\n        return a\n\n\nDoor().pack(1)\n",
            },
            head={
                "box.py": "class Box:\n    def pack(self, a, b):\n        return a\n",
                "door.py": "class Door:\n    def pack(self, a):\n        return a\n\n\nDoor().pack(1)\n",
            },
        ),
        Example(
            name="a moved function that its old module re-exports, and a guarded import",
            base={
                "old.py": "def f():\n    return 1\n\n\ndef g():\n    return 2\n",
                "u.py": "from old import f\n\ntry:\n    from old import g\nexcept ImportError:\n    g = None\n",
            },
            head={
                "new.py": "def f():\n    return 1\n",
                "old.py": "from new import f\n",
                "u.py": "from old import f\n\ntry:\n    from old import g\nexcept ImportError:\n    g = None\n",
            },
        ),
        Example(
            name="a call that unpacks its arguments",
            base={"m.py": "def f(a):\n    return a\n", "u.py": "import m\n\nargs = {}\nm.f(**args)\n"},
            head={"m.py": "def f(a, b):\n    return a\n", "u.py": "import m\n\nargs = {}\nm.f(**args)\n"},
        ),
    ),
)
