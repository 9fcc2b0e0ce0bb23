"""What pages show can be typed and copied: links lead somewhere, commands are understood, files are what they claim."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import typer
import yaml
from typer import _click as click

from draftgate.bootstrap.configuration import known_names
from draftgate.cli.arguments import hoist
from draftgate.cli.main import app
from draftgate.commands.registry import load_commands
from draftgate.config.load import ConfigFile, load
from draftgate.config.model import Config
from tests.markdown_pages import ROOT, Fence, anchors, fences, links, pages

PROGRAM: Any = typer.main.get_command(app)
VERBS = {word for spec in load_commands() for word in (spec.name, spec.short) if word}
LATER = "it is not in this release"
"""A page may name such a command, and may not show how it is typed."""
STEP = {"name", "id", "if", "uses", "with", "env", "run"}


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


# --- Links ---


@pytest.mark.parametrize("page", pages(), ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    lost = [str(link) for link in links(page) if not leads_somewhere(page, link.address)]

    assert lost == []


def leads_somewhere(page: Path, address: str) -> bool:
    parts = urlsplit(address)
    if parts.scheme:
        return parts.scheme in {"https", "mailto"}
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not parts.fragment or (target.suffix == ".md" and parts.fragment in anchors(target))


def test_a_link_that_leads_nowhere_is_noticed() -> None:
    readme = ROOT / "README.md"

    assert leads_somewhere(readme, "docs/how-to/gitlab.md#the-token")
    assert not leads_somewhere(readme, "docs/how-to/gitlab.md#the-tokens")
    assert not leads_somewhere(readme, "docs/how-to/gitlap.md")
    assert not leads_somewhere(readme, "http://example.com")


# --- Commands ---


def typed(page: Path) -> list[str]:
    """The commands of Draftgate in blocks and in lines of a page; those with an elision cannot be typed."""
    lines = [line.removeprefix("$ ") for fence in fences(page) for line in fence.text.splitlines()]
    spans = re.findall(r"(?<!`)`([^`\n]+)`(?!`)", page.read_text(encoding="utf-8"))
    commands = (text.removeprefix(".venv/bin/") for text in lines + spans)
    return [text for text in commands if text.startswith("draftgate ") and "…" not in text]


def trouble_with(command: str) -> str:
    """Why the program does not understand a command; "" if it does."""
    words = hoist(shlex.split(command.partition(" > ")[0], comments=True)[1:])
    while words[:1] and words[0] in {"--quiet", "-q", "--verbose"}:
        words.pop(0)
    if words[:1] in (["--version"], ["--help"], ["[OPTIONS]"], ["COMMAND"]):
        return ""
    program = PROGRAM
    while hasattr(program, "commands") and words:
        if words[0] not in program.commands:
            return f"there is no subcommand {words[0]}"
        program = program.commands[words.pop(0)]
    if (program.help or "").startswith("Not in this release"):
        return LATER
    try:
        if words:
            program.make_context("draftgate", [word for word in words if word != "[OPTIONS]"])
    except click.exceptions.ClickException as error:
        return str(error.format_message())
    return ""


@pytest.mark.parametrize("page", pages(), ids=named)
def test_every_command_of_ours_is_understood(page: Path) -> None:
    if page.name == "CHANGELOG.md" or page.parent.name == "adr":
        pytest.skip("it tells what was")
    examples = [command for command in typed(page) if len(command.split()) > 2 or trouble_with(command) != LATER]

    wrong = {command: trouble_with(command) for command in examples}

    assert {command: why for command, why in wrong.items() if why} == {}


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("draftgate reviewing", "no subcommand"),
        ("draftgate review --fast", "No such option"),
        ("draftgate config checks", "no subcommand"),
        ("draftgate gate run", "not in this release"),
        ("draftgate review --base main --format json  # as JSON", ""),
        ("draftgate review --quiet", ""),
    ],
)
def test_a_command_that_is_not_understood_is_noticed(command: str, why: str) -> None:
    assert why in trouble_with(command)
    assert bool(why) is bool(trouble_with(command))


@pytest.mark.parametrize("page", pages(), ids=named)
def test_every_comment_command_is_one(page: Path) -> None:
    shown = re.findall(r"(?<![\w/])/draftgate ([a-z-]+)", page.read_text(encoding="utf-8"))

    assert set(shown) - VERBS == set()


# --- Files ---

YAML = [fence for page in pages() for fence in fences(page) if fence.language == "yaml"]


@pytest.mark.parametrize("fence", YAML, ids=str)
def test_every_yaml_block_is_what_it_claims(fence: Fence) -> None:
    content = yaml.safe_load(fence.text)

    assert complaints(content, fence.text) == []


def complaints(content: object, text: str) -> list[str]:
    """What is wrong with a block: a configuration, steps or inputs of the action, an include or a job of GitLab."""
    match content:
        case list():
            return [each for step in content for each in _step(step)]
        case {"with": dict() as inputs}:
            return _unknown(inputs, _action()["inputs"])
        case {"include": list() as includes}:
            known = next(yaml.safe_load_all((ROOT / ".gitlab-ci-template.yml").read_text(encoding="utf-8")))
            return [each for one in includes for each in _unknown(one["inputs"], known["spec"]["inputs"])]
        case dict() if content.keys() <= Config.model_fields.keys():
            load(ConfigFile("draftgate.yml", text.encode()), environment={}, known=known_names())
            return []
        case dict():
            jobs = [job for job in content.values() if isinstance(job, dict) and job.keys() & {"script", "rules"}]
            return [] if len(jobs) == len(content) else ["it is nothing that we know"]
        case _:
            return ["it is nothing that we know"]


def _step(step: dict[str, Any]) -> list[str]:
    ours = "OWNER/draftgate@" in step.get("uses", "")
    return _unknown(step, dict.fromkeys(STEP)) + (_unknown(step.get("with", {}), _action()["inputs"]) if ours else [])


def _unknown(given: dict[str, Any], known: dict[str, Any]) -> list[str]:
    return [f"there is no {name}" for name in given if name not in known]


def _action() -> dict[str, Any]:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert isinstance(action, dict)
    return action


def test_every_output_that_a_page_names_is_one_of_the_action() -> None:
    texts = "\n".join(page.read_text(encoding="utf-8") for page in pages())

    assert set(re.findall(r"steps\.draftgate\.outputs\.([a-z-]+)", texts)) <= _action()["outputs"].keys()


def test_a_block_that_is_wrong_is_noticed() -> None:
    assert complaints(yaml.safe_load("with: {llm-key: a}"), "") == ["there is no llm-key"]
    assert complaints([{"uses": "OWNER/draftgate@0", "with": {"fail_on": "any"}}], "") == ["there is no fail_on"]
    assert complaints({"jobs": 1}, "") == ["it is nothing that we know"]


def test_the_front_page_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 110
