"""A checkpoint that another release wrote: its round goes on, or the run names the release that has to go on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from draftgate.domain.canonical import digest
from draftgate.forge.hidden import assemble, read_marked, restore
from draftgate.forge.hosted.checkpoint import SCHEMA
from draftgate.render.page import Page
from tests.fakes import github_run, gitlab_run
from tests.fakes.github.scenario import make_scenario as make_github
from tests.fakes.gitlab.scenario import make_scenario as make_gitlab
from tests.flawed_change import make_flawed_repository

Runner = github_run.Runner | gitlab_run.Runner
_FACTS = ("instance", "round", "revision", "phase", "head")
_APPROVE = "/approve-findings 1 --as comment"


@pytest.fixture(params=["github", "gitlab"])
def waiting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Runner]:
    """Findings wait on a forge."""
    source = make_flawed_repository(tmp_path / "source")
    with ExitStack() as opened:
        runner: Runner
        if request.param == "github":
            runner = opened.enter_context(github_run.open_runner(make_github(tmp_path / "forge", source), tmp_path))
        else:
            runner = opened.enter_context(gitlab_run.open_runner(make_gitlab(tmp_path / "forge", source), tmp_path))
        assert runner.review().ended == (0, "awaiting-approval")
        yield runner


def rewrite(runner: Runner, schema: str, change: Callable[[dict[str, Any]], object], page: str = "") -> None:
    """Make the checkpoint one of another release, as that would have written it."""
    note = runner.checkpoint
    document = json.loads(restore(note.body, lambda _: ""))
    change(document["content"])
    document = {**document, "schema": schema, "digest": digest(document["content"])}
    marked = read_marked(note.body)
    assert marked is not None
    facts = {name: marked.marker.facts[name] for name in _FACTS}
    note.body = assemble(Page(page or marked.text), json.dumps(document).encode(), facts).head(())


def by(release: str) -> Callable[[dict[str, Any]], object]:
    return lambda content: content["session"].update(release=release)


def of_then(content: dict[str, Any]) -> None:
    content["session"] |= {"release": "9.1.0", "of_then": "something"}


def test_a_push_leaves_the_checkpoint_of_a_later_release_to_that(waiting: Runner) -> None:
    rewrite(waiting, "draftgate/checkpoint/v7", of_then)
    body = waiting.checkpoint.body
    waiting.push({"rooms/more.py": "x = 1\n"})

    ran = waiting.review()

    assert (ran.code, ran.writes) == (5, [])
    assert "Draftgate 9.1.0 wrote the stored state" in ran.log
    assert waiting.checkpoint.body == body


def test_a_command_is_refused_with_the_release_that_can_do_it(waiting: Runner) -> None:
    rewrite(waiting, "draftgate/checkpoint/v7", of_then)

    ran = waiting.command("maintainer", _APPROVE)

    assert ran.code == 5
    assert "Draftgate 9.1.0 wrote the stored state" in waiting.reply
    assert "run that release or a later one here too" in waiting.reply
    assert waiting.reviews == []


def test_a_new_round_that_somebody_asks_for_takes_its_place(waiting: Runner) -> None:
    rewrite(waiting, "draftgate/checkpoint/v7", of_then)

    asked = waiting.command("maintainer", "/draftgate review --force")
    approved = waiting.command("maintainer", _APPROVE)

    assert (asked.ended, approved.ended) == ((0, "awaiting-approval"), (0, "submitted"))
    assert len(waiting.reviews) == 1


def test_a_push_begins_anew_after_a_release_that_is_not_read_any_more(waiting: Runner) -> None:
    rewrite(waiting, "draftgate/checkpoint/v0", by("0.0.9"))

    ran = waiting.review()

    assert ran.ended == (0, "awaiting-approval")
    assert "Draftgate 0.0.9 wrote the stored state" in ran.log
    assert waiting.command("maintainer", _APPROVE).ended == (0, "submitted")


def test_a_round_of_an_earlier_release_with_the_same_page_is_approved(waiting: Runner) -> None:
    rewrite(waiting, SCHEMA, by("0.0.9"))

    assert waiting.command("maintainer", _APPROVE).ended == (0, "submitted")


def test_a_round_of_an_earlier_release_with_another_page_is_refused_by_its_name(waiting: Runner) -> None:
    rewrite(waiting, SCHEMA, by("0.0.9"), page="## Findings, as they were shown then")

    ran = waiting.command("maintainer", _APPROVE)

    assert ran.code == 5
    assert "were shown by Draftgate 0.0.9" in waiting.reply
    assert waiting.reviews == []
