"""What a secret looks like, and how it is kept out of what is shown."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.config.key_shapes import hider, is_secret, is_secret_name, mask, secrets_of, without_secrets

HIDDEN = "[a key, not shown]"

# Made up here, so that no scanner takes this file for one that holds secrets.
FORMS = {
    "anthropic": "sk-ant-" + "api03-" + "a1" * 20,
    "openai": "sk-" + "a1" * 20,
    "openai-project": "sk-proj-" + "a1_-" * 10,
    "openrouter": "sk-or-" + "v1-" + "a1" * 16,
    "github": "ghp_" + "a1" * 18,
    "github-server": "ghs_" + "a1" * 18,
    "github-fine": "github_pat_" + "a1_" * 12,
    "gitlab": "glpat-" + "a1" * 10,
    "gitlab-deploy": "gldt-" + "a1" * 10,
    "aws": "AKIA" + "A1" * 8,
    "aws-session": "ASIA" + "A1" * 8,
    "aws-secret": "aws_secret_access_key = " + "a1/+" * 10,
    "aws-secret-quoted": 'AWS_SECRET_ACCESS_KEY": "' + "a1/+" * 10,
    "google": "AIza" + "a1_-" * 9,
    "google-access": "ya29." + "a1_-" * 8,
    "slack": "xoxb-" + "1234-" * 4,
    "slack-app": "xapp-" + "1-A2-" * 4,
    "linear": "lin_api_" + "a1" * 20,
    "hugging-face": "hf_" + "aB" * 17,
    "npm": "npm_" + "a1" * 18,
    "pypi": "pypi-" + "aB1_" * 15,
    "stripe": "sk_" + "live_" + "a1" * 12,
    "stripe-restricted": "rk_" + "test_" + "a1" * 12,
    "sendgrid": "SG." + "a1" * 11 + "." + "b2" * 20,
    "digitalocean": "dop_v1_" + "a1" * 32,
    "shopify": "shpat_" + "a1" * 16,
    "jwt": "eyJ" + "a1" * 10 + ".eyJ" + "b2" * 10 + "." + "c3" * 20,
    "password-in-url": "://user:hunter2@",
    "key-file": "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
}


@pytest.mark.parametrize("name", FORMS)
def test_known_forms_are_found_and_hidden(name: str) -> None:
    key = FORMS[name]

    assert is_secret(f"x = '{key}'")
    assert without_secrets(f"before\n'{key}' after\n") == f"before\n'{HIDDEN}' after\n"


def test_a_key_that_was_put_into_a_name_is_found() -> None:
    assert without_secrets(f"backup_{FORMS['github']}.txt") == f"backup_{HIDDEN}.txt"


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn",
        "the task-force of 2024",
        "https://example.com:8080/a@b",
        "https://user@example.com",
        "d41d8cd98f00b204e9800998ecf8427e",
        "-----BEGIN CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
        "eyJhbGciOiJIUzI1NiJ9",
        "aws_secret_access_key = os.environ[KEY]",
        "xghp_" + "a1" * 18,
    ],
    ids=["name", "words", "port", "user", "digest", "certificate", "public", "half-a-jwt", "variable", "inside-a-word"],
)
def test_what_only_looks_alike_is_left(text: str) -> None:
    assert not is_secret(text)
    assert without_secrets(text) == text


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("GITHUB_TOKEN", True),
        ("INPUT_LLM-API-KEY", True),
        ("ANTHROPIC_API_KEY", True),
        ("password", True),
        ("AWS_SECRET_ACCESS_KEY", True),
        ("SIGNING-KEY", True),
        ("TOKENS", False),
        ("KEYBOARD", False),
        ("key", False),
        ("PATH", False),
        ("x" * 10_000 + "_token", False),
    ],
)
def test_names_of_secrets_are_known(name: str, *, is_one: bool) -> None:
    assert is_secret_name(name) is is_one


# --- Keys in their own lines -----------------------------------------------------------------------------------------

BODY = [b64encode(bytes([number]) * 48).decode() for number in range(250, 255)] + ["qrsT+/="]
LINES = ["-----BEGIN RSA PRIVATE KEY-----", *BODY, "-----END RSA PRIVATE KEY-----"]
ENCRYPTED = [LINES[0], "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123456789ABCDEF", "", *LINES[1:]]
PGP = ["-----BEGIN PGP PRIVATE KEY BLOCK-----", "Version: X", "", *BODY, "=aBcD", "-----END PGP PRIVATE KEY BLOCK-----"]


def each(form: str, lines: list[str] = LINES) -> str:
    return "\n".join(form.format(line) for line in lines)


BLOCKS = {
    "plain": "\n".join(LINES),
    "windows": "\r\n".join(LINES),
    "indented": each("    {}"),
    "encrypted": "\n".join(ENCRYPTED),
    "pgp": "\n".join(PGP),
    "without-an-end": "\n".join(LINES[:-2]),
    "python-strings": each('    "{}\\n"'),
    "javascript-strings": each("  '{}\\n' +"),
    "php-strings": each("  . '{}\\n'"),
    "a-list": each('  "{}",'),
    "continued": each("\\t{}\\"),
    "one-string": 'key = "' + "\\n".join(LINES) + '"',
    "one-string-of-windows": 'key = "' + "\\r\\n".join(LINES) + '"',
    "json": '{"private_key": "' + "\\n".join(LINES) + '\\n", "id": 1}',
    "a-quotation": each("> {}"),
    "hash-comment": each("# {}"),
    "slash-comment": each("// {}"),
    "star-comment": each(" * {}"),
    "sql-comment": each("-- {}"),
    "a-table": each("| {} |"),
    "added": each("+{}"),
    "removed": each("-{}"),
    "context": each(" {}"),
    "replaced": each("-{}") + "\n" + each("+{}"),
    "replaced-line-by-line": "\n".join(f"-{line}\n+{line}" for line in LINES),
    "blank-lines-between": "\n\n".join(LINES),
    "twice": "\n".join([*LINES, "between", *LINES]),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_no_line_of_a_key_is_left_and_every_line_is_still_there(name: str) -> None:
    text = f"before = 1\n{BLOCKS[name]}\nafter = 2\n"

    hidden = without_secrets(text)

    assert [line for line in BODY if line[:7] in hidden] == []
    assert hidden.count("\n") == text.count("\n")
    assert hidden.startswith("before = 1\n")
    assert hidden.endswith("\nafter = 2\n")
    assert HIDDEN in hidden


def test_the_text_around_a_key_stays() -> None:
    text = f"a\n{BLOCKS['plain']}\nb\n{BLOCKS['plain']}\nc"

    assert without_secrets(text).split("\n") == ["a", *[HIDDEN] * len(LINES), "b", *[HIDDEN] * len(LINES), "c"]


@pytest.mark.parametrize(
    "line",
    ["x = 1", "def f():", "the key is read here", "", "    return None"],
    ids=["code", "function", "prose", "blank", "indented"],
)
def test_words_after_a_mere_heading_are_left(line: str) -> None:
    hidden = without_secrets(f"{LINES[0]}\n{line}\n")

    assert hidden == f"{HIDDEN}\n{line}\n"


HOSTILE: dict[str, Callable[[int], str]] = {
    "headings": lambda size: LINES[0] * (size // 20),
    "blanks": lambda size: LINES[0] + " " * size,
    "letters": lambda size: LINES[0] + "a" * size,
    "short-lines": lambda size: f"{LINES[0]}\nAAAAAAA " * (size // 30),
    "escapes": lambda size: LINES[0] + "\\n" * (size // 2),
    "backslashes": lambda size: LINES[0] + "\\" * size,
    "dashes": lambda size: LINES[0] + "-" * size,
    "many-keys": lambda size: f"{LINES[0]}\n{'AAAAAAAAA' * 3}\n" * (size // 60),
    "blank-lines": lambda size: (LINES[0] + "\n" * 3_000) * (size // 3_000),
    "an-open-heading": lambda size: "-----BEGIN " + "A" * size,
    "colons": lambda size: "://" * (size // 3),
    "users": lambda size: "://" + "a:" * (size // 2),
    "dots": lambda size: "SG." + "a" * size,
    "jwts": lambda size: ("eyJ" + "a" * 50 + ".") * (size // 54),
    "names": lambda size: "aws_secret_access_key " * (size // 22),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_take_no_more_time_than_their_length(name: str) -> None:
    begun = time.perf_counter()
    without_secrets(HOSTILE[name](500_000))

    assert time.perf_counter() - begun < 2.0  # some hundredths of a second; a quadratic one takes minutes


@given(st.lists(st.sampled_from([*LINES, *FORMS.values(), "\n", "\r\n", " ", '"', "\\n", "-", "+", "x", "AAAAAAAAA"])))
def test_any_text_keeps_its_lines(parts: list[str]) -> None:
    text = "".join(parts)

    assert without_secrets(text).count("\n") == text.count("\n")


# --- Secrets of the environment --------------------------------------------------------------------------------------


def test_every_line_of_a_secret_is_one_the_longest_first() -> None:
    environment = {
        "GITHUB_TOKEN": "short-token",
        "SIGNING_KEY": "first line\n  a much longer second line  \n\nabc",
        "PATH": "/usr/bin:/bin",
        "EMPTY_TOKEN": "",
        "OTHER_TOKEN": "12345",
    }

    assert secrets_of(environment) == ("a much longer second line", "short-token", "first line")


def test_a_secret_that_is_part_of_another_leaves_nothing_of_it() -> None:
    secrets = secrets_of({"A_TOKEN": "abcdef", "B_TOKEN": "abcdef-and-more"})

    assert mask("x abcdef-and-more abcdef y", secrets) == "x *** *** y"


def test_what_hides_knows_the_environment_and_the_forms() -> None:
    hide = hider({"OWN_PASSWORD": "correct horse", "HOME": "/home/me"})

    assert hide(f"correct horse at /home/me\n{FORMS['github']}\n") == f"*** at /home/me\n{HIDDEN}\n"
