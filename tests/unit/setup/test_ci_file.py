"""One entry is added to a `.gitlab-ci.yml`, and every other byte stays; what cannot be edited so is refused."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from draftgate.setup.ci_file import CannotEdit, CiFile

ENTRY = ("- local: /.gitlab/draftgate-template.yml", "  inputs:", "    image: r.example.com/d")

EDITABLE = {
    "no include": "build:\n  script: make\n",
    "no newline at the end": "build:\n  script: make",
    "a comment alone": "# nothing yet\n",
    "empty": "",
    "a list": "include:\n  - local: /a.yml\nbuild:\n  script: make\n",
    "a list at the end without a newline": "include:\n  - local: /a.yml",
    "a list that is not indented": "include:\n- local: /a.yml\n- '/b.yml'\n\nbuild: {script: make}\n",
    "a wider list": "include:\n    -   local: /a.yml # mine\n        rules:\n            - if: $X\n\n# the end\n",
    "anchors and merges": ".d: &d\n  tags: [x]\n\ninclude:\n  - project: a/b\n    file: [x, y]\njob:\n  <<: *d\n",
    "references": "include:\n  - local: /a.yml\njob:\n  script:\n    - !reference [.x, script]\n",
    "windows line ends": "include:\r\n  - local: /a.yml\r\nbuild:\r\n  script: make\r\n",
    "windows line ends, no include": "build:\r\n  script: make\r\n",
    "a byte order mark": "\ufeffinclude:\n  - local: /a.yml\n",
    "a text that keeps its empty lines": "build:\n  script: |+\n    make\n\n\n",
    "inputs of the pipeline": "spec:\n  inputs:\n    a: {default: b}\n---\nbuild:\n  script: make\n",
    "a quoted last entry": 'include:\n  - "/a.yml"   # this\n  # and that\n',
    "a list in braces inside": "include:\n  - {local: /a.yml, rules: [{if: $X}]}\n",
    "other scripts": "# früh\ninclude:\n  - local: /ä.yml\n日本:\n  script: make\n",
    "an alias as the last entry": ".x: &x\n  local: /a.yml\ninclude:\n  - local: /b.yml\n  - *x\nb: {script: make}\n",
    "an alias in the last entry": ".r: &r\n  - if: $X\ninclude:\n  - local: /b.yml\n    rules: *r\nb: {script: make}\n",
    "an empty last value": "include:\n  - local: /b.yml\n    ref:\n\n# the end\nb: {script: make}\n",
    "an anchored list": "include: &includes\n  - local: /a.yml\n",
    "a folded last value": "include:\n  - local: >-\n      /a.yml\n\nbuild:\n  script: make\n",
}  # fmt: skip

REFUSED = {
    "one word": "include: /a.yml\n",
    "one mapping": "include:\n  local: /a.yml\n",
    "a list in brackets": "include: [/a.yml]\n",
    "a reference": "include: !reference [.x, include]\n",
    "an alias": ".x: &x\n  - local: /a.yml\ninclude: *x\n",
    "nothing in it": "include:\nbuild:\n  script: make\n",
    "written twice": "include:\n  - local: /a.yml\ninclude:\n  - local: /b.yml\n",
    "all in braces": "{include: [/a.yml], build: {script: make}}\n",
    "no YAML": "build:\n\tscript: make\n",
    "a list alone": "- a\n- b\n",
    "three documents": "a: 1\n---\nb: 2\n---\nc: 3\n",
    "a document end": "build:\n  script: make\n...\n",
}


@pytest.mark.parametrize("text", EDITABLE.values(), ids=EDITABLE.keys())
def test_an_entry_is_added_and_every_other_byte_stays(text: str) -> None:
    edited = CiFile(text.encode()).with_entry(ENTRY)

    assert _is_text_with_lines_put_in(text, edited.decode())
    assert _plain(edited.decode())["include"][-1] == {
        "local": "/.gitlab/draftgate-template.yml",
        "inputs": {"image": "r.example.com/d"},
    }
    assert {**_plain(edited.decode()), "include": None} == {**_plain(text), "include": None}
    assert CiFile(edited).included[-1].is_ours
    assert ("\r\n" in text) == (b"\r\n" in edited)
    assert edited.count(b"\n") == edited.count(b"\r\n") or "\r\n" not in text


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_edited_safely_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(CannotEdit, match=r"\w+ \w+"):
        CiFile(text.encode()).with_entry(ENTRY)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(CannotEdit, match="not UTF-8"):
        CiFile(b"\xff\xfe")


@pytest.mark.parametrize(
    "include",
    [
        "- component: $CI_SERVER_FQDN/tools/draftgate/draftgate@1.2.0",
        "- remote: https://example.com/draftgate/1/.gitlab-ci-template.yml",
        "- {project: tools/draftgate, ref: v1, file: .gitlab-ci-template.yml}",
        "- local: /.gitlab/draftgate-template.yml",
        "- /.gitlab/draftgate-template.yml",
    ],
)
def test_a_template_that_is_included_already_is_known_in_every_form(include: str) -> None:
    assert [entry.is_ours for entry in CiFile(f"include:\n- a.yml\n{include}\n".encode()).included] == [False, True]


def test_jobs_without_rules_are_named_and_others_not() -> None:
    text = (
        "default: {}\n.hidden: {}\npages: {script: x}\na: {script: x, rules: []}\n"
        "b: {script: x, only: [main]}\nc: {script: x}\n"
    )

    assert CiFile(text.encode()).jobs_everywhere == ("pages", "c")


_VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.text(max_size=12)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=12,
)


@settings(deadline=None, max_examples=60)
@given(
    st.dictionaries(st.text(min_size=1, max_size=8).filter(lambda key: key != "include"), _VALUES, max_size=4),
    st.one_of(
        st.none(), st.lists(st.dictionaries(st.sampled_from(["local", "rules"]), _VALUES, min_size=1), min_size=1)
    ),
    st.booleans(),
)
def test_whatever_yaml_says_it_says_still(rest: dict[str, Any], include: list[Any] | None, flow: bool) -> None:  # noqa: FBT001
    before = rest | ({} if include is None else {"include": include})
    text = yaml.safe_dump(before, default_flow_style=None if flow else False, allow_unicode=True, sort_keys=False)
    try:
        edited = CiFile(text.encode()).with_entry(ENTRY).decode()
    except CannotEdit:
        return

    said, says = yaml.safe_load(text) or {}, yaml.safe_load(edited)
    assert says.pop("include")[:-1] == said.pop("include", [])
    assert says == said
    assert _is_text_with_lines_put_in(text, edited)


def _is_text_with_lines_put_in(old: str, new: str) -> bool:
    """The new text is the old one with one run of characters put in; a missing line end may be part of it."""
    start = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), len(old))
    return any(new.startswith(old[:at]) and new.endswith(old[at:]) for at in range(start, max(start - 200, -1), -1))


class _Loose(yaml.SafeLoader):
    """Reads GitLab's own tag as a list."""


_Loose.add_constructor("!reference", lambda loader, node: loader.construct_sequence(node))


def _plain(text: str) -> dict[str, Any]:
    documents = [document for document in yaml.load_all(text.removeprefix("\ufeff"), _Loose) if document]
    return documents[-1] if documents else {}
