"""What a place's surroundings say: its path, and what a variable is called."""

from __future__ import annotations

import pytest

from draftgate.checks.python.uses import is_called_like, is_hidden_path, is_test_path


@pytest.mark.parametrize(
    ("name", "owner", "alike"),
    [
        ("project", "Project", True),
        ("proj", "Project", True),
        ("_project", "Project", True),
        ("python_env", "PythonEnvironment", True),
        ("variant", "ProductVariant", True),
        ("client", "HTTPClient", True),
        ("product", "ProductVariant", False),
        ("main_project", "Project", False),
        ("pr", "Project", False),
        ("projects", "Project", False),
        ("", "Project", False),
        ("_", "Project", False),
    ],
)
def test_a_variable_is_called_like_a_class_if_it_abbreviates_it(name: str, owner: str, *, alike: bool) -> None:
    assert is_called_like(name, owner) is alike


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/helper.py", True),
        ("app/tests.py", True),
        ("app/test_views.py", True),
        ("app/views_test.py", True),
        ("conftest.py", True),
        ("app/testimony.py", False),
        ("app/latest/views.py", False),
    ],
)
def test_test_code_is_known_by_its_path(path: str, *, is_test: bool) -> None:
    assert is_test_path(path) is is_test


@pytest.mark.parametrize(
    ("path", "is_hidden"), [(".semgrep/rule.py", True), ("app/.cache/x.py", True), ("app/x.y.py", False)]
)
def test_a_folder_of_a_tool_is_hidden(path: str, *, is_hidden: bool) -> None:
    assert is_hidden_path(path) is is_hidden
