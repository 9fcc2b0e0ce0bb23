"""From what a repository shows to everything that `draftgate init` would do: where to begin reading this package."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from draftgate.errors import UsageError
from draftgate.setup.address import ForgeName
from draftgate.setup.configuration_file import configuration_file, place_of_configuration
from draftgate.setup.next_steps import next_steps
from draftgate.setup.pipeline import plan_pipeline, schema_beside, wiring_of
from draftgate.setup.planned import Choices, Part, Paste, PlannedFile
from draftgate.setup.released import fill_in
from draftgate.setup.shown import PIPELINE, TEMPLATE_COPY, WORKFLOW
from draftgate.setup.survey import Survey
from draftgate.setup.workflow import plan_workflow, takes_an_app

_SCHEMA = "docs/reference/configuration.schema.json"


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done, and what the person does next."""

    part: Part
    steps: tuple[str, ...]


def make_plan(survey: Survey, choices: Choices, *, checks: Sequence[str]) -> Plan:
    """Decide what is written, what stays, and what is left to the person.

    Args:
        survey: What is known of the repository.
        choices: What the person chose.
        checks: The ids of the built-in checks that can be switched off.

    Raises:
        UsageError: Something else than a file or a folder stands where a file would go.
    """
    _refuse_what_is_no_file(survey)
    if choices.has_app is None:
        choices = replace(choices, has_app=takes_an_app(survey.shown))
    part = plan_workflow(survey, choices) if survey.forge is ForgeName.GITHUB else plan_pipeline(survey, choices)
    configuration = survey.configuration or place_of_configuration(survey)
    whole = _filled_in(_plan_configuration(survey, choices, configuration, checks) + part, survey, choices)
    whole += Part(notes=tuple(_notes(survey, choices, whole)))
    return Plan(whole, next_steps(survey, choices, whole))


def _refuse_what_is_no_file(survey: Survey) -> None:
    targets = (WORKFLOW,) if survey.forge is ForgeName.GITHUB else (PIPELINE, TEMPLATE_COPY)
    for path in (place_of_configuration(survey), *targets):
        if path in survey.shown.unwritable:
            raise UsageError(
                f"nothing is written there: {survey.shown.unwritable[path]}",
                context=path,
                hint="put a plain file or folder in its place, or nothing, and give the command again",
            )


def _plan_configuration(survey: Survey, choices: Choices, path: str, checks: Sequence[str]) -> Part:
    if survey.configuration is not None:
        return Part(in_place=(path,), pastes=_further_globs(survey, path))
    text = configuration_file(survey, schema=_schema(choices), checks=checks)
    return Part(files=(PlannedFile(path, None, text.encode()),))


def _filled_in(part: Part, survey: Survey, choices: Choices) -> Part:
    """A file that is there gets what was named now in place of what stands for it, and nothing else."""
    filled: list[PlannedFile] = []
    for path in (*part.in_place, *(kept.path for kept in part.kept)):
        before = survey.shown.contents[path]
        after = fill_in(before.decode("utf-8", "surrogateescape"), choices.action, choices.image)
        filled.append(PlannedFile(path, before, after.encode("utf-8", "surrogateescape")))
    changed = tuple(file for file in filled if file.after != file.before)
    left = set(part.in_place) - {file.path for file in changed}
    return replace(part, files=part.files + changed, in_place=tuple(path for path in part.in_place if path in left))


def _further_globs(survey: Survey, path: str) -> tuple[Paste, ...]:
    """What a configuration that is there does not leave out yet; it is the person's, and is never edited."""
    if not survey.left_out:
        return ()
    lines = "".join(f"- {json.dumps(proposal.glob)} # {proposal.why}\n" for proposal in survey.left_out)
    why = "it is there and stays as it is; a review could leave out more"
    return (Paste(path, why, "under `code_review:` `paths:` `exclude:`, if you agree", lines),)


def _schema(choices: Choices) -> str:
    """Where the schema of the same release is: beside the template if its address says so, else beside the action."""
    repository, _, commit = choices.action.partition("@")
    beside = schema_beside(choices.source)
    return beside or f"https://raw.githubusercontent.com/{repository}/{commit}/{_SCHEMA}"


def _notes(survey: Survey, choices: Choices, part: Part) -> list[str]:
    """What the person should know before they agree."""
    shown = survey.shown
    notes = [wiring_of(survey, choices).sentence()] if survey.forge is ForgeName.GITLAB else []
    if survey.shares_account and not choices.has_app:
        names = ", ".join(bot.name for bot in survey.bots if bot.shares_account)
        notes.append(
            f"{names} may write as `github-actions[bot]` too, and an account has one draft review on a pull request: "
            "`--auth app` gives Draftgate an account of its own"
        )
    touched = [file.path for file in part.files]
    notes += [f"{path} has changes that are not committed; they stay" for path in touched if path in shown.changed]
    notes += [
        f"{path} is ignored by git; `git add --force {path}` adds it all the same"
        for path in touched
        if path in shown.ignored
    ]
    if survey.other_remotes:
        others = ", ".join(survey.other_remotes)
        taken = survey.address.remote if survey.address else "none"
        notes.append(f"there are other remotes ({others}); taken is {taken}, and `--remote NAME` takes another")
    return notes
