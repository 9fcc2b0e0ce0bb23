"""Whether a Python call fits a signature, decided the way the interpreter binds arguments.

What a call unpacks (``*args``, ``**kwargs``) is unknown, so only what is certain without it is said.
Nothing is resolved here: which definition a call reaches is `names`'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ast_grep_py import SgNode

from draftgate.checks.grammar.python import Parameter, ParameterKind, Signature

_BY_POSITION = (ParameterKind.POSITIONAL_ONLY, ParameterKind.EITHER)
_BY_KEYWORD = (ParameterKind.EITHER, ParameterKind.KEYWORD_ONLY)
_OPEN = (ParameterKind.REST, ParameterKind.KEYWORDS)


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a call passes.

    Attributes:
        positional: How many arguments by position.
        keywords: Names of the arguments by keyword.
        unpacks: It has ``*x`` or ``**x``, so it may pass more.
        names: What the positional ones are called in the caller, "" for a value without a name.
    """

    positional: int
    keywords: tuple[str, ...]
    unpacks: bool
    names: tuple[str, ...] = ()


def read_arguments(call: SgNode) -> Arguments:
    """The arguments of a ``call`` node."""
    node = call.field("arguments")
    if node is None or node.kind() != "argument_list":
        return Arguments(1, (), unpacks=False)  # f(x for x in y)
    names: list[str] = []
    keywords: list[str] = []
    unpacks = False
    for argument in node.named_children():
        match argument.kind():
            case "keyword_argument":
                name = argument.field("name")
                keywords.append(name.text() if name else "")
            case "list_splat" | "dictionary_splat":
                unpacks = True
            case "comment":
                pass
            case _:
                names.append(_name_of(argument))
    return Arguments(len(names), tuple(keywords), unpacks, tuple(names))


def _name_of(value: SgNode) -> str:
    """The last name of a variable or attribute, "" for anything else."""
    named = value.field("attribute") if value.kind() == "attribute" else value
    return named.text() if named is not None and named.kind() == "identifier" else ""


def refusal(signature: Signature, call: Arguments) -> str | None:
    """Why the interpreter refuses the call with a ``TypeError``, ``None`` if it binds or nobody can tell."""
    places = [p for p in signature if p.kind in _BY_POSITION]
    if call.positional > len(places) and not _has(signature, ParameterKind.REST):
        return f"too many positional arguments ({call.positional}, takes {_count(places)})"
    filled = {p.name for p in places[: call.positional]}
    by_keyword = {p.name for p in signature if p.kind in _BY_KEYWORD}
    takes_any = _has(signature, ParameterKind.KEYWORDS)
    for keyword in call.keywords:
        if keyword not in by_keyword and not takes_any:
            return f"no parameter '{keyword}'"
        if keyword in filled and keyword in by_keyword:
            return f"'{keyword}' is given twice, by position and by keyword"
    filled |= by_keyword & set(call.keywords)
    missing = [p.name for p in signature if p.required and p.name not in filled]
    if missing and not call.unpacks:
        return f"missing {_quoted(missing)}"
    return None


def swapped(before: Signature, after: Signature, call: Arguments) -> str | None:
    """What a call that still binds passes by position to another parameter than it did.

    A caller that names the value as the new parameter is right now, whatever it was before.
    """
    old = [p.name for p in before if p.kind in _BY_POSITION][: call.positional]
    new = [p.name for p in after if p.kind in _BY_POSITION][: call.positional]
    names = {p.name for p in after}
    for meant, got, own in zip(old, new, (*call.names, *[""] * call.positional), strict=False):
        if meant != got and meant in names and own != got:
            return f"the value meant for '{meant}' now goes to '{got}'"
    return None


def is_widened(before: Signature, after: Signature) -> bool:
    """Every call that fits ``before`` fits ``after`` and means the same."""
    old, new = ([p for p in s if p.kind in _BY_POSITION] for s in (before, after))
    known = {p.name: p for p in after if p.kind in _BY_KEYWORD}
    names = {p.name for p in after}
    takes_any = _has(after, ParameterKind.REST) and _has(after, ParameterKind.KEYWORDS)
    return (
        (len(old) <= len(new) or takes_any)
        and all(_takes_place_of(n, o) for o, n in zip(old, new, strict=False))
        and all(o.name == n.name or o.name not in names for o, n in zip(old, new, strict=False))
        and all(p.name in known or _has(after, ParameterKind.KEYWORDS) for p in before if _is_by_name_only(p))
        and {(p.name, p.kind) for p in after if p.required} <= {(p.name, p.kind) for p in before if p.required}
        and all(_has(after, p.kind) for p in before if p.kind in _OPEN)
        and not (_has(before, ParameterKind.REST) and len(new) > len(old))
        # What went to **kwargs under its name may not be caught by a parameter now.
        and (not _has(before, ParameterKind.KEYWORDS) or _named(before) == _named(after))
    )


def without_receiver(signature: Signature) -> Signature:
    """The signature as seen through a bound method: its first positional parameter is filled."""
    return signature[1:] if signature and signature[0].kind in _BY_POSITION else signature


def accepts(signature: Signature, contract: Signature) -> bool:
    """The function can be called the shortest way that ``contract`` allows, by position where possible."""
    required = [p for p in contract if p.required]
    call = Arguments(
        sum(p.kind in _BY_POSITION for p in required),
        tuple(p.name for p in required if p.kind is ParameterKind.KEYWORD_ONLY),
        unpacks=False,
    )
    return refusal(signature, call) is None


def _is_by_name_only(p: Parameter) -> bool:
    return p.kind is ParameterKind.KEYWORD_ONLY


def _takes_place_of(new: Parameter, old: Parameter) -> bool:
    if old.kind is ParameterKind.POSITIONAL_ONLY:
        return True
    return new.name == old.name and new.kind is old.kind


def _named(signature: Signature) -> list[tuple[str, ParameterKind]]:
    return [(p.name, p.kind) for p in signature if p.kind not in _OPEN]


def _has(signature: Signature, kind: ParameterKind) -> bool:
    return any(p.kind is kind for p in signature)


def _count(places: Sequence[Parameter]) -> str:
    least = sum(p.required for p in places)
    return str(len(places)) if least == len(places) else f"{least} to {len(places)}"


def _quoted(names: Sequence[str]) -> str:
    quoted = ", ".join(f"'{n}'" for n in names)
    return f"argument {quoted}" if len(names) == 1 else f"arguments {quoted}"
