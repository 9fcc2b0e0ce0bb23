"""What would be written, what stays, and what is left to the person; the files are valid for those who read them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
import yaml

from draftgate.checks.registry import load_checks
from draftgate.config.load import ConfigFile, load
from draftgate.config.rules import Known
from draftgate.errors import UsageError
from draftgate.setup.plan import Plan, make_plan
from draftgate.setup.planned import Choices
from draftgate.setup.released import PLACE_OF_ACTION, read_file
from draftgate.setup.routes import Include, Route, parse_routes
from draftgate.setup.shown import PIPELINE, TEMPLATE_COPY, WORKFLOW
from draftgate.setup.survey import survey
from tests.unit.setup.places import COVERS, GITLAB, shown, surveyed

ROOT = Path(__file__).parents[3]
ACTION = "tools/draftgate@" + "1" * 40
IMAGE = "r.example.com/draftgate@sha256:" + "2" * 64
ON_INSTANCE = "$CI_SERVER_FQDN/a/draftgate"
CHECKS = [check.id for check in load_checks() if check.can_be_disabled]


def plan(files: dict[str, str | bytes] | None = None, choices: Choices | None = None, *, url: str = "") -> Plan:
    known = surveyed(files, url=url) if url else surveyed(files)
    return make_plan(known, choices or Choices(), checks=CHECKS)


def written(made: Plan) -> dict[str, str]:
    return {file.path: file.after.decode() for file in made.part.files}


@pytest.mark.parametrize(
    ("copy", "name"),
    [
        ("examples/github/minimal.yml", "token.yml"),
        ("examples/github/recommended.yml", "app.yml"),
        (".gitlab-ci-template.yml", "gitlab.yml"),
        ("templates/draftgate/template.yml", "gitlab.yml"),
    ],
)
def test_what_is_written_and_what_is_published_are_one(copy: str, name: str) -> None:
    assert (ROOT / copy).read_text(encoding="utf-8") == read_file(name)


@pytest.mark.parametrize(("has_app", "example"), [(False, "minimal"), (True, "recommended")])
def test_the_workflow_is_the_example_with_the_release_that_was_named(example: str, *, has_app: bool) -> None:
    text = written(plan(choices=Choices(has_app=has_app, action=ACTION)))[WORKFLOW]

    published = (ROOT / f"examples/github/{example}.yml").read_text(encoding="utf-8")
    assert yaml.safe_load(text) == yaml.safe_load(published.replace(PLACE_OF_ACTION, ACTION))
    assert "OWNER" not in text


FILES: dict[str, str | bytes] = {
    "AGENTS.md": "",
    "a b#c/AGENTS.md": "",
    "web/dist/x.js": "",
    "gen/x.py": "",
    ".gitattributes": "gen/** linguist-generated\n",
    "src/x.py": "",
}


@pytest.mark.parametrize("url", [GITLAB, "git@github.com:acme/shop.git"])
@pytest.mark.parametrize("files", [{}, FILES], ids=["bare", "much"])
def test_the_configuration_is_valid_and_so_is_every_suggestion_in_it(files: dict[str, str | bytes], url: str) -> None:
    text = written(plan(files, url=url))["draftgate.yml"]
    known = Known(frozenset(CHECKS), frozenset({"impact.callers"}), lambda path: path in files, frozenset({"en"}))

    suggestions = [
        number for number, line in enumerate(text.splitlines()) if re.match(r" *# [a-z_]+: [^ ]*[\w\[{\"]", line)
    ]
    load(ConfigFile("draftgate.yml", text.encode()), environment={}, known=known)
    for number in suggestions:
        lines = text.splitlines()
        lines[number] = lines[number].replace("# ", "", 1)
        if "instructions" in lines[number] or "yaml-language-server" not in lines[number]:
            load(ConfigFile("draftgate.yml", "\n".join(lines).encode()), environment={}, known=known)

    assert len(suggestions) >= 9
    assert text.startswith("# yaml-language-server: $schema=https://")


def test_settings_go_where_those_of_other_programs_are_kept() -> None:
    assert "draftgate.yml" in written(plan({".github/workflows/ci.yml": ""}))
    assert ".github/draftgate.yml" in written(plan({".github/dependabot.yml": ""}))
    assert ".gitlab/draftgate.yml" in written(plan({".gitlab/renovate.json": ""}, url=GITLAB))


def test_a_second_plan_has_nothing_to_write() -> None:
    for url, choices in (("git@github.com:a/b", Choices(has_app=True)), (GITLAB, Choices(routes=frozenset(Route)))):
        files: dict[str, str | bytes] = dict(FILES)
        files |= written(plan(files, choices, url=url))

        known = survey(
            shown(files, remotes={"origin": url}), COVERS, excluded=("gen/**", "web/dist/**", "vendor/**", "**/*.lock")
        )
        again = make_plan(known, replace(choices, has_app=None), checks=CHECKS).part

        assert (again.files, again.kept, again.pastes) == ((), (), ())
        assert len(again.in_place) >= 2


def test_a_release_that_is_named_later_takes_the_place_of_the_zeros_and_nothing_else() -> None:
    files: dict[str, str | bytes] = {path: text + "# mine\n" for path, text in written(plan()).items()}

    made = plan(files, Choices(action=ACTION))

    assert set(written(made)) == {WORKFLOW, "draftgate.yml"}
    for file in made.part.files:
        before = str(files[file.path])
        assert file.after.decode() == before.replace(PLACE_OF_ACTION, ACTION).replace(
            "OWNER/draftgate/" + "0" * 40, ACTION.replace("@", "/")
        )


def test_another_release_than_the_one_that_was_named_is_shown_as_the_lines_to_change() -> None:
    files: dict[str, str | bytes] = {**written(plan(choices=Choices(action=ACTION)))}
    later = ACTION.replace("1", "3")

    [kept] = plan(files, Choices(action=later)).part.kept

    assert (kept.path, "names another release" in kept.why) == (WORKFLOW, True)
    assert kept.diff.count(f"+        uses: {later} ") == 2
    assert plan(files, Choices(action=ACTION)).part.kept == plan(files).part.kept == ()


def test_a_workflow_that_was_edited_stays_and_the_difference_is_shown() -> None:
    text = (
        written(plan())[WORKFLOW]
        .replace("timeout-minutes: 20", "timeout-minutes: 45", 1)
        .replace(PLACE_OF_ACTION, ACTION)
    )

    made = plan({WORKFLOW: text, "draftgate.yml": "version: 1\n"})

    assert made.part.files == ()
    assert [kept.path for kept in made.part.kept] == [WORKFLOW]
    assert "-    timeout-minutes: 45\n+    timeout-minutes: 20\n" in made.part.kept[0].diff
    assert "uses" not in made.part.kept[0].diff


def test_a_second_workflow_is_not_written_beside_one_that_runs_draftgate() -> None:
    text = read_file("token.yml").replace(PLACE_OF_ACTION, ACTION).replace("\n", "\r\n")

    made = plan({".github/workflows/review.yaml": text})

    assert set(written(made)) == {"draftgate.yml"}
    assert ".github/workflows/review.yaml" in made.part.in_place


def test_a_workflow_of_the_name_that_does_something_else_stays() -> None:
    made = plan({WORKFLOW: "name: ours\n"})

    assert set(written(made)) == {"draftgate.yml"}
    assert made.part.kept[0].why.startswith("it runs something else")


def test_a_configuration_that_is_there_stays_and_further_globs_are_lines_to_paste() -> None:
    made = plan({"draftgate.yml": "version: 1\n", "web/dist/a.js": "", "a.py": ""})

    assert "draftgate.yml" not in written(made)
    assert [(paste.path, paste.lines) for paste in made.part.pastes] == [("draftgate.yml", '- "web/dist/**" # built\n')]


ROUTES = [frozenset(some) for count in range(1, 5) for some in combinations(Route, count)]


@pytest.mark.parametrize("routes", ROUTES, ids=lambda routes: "+".join(sorted(routes)))
def test_each_choice_of_routes_has_inputs_that_the_template_takes(routes: frozenset[Route]) -> None:
    if routes == {Route.MERGE_REQUEST}:
        with pytest.raises(UsageError, match="nothing could be approved"):
            parse_routes(routes)
        return

    made = plan(choices=Choices(routes=parse_routes(routes), image=IMAGE), url=GITLAB)

    inputs = yaml.safe_load(written(made)[PIPELINE])["include"][0]["inputs"]
    specified = next(iter(yaml.safe_load_all(read_file("gitlab.yml"))))["spec"]["inputs"]
    by_webhook = Route.WEBHOOK in routes and not routes & {Route.MANUAL, Route.MERGE_REQUEST}
    assert inputs.keys() <= specified.keys()
    assert (inputs.get("route") == "webhook") == by_webhook
    assert inputs.get("sweep", True) == (Route.SWEEP in routes)
    assert by_webhook or inputs.get("manual-job", True) == (Route.MANUAL in routes)
    steps = "\n".join(made.steps)
    assert ("/-/hooks" in steps) == (Route.WEBHOOK in routes)
    assert ("masked and protected" in steps) == by_webhook


@pytest.mark.parametrize(
    ("include", "entry", "has_copy"),
    [
        ("local", {"local": f"/{TEMPLATE_COPY}"}, True),
        ("remote=https://x.example/1/draftgate.yml", {"remote": "https://x.example/1/draftgate.yml"}, False),
        ("project=a/draftgate@v1", {"project": "a/draftgate", "ref": "v1", "file": ".gitlab-ci-template.yml"}, False),
        ("component=$CI_SERVER_FQDN/a/draftgate/draftgate@1", {"component": f"{ON_INSTANCE}/draftgate@1"}, False),
    ],
)
def test_each_kind_of_include(include: str, entry: dict[str, str], *, has_copy: bool) -> None:
    files = written(plan(choices=Choices(include=Include.parse(include), image=IMAGE), url=GITLAB))

    assert yaml.safe_load(files[PIPELINE]) == {"include": [{**entry, "inputs": {"image": IMAGE}}]}
    assert (files.get(TEMPLATE_COPY) == read_file("gitlab.yml")) == has_copy


@pytest.mark.parametrize(
    "include", ["file", "local=x", "remote=x", "project=x", "component=x", "remote=https://a/b.yml\nx"]
)
def test_an_include_that_cannot_be_one_is_refused(include: str) -> None:
    with pytest.raises(UsageError):
        Include.parse(include)


@pytest.mark.parametrize(
    ("stages", "stage"),
    [("[build, test]", None), ("[build, review]", "review"), ("[a b, c]", "a b"), ("['1', x]", "1")],
)
def test_a_pipeline_without_the_stage_test_gets_one_that_it_has(stages: str, stage: str | None) -> None:
    made = plan({PIPELINE: f"stages: {stages}\n"}, url=GITLAB)

    assert yaml.safe_load(written(made)[PIPELINE])["include"][0]["inputs"].get("stage") == stage


def test_what_cannot_be_added_to_a_pipeline_is_lines_to_paste_with_their_place() -> None:
    with_include = plan({PIPELINE: "include: /a.yml\n"}, url=GITLAB).part
    broken = plan({PIPELINE: "build:\n\tscript: x\n"}, url=GITLAB).part

    assert PIPELINE not in {file.path for file in (*with_include.files, *broken.files)}
    assert with_include.pastes[0].lines.startswith("- local: ")
    assert "its `include`" in with_include.pastes[0].where
    assert broken.pastes[0].lines.startswith("include:\n  - local: ")
    assert "(line 2)" in broken.pastes[0].why


@pytest.mark.parametrize("include", ["ci/base.yml", "{local: ci/base.yml}"])
def test_a_single_include_is_said_to_become_a_list(include: str) -> None:
    made = plan({PIPELINE: f"include: {include}\njob: {{script: x}}\n"}, url=GITLAB)

    [paste] = made.part.pastes
    assert "becomes a list: what is there now is its first entry" in paste.where
    assert made.steps[0] == "Add the lines that are shown above to .gitlab-ci.yml"


def test_a_second_run_advises_by_the_routes_that_are_in_place() -> None:
    chosen = Choices(routes=frozenset({Route.WEBHOOK}), image=IMAGE)
    first = plan(choices=chosen, url=GITLAB)

    again = plan(dict(written(first)), url=GITLAB)

    assert again.part.notes == first.part.notes == ("reviews start by the webhook, commands by the webhook",)
    assert any("masked and protected" in step for step in again.steps)


def test_other_routes_for_a_template_that_is_included_already_are_shown_and_not_written() -> None:
    there = written(plan(choices=Choices(image=IMAGE), url=GITLAB))

    made = plan(dict(there), Choices(routes=frozenset({Route.WEBHOOK})), url=GITLAB)

    assert made.part.files == ()
    assert "+route: webhook\n" in made.part.kept[0].diff


def test_what_the_pipeline_has_in_the_way_is_noted() -> None:
    text = "workflow: {rules: [{if: $CI_COMMIT_TAG}]}\nbuild: {script: make}\n"

    notes = "\n".join(plan({PIPELINE: text}, Choices(routes=frozenset(Route)), url=GITLAB).part.notes)

    assert "merge_request_event and trigger and schedule" in notes
    assert "`build`" in notes


def test_something_else_in_the_place_of_a_file_is_refused_before_anything_is_shown() -> None:
    known = survey(replace(shown(), unwritable={WORKFLOW: "`.github` is a symbolic link"}), COVERS)

    with pytest.raises(UsageError, match=r"workflows/draftgate\.yml: nothing is written there: `\.github` is"):
        make_plan(known, Choices(), checks=CHECKS)


def test_the_pages_of_the_next_steps_are_those_of_the_host() -> None:
    enterprise = plan(choices=Choices(has_app=True), url="git@github.acme.example:a/b.git").steps
    below = plan(choices=Choices(routes=frozenset({Route.WEBHOOK})), url="https://acme.example/gitlab/a/b.git").steps
    alias = plan(url="git@github-work:acme/shop.git").steps

    assert any("https://github.acme.example/settings/apps/new" in step for step in enterprise)
    assert any("GitHub Connect" in step for step in enterprise)
    assert any("https://acme.example/gitlab/api/v4/projects/NUMBER/ref/main/trigger" in step for step in below)
    assert not any("github-work" in step for step in alias)
