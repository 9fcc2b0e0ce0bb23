"""How a name is used at one place of a Python file, read off the tree around it.

Says what kind of place it is and whether the code there expects trouble. What the name refers to is
`names`'; whether the place breaks is `breaks`'.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from ast_grep_py import SgNode

_MIN_TOKEN = 3
_CAUGHT = re.compile(r"ImportError|ModuleNotFoundError|AttributeError|NameError|Exception")
_ASKED = re.compile(r"TYPE_CHECKING|hasattr\(")


def is_test_path(path: str) -> bool:
    """The file is test code by its name or folder."""
    *folders, name = PurePosixPath(path).parts
    in_folder = any(f in ("tests", "test", "testing") for f in folders)
    return in_folder or name.startswith("test_") or name.endswith("_test.py") or name in ("tests.py", "conftest.py")


def is_hidden_path(path: str) -> bool:
    """The file lies in a tool's own folder, such as the samples of a linter rule."""
    return path.startswith(".") or "/." in path


def call_of(expression: SgNode) -> SgNode | None:
    """The call of a name or attribute access, also through a Celery task's ``delay``."""
    parent = expression.parent()
    if parent is not None and parent.kind() == "attribute" and parent.field("object") == expression:
        attribute = parent.field("attribute")
        expression = parent if attribute is not None and attribute.text() == "delay" else expression
        parent = parent.parent()
    is_call = parent is not None and parent.kind() == "call" and parent.field("function") == expression
    return parent if is_call else None


def receiver_of(access: SgNode) -> str:
    """The last name before the dot of an attribute access, "" if something computed stands there."""
    receiver = access.field("object")
    if receiver is None or receiver.kind() not in ("identifier", "attribute"):
        return ""
    return (receiver.field("attribute") or receiver).text()


class Guards:
    """The statements of one file that expect a name to be missing, each looked at once."""

    def __init__(self) -> None:
        self._known: dict[SgNode, bool] = {}

    def stand_around(self, node: SgNode) -> bool:
        """The code expects that the name may be missing."""
        inner = node
        for ancestor in node.ancestors():
            kind = ancestor.kind()
            if kind == "if_statement" and self._is_guard(ancestor):
                return True
            if kind == "try_statement" and self._is_guard(ancestor) and ancestor.field("body") == inner:
                return True
            inner = ancestor
        return False

    def _is_guard(self, statement: SgNode) -> bool:
        if statement not in self._known:
            is_try = statement.kind() == "try_statement"
            self._known[statement] = _expects_missing(statement) if is_try else _asks_first(statement)
        return self._known[statement]


def _expects_missing(statement: SgNode) -> bool:
    return any(_catches_missing(c) for c in statement.named_children() if c.kind() == "except_clause")


def _asks_first(statement: SgNode) -> bool:
    condition = statement.field("condition")
    return condition is not None and _ASKED.search(condition.text()) is not None


def _catches_missing(clause: SgNode) -> bool:
    """An ``except`` for names that are missing, or for everything."""
    caught = [child.text() for child in clause.named_children() if child.kind() != "block"]
    return not caught or _CAUGHT.search(caught[0]) is not None


def is_class_body(binding: SgNode) -> bool:
    """The binding stands in a class body, outside its methods."""
    scope = next((a for a in binding.ancestors() if a.kind() in ("function_definition", "class_definition")), None)
    return scope is not None and scope.kind() == "class_definition"


def is_docstring(node: SgNode) -> bool:
    """The string is a statement of its own."""
    string = node.parent()
    statement = string.parent() if string else None
    return statement is not None and statement.kind() == "expression_statement"


def is_called_like(name: str, owner: str) -> bool:
    """A variable's name is the class's name or an abbreviation of it, its last part included."""
    theirs = [t for t in name.lower().split("_") if t]
    ours = [t.lower() for t in re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+", owner)]
    if not theirs or not ours or not _abbreviates(theirs[-1], ours[-1]):
        return False
    return all(any(_abbreviates(t, o) for o in ours) for t in theirs)


def _abbreviates(short: str, full: str) -> bool:
    return len(short) >= _MIN_TOKEN and full.startswith(short)
