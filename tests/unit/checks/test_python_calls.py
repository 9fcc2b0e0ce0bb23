"""Binding is held against the interpreter's own, call by call (`inspect` binds otherwise in corners)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draftgate.checks.grammar.python import Parameter, ParameterKind, Signature, read_outline
from draftgate.checks.python.calls import Arguments, accepts, is_widened, refusal, swapped

STARS = {ParameterKind.REST: "*", ParameterKind.KEYWORDS: "**"}
NAMES = "abcd"


@st.composite
def signatures(draw: st.DrawFn) -> Signature:
    """A signature that Python accepts: kinds in order, no required place after an optional one."""
    names = draw(st.permutations(NAMES))[: draw(st.integers(0, 4))]
    order = [ParameterKind.POSITIONAL_ONLY, ParameterKind.EITHER, ParameterKind.KEYWORD_ONLY]
    kinds = sorted((draw(st.sampled_from(order)) for _ in names), key=order.index)
    found, optional = [], False
    for name, kind in zip(names, kinds, strict=True):
        required = draw(st.booleans())
        if kind is not ParameterKind.KEYWORD_ONLY:
            required = required and not optional
            optional = not required
        found.append(Parameter(name, kind, required))
    if draw(st.booleans()):
        places = sum(p.kind is not ParameterKind.KEYWORD_ONLY for p in found)
        found.insert(places, Parameter("rest", ParameterKind.REST, required=False))
    if draw(st.booleans()):
        found.append(Parameter("more", ParameterKind.KEYWORDS, required=False))
    return tuple(found)


calls = st.builds(
    Arguments,
    positional=st.integers(0, 4),
    keywords=st.lists(st.sampled_from([*NAMES, "other"]), unique=True, max_size=3).map(tuple),
    unpacks=st.just(value=False),
)


def binds(signature: Signature, call: Arguments) -> bool:
    """What the interpreter says."""
    function = eval(f"lambda {spelled(signature)}: None")  # noqa: S307 - spelled above out of four letters
    try:
        function(*[0] * call.positional, **dict.fromkeys(call.keywords, 0))
    except TypeError:
        return False
    return True


def spelled(signature: Signature) -> str:
    """The parameters as Python source."""
    parts: list[str] = []
    before = ParameterKind.POSITIONAL_ONLY
    for p in signature:
        if before is ParameterKind.POSITIONAL_ONLY and p.kind is not before and parts:
            parts.append("/")
        if p.kind is ParameterKind.KEYWORD_ONLY and before not in (p.kind, ParameterKind.REST):
            parts.append("*")
        parts.append(STARS.get(p.kind, "") + p.name + ("" if p.required or p.kind in STARS else "=0"))
        before = p.kind
    return ", ".join([*parts, "/"] if parts and before is ParameterKind.POSITIONAL_ONLY else parts)


@given(signatures(), calls)
@settings(max_examples=300, deadline=None)
def test_a_call_is_refused_exactly_when_the_interpreter_refuses_it(signature: Signature, call: Arguments) -> None:
    assert (refusal(signature, call) is None) == binds(signature, call)


@given(signatures(), signatures(), calls)
@settings(max_examples=300, deadline=None)
def test_what_is_widened_still_takes_every_old_call(before: Signature, after: Signature, call: Arguments) -> None:
    if is_widened(before, after) and binds(before, call):
        assert binds(after, call)
        assert swapped(before, after, call) is None


@given(signatures())
@settings(max_examples=100, deadline=None)
def test_a_signature_is_no_change_to_itself(signature: Signature) -> None:
    assert is_widened(signature, signature)
    assert accepts(signature, signature)


@pytest.mark.parametrize(
    ("before", "after", "widened"),
    [
        pytest.param("a", "a, b=1", True, id="an optional parameter at the end"),
        pytest.param("a", "a, *, b=1", True, id="an optional keyword"),
        pytest.param("a, b=1", "a, c=1, b=1", False, id="an optional parameter in the middle"),
        pytest.param("a=1", "a", False, id="a default is gone"),
        pytest.param("a, b", "*args, **kwargs", True, id="takes anything"),
        pytest.param("a, **kw", "a, b=1", False, id="no more keywords"),
        pytest.param("*, a", "*, b=1, a", True, id="keyword order does not matter"),
        pytest.param("a, *rest", "a, b=1, *rest", False, id="takes from the rest"),
    ],
)
def test_a_signature_is_widened_if_no_call_can_tell(before: str, after: str, *, widened: bool) -> None:
    assert is_widened(signature_of(before), signature_of(after)) is widened


def test_unpacked_arguments_may_fill_what_is_missing_but_not_excuse_what_is_too_much() -> None:
    signature = signature_of("a, b")

    assert refusal(signature, Arguments(1, (), unpacks=True)) is None
    assert refusal(signature, Arguments(3, (), unpacks=True)) == "too many positional arguments (3, takes 2)"
    assert refusal(signature, Arguments(0, ("c",), unpacks=True)) == "no parameter 'c'"


def signature_of(parameters: str) -> Signature:
    """The signature that these parameters spell."""
    outline = read_outline(f"def f({parameters}):\n    pass\n")
    signature = outline.definitions["f"].signature
    assert signature is not None
    return signature
