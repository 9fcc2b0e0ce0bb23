"""Keys and addresses of models, as an environment gives them."""

from __future__ import annotations

import pytest

from draftgate.bootstrap.model_access import ModelAccess, read_access
from draftgate.errors import UsageError

ANTHROPIC = "sk-ant-api03-" + "a" * 20
OPENAI = "sk-proj-" + "o" * 20
OTHER = "local-" + "x" * 10


@pytest.mark.parametrize(
    ("environment", "preferred", "keys"),
    [
        ({}, "openai", ("", "")),
        ({"DRAFTGATE_LLM_API_KEY": ANTHROPIC}, "anthropic", ("", ANTHROPIC)),
        ({"DRAFTGATE_LLM_API_KEY": OPENAI}, "openai", (OPENAI, "")),
        ({"DRAFTGATE_LLM_API_KEY": OTHER}, "openai", (OTHER, "")),
        ({"INPUT_LLM-API-KEY": OPENAI, "DRAFTGATE_LLM_API_KEY": ANTHROPIC}, "openai", (OPENAI, "")),
        ({"INPUT_LLM-API-KEY": "", "DRAFTGATE_LLM_API_KEY": ANTHROPIC}, "anthropic", ("", ANTHROPIC)),
        ({"ANTHROPIC_API_KEY": ANTHROPIC}, "anthropic", ("", ANTHROPIC)),
        ({"OPENAI_API_KEY": OPENAI}, "openai", (OPENAI, "")),
        ({"OPENAI_API_KEY": OPENAI, "ANTHROPIC_API_KEY": ANTHROPIC}, "openai", (OPENAI, ANTHROPIC)),
        ({"DRAFTGATE_LLM_API_KEY": ANTHROPIC, "OPENAI_API_KEY": OPENAI}, "anthropic", (OPENAI, ANTHROPIC)),
        ({"DRAFTGATE_LLM_API_KEY": OTHER, "OPENAI_API_KEY": OPENAI}, "openai", (OTHER, "")),
        ({"DRAFTGATE_LLM_API_KEY": OTHER, "ANTHROPIC_API_KEY": ANTHROPIC}, "openai", (OTHER, ANTHROPIC)),
        ({"ANTHROPIC_API_KEY": f" {ANTHROPIC}\n"}, "anthropic", ("", ANTHROPIC)),
    ],
    ids=[
        "none",
        "form-of-anthropic",
        "form-of-openai",
        "no-form",
        "the-input-first",
        "an-empty-input",
        "anthropics-own-name",
        "openais-own-name",
        "both-own-names",
        "general-and-the-others-own",
        "general-before-the-same-makers-own",
        "own-where-the-general-is-anothers",
        "blanks-around",
    ],
)
def test_the_key_that_is_given_decides_whom_to_ask(
    environment: dict[str, str], preferred: str, keys: tuple[str, str]
) -> None:
    access = read_access(environment)

    assert access.preferred == preferred
    assert (access.key_for("openai", ""), access.key_for("anthropic", "")) == keys
    assert access.is_there is any(keys)


def test_a_key_is_not_shown_to_another_maker_but_to_any_server_that_is_named() -> None:
    access = ModelAccess(key=ANTHROPIC)

    assert access.key_for("openai", "") == ""
    assert access.key_for("openai", "https://api.anthropic.com/v1") == ANTHROPIC
    assert ModelAccess(key=OTHER).key_for("anthropic", "http://localhost:8080") == OTHER


@pytest.mark.parametrize(
    ("environment", "urls"),
    [
        ({}, ("", "")),
        ({"DRAFTGATE_LLM_BASE_URL": "http://localhost:8080/v1/"}, ("http://localhost:8080/v1",) * 2),
        ({"OPENAI_BASE_URL": "https://one.example.com"}, ("https://one.example.com", "")),
        ({"OPENAI_BASE_URL": "https://one.example.com/v1/chat/completions"}, ("https://one.example.com/v1", "")),
        ({"OPENAI_BASE_URL": "https://one.example.com/v1/responses/"}, ("https://one.example.com/v1", "")),
        ({"ANTHROPIC_BASE_URL": "https://two.example.com/v1/messages"}, ("", "https://two.example.com/v1")),
        ({"OPENAI_BASE_URL": "https://one.example.com/messages/v1"}, ("https://one.example.com/messages/v1", "")),
        (
            {"INPUT_LLM-BASE-URL": "https://one.example.com", "ANTHROPIC_BASE_URL": "https://two.example.com"},
            ("https://one.example.com",) * 2,
        ),
    ],
    ids=[
        "none",
        "general",
        "own",
        "with-chat-completions",
        "with-responses",
        "with-messages",
        "messages-before-the-end",
        "general-before-own",
    ],
)
def test_a_server_in_place_of_the_providers_own(environment: dict[str, str], urls: tuple[str, str]) -> None:
    access = read_access(environment)

    assert (access.base_url_for("openai"), access.base_url_for("anthropic")) == urls


@pytest.mark.parametrize(
    "url",
    [
        "llm.example.com",
        "ftp://llm.example.com",
        "https://name:hunter2@llm.example.com/v1",
        "https://llm.example.com/v1?key=hunter2",
        "https://llm.example.com?key=hunter2",
        "https://llm.example.com#hunter2",
        "https://",
        "https://llm.example.com /hunter2",
    ],
    ids=["no-scheme", "other-scheme", "user", "query", "query-without-path", "fragment", "no-host", "blank"],
)
def test_what_is_no_plain_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_access({"DRAFTGATE_LLM_BASE_URL": url})

    assert "DRAFTGATE_LLM_BASE_URL" in str(caught.value)
    assert "hunter2" not in f"{caught.value}{caught.value.hint}"


@pytest.mark.parametrize(
    "key",
    ["two words", "line\nbreak", "größe", "\x1b[31m", "x" * 8193],
    ids=["blank", "newline", "letters", "escape", "too-long"],
)
@pytest.mark.parametrize("name", ["INPUT_LLM-API-KEY", "DRAFTGATE_LLM_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"])
def test_what_can_be_no_key_is_refused_and_not_repeated(name: str, key: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_access({name: key})

    assert name in str(caught.value)
    assert key not in f"{caught.value}{caught.value.hint}"


@pytest.mark.parametrize(
    ("environment", "file"),
    [
        ({}, ""),
        ({"SSL_CERT_FILE": "/ca.pem"}, "/ca.pem"),
        ({"SSL_CERT_FILE": "/ca.pem", "REQUESTS_CA_BUNDLE": "/own.pem"}, "/own.pem"),
    ],
    ids=["none", "one", "both"],
)
def test_certificates_of_the_environment_are_trusted(environment: dict[str, str], file: str) -> None:
    assert read_access(environment).ca_file == file


def test_no_key_is_in_what_is_printed() -> None:
    access = ModelAccess(key=ANTHROPIC, own_keys={"openai": OPENAI})

    assert ANTHROPIC not in repr(access)
    assert OPENAI not in repr(access)
