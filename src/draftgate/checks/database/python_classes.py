"""Python classes as models, serializers and forms are written: what a body defines, its bases, its ``Meta``."""

from __future__ import annotations

from collections.abc import Iterator

from ast_grep_py import SgNode

from draftgate.checks.database.syntax import text_of


def statements(class_node: SgNode) -> Iterator[SgNode]:
    """The statements of a class body, without their wrapping nodes."""
    body = class_node.field("body")
    for statement in body.children() if body is not None else ():
        if statement.kind() == "decorated_definition":
            yield statement.field("definition") or statement
        elif statement.kind() == "expression_statement" and statement.children():
            yield statement.children()[0]
        else:
            yield statement


def definition_of(class_node: SgNode, name: str) -> SgNode | None:
    """What the class body defines under a name: a function, or an assignment."""
    for statement in statements(class_node):
        named = statement.field("name") if statement.kind() == "function_definition" else statement.field("left")
        if statement.kind() in {"function_definition", "assignment"} and text_of(named) == name:
            return statement
    return None


def bases_of(class_node: SgNode) -> Iterator[str]:
    """The last names of the base classes."""
    listed = class_node.field("superclasses")
    for node in listed.children() if listed is not None else ():
        if node.kind() in {"identifier", "attribute"}:
            yield node.text().rsplit(".", 1)[-1]


def meta_of(class_node: SgNode) -> SgNode | None:
    """The ``Meta`` of a class."""
    for statement in statements(class_node):
        if statement.kind() == "class_definition" and text_of(statement.field("name")) == "Meta":
            return statement
    return None


def model_of(class_node: SgNode) -> str | None:
    """The last name of the ``model`` of a class's ``Meta``, or of the class itself."""
    meta = meta_of(class_node)
    found = definition_of(meta, "model") if meta is not None else definition_of(class_node, "model")
    value = found.field("right") if found is not None else None
    return value.text().rsplit(".", 1)[-1] if value is not None else None


def class_around(node: SgNode) -> SgNode | None:
    """The class that a node stands in, ``Meta`` passed over."""
    for outer in node.ancestors():
        if outer.kind() == "class_definition" and text_of(outer.field("name")) != "Meta":
            return outer
    return None
