"""What a name in Ruby hangs on: its receiver, the calls, lists, methods and classes around it."""

from __future__ import annotations

from collections.abc import Iterator

from ast_grep_py import SgNode

from draftgate.checks.database.syntax import call_arguments, literal_name, method_name, receiver, text_of, walk

# Methods that take column names or values by column and reach the database.
QUERIES = frozenset(
    "where not find_by find_by! order reorder pluck pick select group maximum minimum sum average update_all update "
    "update! update_columns update_column update_attribute update_attributes update_attributes! create create! new "
    "build insert insert_all insert_all! upsert upsert_all find_or_create_by find_or_create_by! find_or_initialize_by "
    "create_or_find_by exists? rewhere having increment! decrement! toggle! in_order_of read_attribute write_attribute "
    "assign_attributes first_or_create first_or_initialize find_each touch increment_counter decrement_counter "
    "update_counters destroy_by delete_by unscope reselect regroup ransack".split()
)  # fmt: skip
# They hand on one of what they are sent to.
PASS_THROUGH = frozenset(
    "first last find find_by find_by! first! last! take dup reload decorate sample object model all new clone "
    "build create create! where not order includes joins tap presence unscoped limit".split()
)  # fmt: skip
# They stand between a query and the text it is given.
_TRANSPARENT = frozenset("sql sanitize_sql sanitize_sql_array sanitize_sql_for_order squish desc asc lower".split())
_SCOPES = ("method", "singleton_method")
_PARAMETERS = frozenset({"method_parameters", "block_parameters", "lambda_parameters", "left_assignment_list"})


def has_arguments(call: SgNode) -> bool:
    """Whether a call passes anything: a column's reader takes nothing."""
    listed = call.field("arguments")
    return listed is not None and any(child.is_named() for child in listed.children())


# They query with arguments, and are associations or attributes without: ``line.order``.
_NEED_ARGUMENTS = frozenset({"order", "group", "model", "sum", "average", "object", "sample"})


def _hands_on(call: SgNode, names: frozenset[str]) -> bool:
    name = method_name(call)
    return name in names and (name not in _NEED_ARGUMENTS or has_arguments(call))


def tail(node: SgNode) -> str:
    """The last name of a receiver: ``order.user`` is ``user``, ``@users.first`` is ``@users``."""
    while node.kind() in {"call", "element_reference"}:
        target = receiver(node) if node.kind() == "call" else node.children()[0]
        if target is None or (node.kind() == "call" and not _hands_on(node, PASS_THROUGH)):
            return method_name(node)
        node = target
    return node.text()


def queried(node: SgNode) -> str:
    """What a query runs on: the association before its query methods, or the constant at its root.

    On a constant, scopes may stand in between: ``Story.active.where(...)``.
    """
    is_on_constant = _root(node).kind() in {"constant", "scope_resolution"}
    while node.kind() == "call":
        target = receiver(node)
        if target is None or not (is_on_constant or _hands_on(node, QUERIES | PASS_THROUGH)):
            return method_name(node)
        node = target
    return node.text()


def _root(node: SgNode) -> SgNode:
    """Where a chain of calls begins."""
    while node.kind() == "call":
        target = receiver(node)
        if target is None:
            return node
        node = target
    return node


def calls_around(node: SgNode) -> Iterator[SgNode]:
    """The calls that a node is an argument of, within its method or class, innermost first."""
    for outer in node.ancestors():
        if outer.kind() in {"method", "singleton_method", "class", "module"}:
            return
        call = outer.parent() if outer.kind() == "argument_list" else None
        if call is not None and call.kind() == "call":
            yield call


def call_given(node: SgNode) -> SgNode | None:
    """The call that a name or text is given to, through what only wraps it."""
    return next((call for call in calls_around(node) if method_name(call) not in _TRANSPARENT), None)


def key_above(node: SgNode) -> str | None:
    """The key that a name stands under: ``orders`` for ``total`` in ``where(orders: { total: 1 })``."""
    pairs = []
    for outer in node.ancestors():
        if outer.kind() == "argument_list":
            break
        if outer.kind() == "pair" and outer.field("key") != node:
            pairs.append(outer)
    return literal_name(pairs[0].field("key")) if pairs else None


def enclosing_names(node: SgNode) -> Iterator[str]:
    """The names of the methods, assigned variables and the class around a node, innermost first."""
    for outer in node.ancestors():
        if outer.kind() in _SCOPES:
            yield text_of(outer.field("name"))
        elif outer.kind() in {"assignment", "operator_assignment"}:
            yield text_of(outer.field("left"))
        elif outer.kind() in {"class", "module"} and outer.field("name") is not None:
            yield text_of(outer.field("name")).rsplit("::", 1)[-1]
            if outer.kind() == "class":
                return


def rabl_subjects(node: SgNode) -> Iterator[str]:
    """What a RABL list belongs to: the nearest ``child`` or ``node`` block, else the file's ``object``."""
    for outer in node.ancestors():
        if outer.kind() == "call" and method_name(outer) in {"child", "node", "glue"}:
            arguments = call_arguments(outer)
            yield from (literal_name(given) or tail(given) for given in arguments.positional[:1])
            yield from arguments.named
            return
        if outer.kind() == "program":
            for call in outer.children():
                if call.kind() == "call" and method_name(call) in {"object", "collection"}:
                    yield from (tail(given) for given in call_arguments(call).positional[:1])


def method_around(node: SgNode) -> SgNode | None:
    """The method that a bare name stands in; ``None`` if it stands in a class or file outside of methods."""
    scope = next((outer for outer in node.ancestors() if outer.kind() in {*_SCOPES, "class", "module"}), None)
    return scope if scope is not None and scope.kind() in _SCOPES else None


def binds(method: SgNode, name: str) -> bool:
    """Whether a method makes a name its own: a parameter, a block variable or an assignment."""
    return any(_binds(part, name) for part in walk(method))


def _binds(part: SgNode, name: str) -> bool:
    if part.kind() in _PARAMETERS:
        return any(child.text() == name for child in part.find_all(kind="identifier"))
    return part.kind() in {"assignment", "operator_assignment"} and text_of(part.field("left")) == name
