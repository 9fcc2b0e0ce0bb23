"""Draftgate's jobs on GitLab: the entry of `include`, and a copy of the template where the repository is to hold it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from draftgate.setup.ci_file import CannotEdit, CiFile, Included
from draftgate.setup.planned import Choices, Kept, Part, Paste, PlannedFile, unified_diff
from draftgate.setup.released import read_file
from draftgate.setup.routes import Include, Source, Wiring
from draftgate.setup.shown import PIPELINE, TEMPLATE_COPY, Shown
from draftgate.setup.survey import Survey

_HEADER = "# Draftgate reviews merge requests; docs/how-to/gitlab.md of Draftgate says how to set the rest up.\n"
_STAGE = "test"
_STAGES_LIKE_IT = ("review", "lint", "check", "checks", "quality", "verify", "validate", "tests", "build")
_PLAIN_SCALAR = re.compile(r"[A-Za-z][\w ./-]*", re.ASCII)
_INCLUDE = re.compile(rb"^include[ \t]*:", re.MULTILINE)
_JOBS_NAMED = 5
_WHERE = "in its `include`, as one more entry of the list"
_WHERE_SECOND = (
    "in its `include`, which becomes a list: what is there now is its first entry, behind a `- `, and this the next"
)
_WHERE_NEW = "at the top level, on lines of their own"


def plan_pipeline(survey: Survey, choices: Choices) -> Part:
    """What becomes of `.gitlab-ci.yml` and of the copy of the template."""
    wiring = wiring_of(survey, choices)
    content = survey.shown.contents.get(PIPELINE)
    if content is None:
        entry = _entry(choices, wiring, stages=None)
        text = f"{_HEADER}include:\n" + "".join(f"  {line}\n" for line in entry)
        return _template(survey.shown, choices) + Part(files=(PlannedFile(PIPELINE, None, text.encode()),))
    return _added(survey, choices, wiring, content)


def wiring_of(survey: Survey, choices: Choices) -> Wiring:
    """What starts what: as the person named it, else as the pipeline that is there has it."""
    content = survey.shown.contents.get(PIPELINE)
    if choices.routes or content is None:
        return Wiring.of(choices.routes)
    try:
        included = CiFile(content).included
    except CannotEdit:
        return Wiring.of(())
    return next((Wiring.read(entry.inputs) for entry in included if entry.is_ours), Wiring.of(()))


def _added(survey: Survey, choices: Choices, wiring: Wiring, content: bytes) -> Part:
    has_include = _INCLUDE.search(content) is not None
    try:
        there = CiFile(content)
    except CannotEdit as reason:
        entry = _entry(choices, wiring, stages=None)
        return _template(survey.shown, choices) + _paste(reason, entry, _WHERE if has_include else _WHERE_NEW)
    ours = next((entry for entry in there.included if entry.is_ours), None)
    if ours is not None:
        return _settled(ours, survey.shown, choices, wiring)
    entry = _entry(choices, wiring, there.stages)
    part = _template(survey.shown, choices) + Part(notes=_notes(there, wiring))
    try:
        return part + Part(files=(PlannedFile(PIPELINE, content, there.with_entry(entry)),))
    except CannotEdit as reason:
        where = _WHERE_SECOND if there.includes_one else _WHERE if has_include else _WHERE_NEW
        return part + _paste(reason, entry, where)


def _settled(ours: Included, shown: Shown, choices: Choices, wiring: Wiring) -> Part:
    """The template is included already; what the person asked for now is compared, and nothing is edited."""
    is_copy = ours.keys.get("local", "").lstrip("/") == TEMPLATE_COPY
    copied = _template(shown, replace(choices, include=None)) if is_copy else Part()
    there = {key: value for key, value in ours.inputs.items() if key in {"route", "manual-job", "sweep"}}
    inputs = there if not choices.routes else dict(wiring.inputs())
    keys = ours.keys if choices.include is None else dict(line.split(": ", 1) for line in choices.include.lines())
    if (inputs, keys) == (there, ours.keys):
        return copied + Part(in_place=(PIPELINE,))
    old = _listed({**ours.keys, **ours.inputs})
    new = _listed({**keys, **{key: value for key, value in ours.inputs.items() if key not in there}, **inputs})
    why = "it includes Draftgate already, in another way than you named now; it stays as it is"
    return copied + Part(kept=(Kept(PIPELINE, why, unified_diff(f"{PIPELINE} (the entry of include)", old, new)),))


def _listed(inputs: dict[str, str]) -> str:
    return "".join(f"{key}: {value}\n" for key, value in inputs.items())


def _template(shown: Shown, choices: Choices) -> Part:
    """The copy of the template, if it is taken from the repository itself."""
    if choices.source.source is not Source.LOCAL:
        return Part()
    wanted = read_file("gitlab.yml")
    there = shown.text(TEMPLATE_COPY)
    if there is None:
        return Part(files=(PlannedFile(TEMPLATE_COPY, None, wanted.encode()),))
    if there.replace("\r\n", "\n") == wanted:
        return Part(in_place=(TEMPLATE_COPY,))
    why = "it is not the template of this release; to take that, delete the file and give the command again"
    return Part(kept=(Kept(TEMPLATE_COPY, why, unified_diff(TEMPLATE_COPY, there, wanted)),))


def _entry(choices: Choices, wiring: Wiring, stages: Sequence[str] | None) -> tuple[str, ...]:
    """The entry of `include`, line by line."""
    inputs = [("image", choices.image), *wiring.inputs()]
    if stages is not None and _STAGE not in stages:
        inputs.append(("stage", _stage_of(stages)))
    first, *more = choices.source.lines()
    return (
        f"- {first}",
        *(f"  {line}" for line in more),
        "  inputs:",
        *(f"    {key}: {value}" for key, value in inputs),
    )


def _stage_of(stages: Sequence[str]) -> str:
    """A stage that the pipeline has; a job of a stage that it lacks would make all of it invalid."""
    alike = next((stage for stage in _STAGES_LIKE_IT if stage in stages), None)
    stage = alike or next(iter(stages), ".pre")
    return stage if _PLAIN_SCALAR.fullmatch(stage) and stage == stage.strip() else json.dumps(stage)


def _paste(reason: CannotEdit, entry: Sequence[str], where: str) -> Part:
    lines = ["include:", *(f"  {line}" for line in entry)] if where is _WHERE_NEW else entry
    why = f"{reason}, so nothing is added to it from here"
    return Part(pastes=(Paste(PIPELINE, why, where, "\n".join(lines) + "\n"),))


def _notes(there: CiFile, wiring: Wiring) -> tuple[str, ...]:
    """What of the pipeline that is there would be in the way."""
    notes: list[str] = []
    sources = [] if wiring.is_reviewed_by_webhook else ["merge_request_event"]
    sources += ["trigger"] if wiring.has_webhook else []
    sources += ["schedule"] if wiring.has_sweep else []
    if there.has_workflow_rules:
        notes.append(f"{PIPELINE} has `workflow: rules`: they must let pipelines of the source {_and(sources)} pass")
    jobs = there.jobs_everywhere
    if jobs and (wiring.has_webhook or wiring.has_sweep):
        names = ", ".join(f"`{name}`" for name in jobs[:_JOBS_NAMED]) + (", …" if len(jobs) > _JOBS_NAMED else "")
        kinds = _and(
            [
                kind
                for kind, there_is in (("a webhook", wiring.has_webhook), ("a schedule", wiring.has_sweep))
                if there_is
            ]
        )
        notes.append(f"jobs without rules would run in pipelines of {kinds} too: {names}")
    return tuple(notes)


def _and(words: Sequence[str]) -> str:
    return " and ".join(words)


def schema_beside(include: Include) -> str | None:
    """Where the JSON Schema of the release is that a template belongs to, if its address says so."""
    name = "/.gitlab-ci-template.yml"
    if include.source is Source.REMOTE and include.place.endswith(name):
        return f"{include.place.removesuffix(name)}/docs/reference/configuration.schema.json"
    return None
