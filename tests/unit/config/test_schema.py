"""The JSON Schema that editors use says the same of a file as the program does, wherever a schema can."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from draftgate.bootstrap.configuration import known_names
from draftgate.config.keys import annotation_at, documented_at, documented_paths, section_of
from draftgate.config.load import ConfigFile, load
from draftgate.config.model import CommandAgent, Config, ModelSettings, Section, When, Who
from draftgate.config.schema import json_schema
from draftgate.errors import ConfigurationError, Problem
from tests.unit.config.writing import as_yaml, nested

KNOWN = known_names()
SCHEMA = json_schema(KNOWN)
VALIDATOR = Draft7Validator(SCHEMA)
REFERENCE = Path(__file__).parents[3] / "docs" / "reference"

BEYOND_A_SCHEMA = (
    "a secret stands in the file",
    "expected a glob whose ranges go upwards",
    "there is no agent '",  # a name that another key has to define
    "the agent name '",
    "the agent '",
    "a wait of ",
    ".0 — write",  # 1.0 is a whole number in JSON
    "there is no file '",
)
"""What only the program can say, in its words."""


def _problems(text: str) -> tuple[Problem, ...]:
    try:
        load(ConfigFile("draftgate.yml", text.encode()), environment={}, known=KNOWN)
    except ConfigurationError as error:
        return error.problems
    return ()


def _is_beyond(problem: Problem) -> bool:
    said = str(problem)
    return any(words in said for words in BEYOND_A_SCHEMA) or ("the number " in said and ".0 " in said)


def examples_of(section: type[Section]) -> dict[str, Any]:
    """The whole section, by its examples."""
    return {name: field.examples[0] for name, field in section.model_fields.items() if field.examples}


def test_it_is_valid_itself_and_what_is_published() -> None:
    Draft7Validator.check_schema(SCHEMA)

    assert json.loads((REFERENCE / "configuration.schema.json").read_text(encoding="utf-8")) == SCHEMA


def _definitions() -> Iterator[dict[str, Any]]:
    yield SCHEMA
    yield from (section for section in SCHEMA["definitions"].values() if "properties" in section)


def test_every_key_has_a_description_and_an_example_and_no_section_takes_others() -> None:
    for section in _definitions():
        assert section["additionalProperties"] is False
        assert section["description"]
        for name, field in section["properties"].items():
            assert field["description"], name
            assert field["examples"], name
            assert {"default", "allOf"} & field.keys() or name in section.get("required", ()), name


def test_every_example_is_right_for_the_program_and_the_schema() -> None:
    """They are what problems tell people to write."""
    for path in documented_paths():
        found = documented_at(path)
        assert found is not None
        for value in found[1].examples or ():
            data = nested(path, value)
            beside = section_of(annotation_at(path[:-1])) or Config
            for name, field in beside.model_fields.items():
                if field.is_required() and name != path[-1]:
                    nested((*path[:-1], name), field.examples[0] if field.examples else None, into=data)
            assert _problems(json.dumps(data)) == (), path
            assert VALIDATOR.is_valid(data), path


@pytest.mark.parametrize(
    "data",
    [
        {"code_review": {"agents": [examples_of(CommandAgent)]}},
        {"code_review": {"optional_agents": [{"use": "performance", "when": examples_of(When)}]}},
        {"approval": {"who": examples_of(Who)}},
        {"models": {"capable": examples_of(ModelSettings)}},
    ],
    ids=["program", "rule", "people", "model"],
)
def test_every_example_of_what_stands_beside_a_word_or_in_a_list_is_right(data: object) -> None:
    assert _problems(as_yaml(data)) == ()
    assert VALIDATOR.is_valid(data)


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"skip": None, "checks": None, "gates": {"policy": None}, "worktree": {"env": None}},
        {"checks": {"db.column-removed": None}},
        {"checks": {"impact.callers": {"enabled": True, "paths": {"exclude": []}}}},
        {"language": "pt-BR"},
        {"language": "EN_us"},
        {"approval": {"who": {"codeowners": True}, "author_may_approve": False}},
        {"models": {"standard": None, "capable": {"model": "openai-responses:x", "output": "native"}}},
        {"code_review": {"agents": ["builtin", {"name": "a", "command": ["b"], "format": "json"}]}},
        {"issues": {"github": {}, "gitlab": None}},
        {"budgets": {"usd": 1}},
    ],
)
def test_what_the_program_takes_the_schema_takes(data: object) -> None:
    assert _problems(as_yaml(data)) == ()
    assert VALIDATOR.is_valid(data)


@pytest.mark.parametrize(
    "data",
    [
        [],
        {"version": 2},
        {"version": "1"},
        {"version": True},
        {"frobnicate": 1},
        {"skip": {"labels": "a"}},
        {"skip": {"drafts": "yes"}},
        {"code_review": {"agents": []}},
        {"code_review": {"agents": None}},
        {"code_review": {"agents": ["corectness"]}},
        {"code_review": {"agents": ["security", "security"]}},
        {"code_review": {"agents": [None]}},
        {"code_review": {"instructions": "../x"}},
        {"code_review": {"instructions": "/x"}},
        {"code_review": {"instructions": "a/../../x"}},
        {"code_review": {"instructions": "a\\b"}},
        {"checks": {"db.nothing": {}}},
        {"checks": {"impact.callers": {"enabled": False}}},
        {"checks": {"impact.callers": {"paths": {"exclude": ["a"]}}}},
        {"checkpoint": {"visibility": "titles"}},
        {"language": "xx"},
        {"approval": {"who": None}},
        {"approval": {"who": {}}},
        {"approval": {"who": {"users": []}}},
        {"approval": {"who": {"codeowners": False}}},
        {"models": {"standard": "mistral:x"}},
        {"models": {"standard": {"effort": "high"}}},
        {"issues": {"linear": {}}},
        {"budgets": {"usd": 0}},
        {"gates": {"policy": {"nightly": "hard"}}},
    ],
)
def test_what_the_program_refuses_the_schema_refuses(data: object) -> None:
    assert _problems(as_yaml(data)) != ()
    assert not VALIDATOR.is_valid(data)


# --- Any file --------------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [
        *("auto", "full", "held", "own", "write", "true", "", "a", "docs/a.md", "../a", "/a", "**/*.py", "[z-a]"),
        *("correctness", "security", "builtin", "anthropic:x", "openai:", "mistral:y", "en", "pt-br", "no", "hard"),
        *("https://example.com", "http://user@example.com", "example.com", "a b", "UPPER", "sarif", "high"),
    ]
)
NAMES = st.sampled_from(
    [
        *("model", "effort", "name", "command", "format", "use", "when", "paths", "exclude", "users", "codeowners"),
        *("enabled", "default", "impact.callers", "db.column-removed", "pre-pr", "team", "prompt", "size", "x"),
    ]
)
SCALARS = st.none() | st.booleans() | st.integers(-2, 200) | st.floats(-1, 3) | WORDS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=5,
)


def _near(path: tuple[str | int, ...]) -> st.SearchStrategy[object]:
    """Values that are right for a key, or nearly so."""
    found = documented_at(path)
    assert found is not None
    field = found[1]
    by_default = [field.default] if isinstance(field.default, str | int | float | None) else []
    return st.sampled_from([*(field.examples or ()), *by_default]) | VALUES


PATHS = sorted(documented_paths(), key=str)
PARTS = st.sampled_from(PATHS).flatmap(lambda path: st.tuples(st.just(path), _near(path)))
FILES = st.lists(PARTS, min_size=1, max_size=4)


@settings(max_examples=400, deadline=None)
@given(FILES)
@example([(("budgets", "minutes"), 1.0)])
def test_the_program_and_the_schema_say_the_same_of_any_file(parts: list[tuple[tuple[str, ...], object]]) -> None:
    data: dict[str, Any] = {}
    for path, value in parts:
        nested(path, value, into=data)

    problems = _problems(as_yaml(data))

    if not problems:
        assert VALIDATOR.is_valid(data), list(VALIDATOR.iter_errors(data))
    elif VALIDATOR.is_valid(data):
        assert all(map(_is_beyond, problems)), [str(problem) for problem in problems]


def test_every_section_of_the_model_is_in_the_schema() -> None:
    sections = {section_of(field.annotation) for field in Config.model_fields.values()} - {None}

    assert {section.__name__ for section in sections if section} <= set(SCHEMA["definitions"])
