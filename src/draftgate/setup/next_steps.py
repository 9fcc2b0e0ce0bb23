"""What the person does next: the fewest sentences that lead to a first review, with the pages where things are set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import quote

from draftgate.setup.address import ForgeName
from draftgate.setup.pipeline import wiring_of
from draftgate.setup.planned import Choices, Part
from draftgate.setup.released import PLACE_OF_ACTION, PLACE_OF_IMAGE, PLACE_OF_SCHEMA
from draftgate.setup.routes import Source
from draftgate.setup.shown import PIPELINE, WORKFLOW
from draftgate.setup.survey import Survey

_AT_LAST = (
    "Check the settings: draftgate config check",
    "Check token, permissions and settings of the forge: draftgate doctor",
)


def next_steps(survey: Survey, choices: Choices, part: Part) -> tuple[str, ...]:
    """Each step as a sentence or two, in their order."""
    steps = _on_github(survey, choices, part) if survey.forge is ForgeName.GITHUB else _on_gitlab(survey, choices, part)
    pasted = (f"Add the lines that are shown above to {paste.path}" for paste in part.pastes if paste.path == PIPELINE)
    return (*pasted, *_placeholders(survey, choices, part), *steps, *_schema(survey, part), *_AT_LAST)


def _placeholders(survey: Survey, choices: Choices, part: Part) -> Iterator[str]:
    """What still stands for something that only the person knows, in files that are there or would be."""
    texts = _texts(survey, part)
    releases = _unreleased(texts)
    if WORKFLOW in releases:
        yield (
            "Put the repository and the full commit of a release of Draftgate where `OWNER` and the zeros stand, "
            f"in {' and '.join(releases)}: `draftgate init --action OWNER/NAME@COMMIT` does it"
        )
    if any(PLACE_OF_IMAGE in text for text in texts.values()):
        yield (
            f"Build the image from the Dockerfile of a release, push it, and put it where the zeros stand in "
            f"{PIPELINE}: `draftgate init --image IMAGE@sha256:…` does it"
        )
    if not choices.source.is_named and any(choices.source.lines()[0] in text for text in texts.values()):
        yield f"Put the place of the template into {PIPELINE}, where `{choices.source.where}` stands"


def _schema(survey: Survey, part: Part) -> Iterator[str]:
    releases = _unreleased(_texts(survey, part))
    if releases and WORKFLOW not in releases:
        yield f"Editors find the schema once a release stands where `OWNER` and the zeros are, in {releases[0]}"


def _texts(survey: Survey, part: Part) -> dict[str, str]:
    texts = {path: survey.shown.text(path) or "" for path in part.in_place}
    texts |= {file.path: file.after.decode("utf-8", "replace") for file in part.files}
    return texts | {paste.path: paste.lines for paste in part.pastes}


def _unreleased(texts: Mapping[str, str]) -> list[str]:
    return [path for path, text in texts.items() if PLACE_OF_ACTION in text or PLACE_OF_SCHEMA in text]


def _on_github(survey: Survey, choices: Choices, part: Part) -> Iterator[str]:
    if choices.has_app:
        yield (
            "Make a GitHub App without a webhook (Contents read, Pull requests, Issues and Checks write) and install "
            f"it on the repository: {_site(survey)}settings/apps/new, or the same page of the organization (Settings → "
            "Developer settings → GitHub Apps)"
        )
        yield (
            f"Make the environment `draftgate`, limited to the branch {survey.target_branch}, with the secret "
            "`DRAFTGATE_APP_PRIVATE_KEY` and the variable `DRAFTGATE_APP_CLIENT_ID`: "
            f"{_page(survey, 'settings/environments/new', 'Settings → Environments')}"
        )
        where = "of that environment"
    else:
        way = "Settings → Secrets and variables → Actions"
        where = f"of the repository: {_page(survey, 'settings/secrets/actions/new', way)}"
    yield f"For a model to review too, its key as the secret `LLM_API_KEY` {where}"
    if survey.address is not None and survey.address.host != "github.com" and not survey.address.is_alias:
        yield (
            f"On {survey.address.host}: let actions of github.com be used (GitHub Connect) or mirror Draftgate there, "
            "and see that a runner has the label `ubuntu-latest`"
        )
    if part.files or part.kept:
        yield f"Commit the files and bring them to {survey.target_branch}: commands in comments run from there only"


def _on_gitlab(survey: Survey, choices: Choices, part: Part) -> Iterator[str]:
    wiring = wiring_of(survey, choices)
    guard = "masked and protected" if wiring.is_reviewed_by_webhook else "masked, not protected"
    yield (
        "Make a token of an account of the bot's own, role Developer, scope `api`: "
        f"{_page(survey, '-/settings/access_tokens', 'Settings → Access tokens')}"
    )
    yield (
        f"Store it as the variable `DRAFTGATE_GITLAB_TOKEN`, {guard}; a model's key as `DRAFTGATE_LLM_API_KEY`: "
        f"{_page(survey, '-/settings/ci_cd#js-cicd-variables-settings', 'Settings → CI/CD → Variables')}"
    )
    if wiring.has_webhook:
        yield from _webhook(survey)
    if wiring.has_sweep:
        yield (
            f"An hourly schedule on {survey.target_branch} takes up commands that were missed: "
            f"{_page(survey, '-/pipeline_schedules/new', 'Build → Pipeline schedules')}"
        )
    if choices.source.source is Source.COMPONENT and survey.address is not None and survey.address.is_below_a_path:
        yield "A component's address holds no path of the instance: where it is not found, use `--include project=…`"
    if part.files or part.kept or part.pastes:
        yield f"Commit the files and bring them to {survey.target_branch}"


def _webhook(survey: Survey) -> Iterator[str]:
    branch = quote(survey.target_branch, safe="")
    yield (
        f"Make a pipeline trigger token: {_page(survey, '-/settings/ci_cd#js-pipeline-triggers', 'Settings → CI/CD')}. "
        "On the same page let *Minimum role to use pipeline variables* be Maintainer or what you have"
    )
    yield (
        "Add a webhook for *Comments* and *Merge request events*, and nothing else: "
        f"{_page(survey, '-/hooks', 'Settings → Webhooks')}. Its URL: "
        f"{_instance(survey)}/api/v4/projects/NUMBER/ref/{branch}/trigger/pipeline?token=TRIGGER_TOKEN"
    )


def _page(survey: Survey, path: str, way: str) -> str:
    """Where a page is: its address where a remote says it, else the way through the menus."""
    page = survey.address.page if survey.address else None
    return f"{page}/{path}" if page else way


def _site(survey: Survey) -> str:
    """The forge itself; an App is made there, not in the repository."""
    page = survey.address.page if survey.address else None
    if page is None or survey.address is None:
        return "https://github.com/"
    return page.removesuffix(survey.address.path)


def _instance(survey: Survey) -> str:
    """The address of the GitLab instance, with the path that it is below."""
    address = survey.address
    if address is None or address.page is None:
        return "https://HOST"
    base = address.page.removesuffix(f"/{address.path}")
    return f"{base}/{address.path.split('/')[0]}" if address.is_below_a_path else base
