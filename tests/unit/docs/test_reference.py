"""What the reference pages say of the environment is what the source reads."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from docs.pages.environment import VARIABLES

SOURCE = Path(__file__).parents[3] / "src" / "draftgate"
VARIABLE = re.compile(
    r"(?:DRAFTGATE|INPUT|GITHUB|GITLAB|CI|RUNNER)_[A-Z0-9_-]*[A-Z0-9]|[A-Z]+_(?:API_KEY|BASE_URL)|[A-Z]+_PROXY|TRIGGER_PAYLOAD"
    r"|(?:REQUESTS|CURL)_CA_BUNDLE|SSL_CERT_FILE|GIT_SSL_CAINFO|NO_COLOR|TERM|USER"
)
PUT_TOGETHER = {"CI_PROJECT_PATH", "CI_MERGE_REQUEST_PROJECT_PATH", "INPUT_LANGUAGE", "INPUT_MODELS"}
"""Read under names that stand nowhere as one text."""
HALVES = {"CI_PROJECT", "CI_MERGE_REQUEST_PROJECT", "LLM_API_KEY", "LLM_BASE_URL"}
OF_THE_DEMO = {"DRAFTGATE_MODELS__STANDARD", "DRAFTGATE_MODELS__CAPABLE", "DRAFTGATE_CODE_REVIEW__AGENTS"}
NO_VARIABLES = {"GITLAB_TOKEN"}
"""The end of a name that is no key of the configuration."""


def read_by_the_source() -> set[str]:
    texts = {
        node.value
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {text for text in texts if VARIABLE.fullmatch(text)} - HALVES - OF_THE_DEMO - NO_VARIABLES


def documented() -> set[str]:
    return {name for _, _, rows in VARIABLES for names, _ in rows for name in names.split()}


def test_every_variable_that_is_read_is_documented_and_no_other() -> None:
    assert documented() == read_by_the_source() | PUT_TOGETHER
