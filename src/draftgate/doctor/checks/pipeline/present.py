"""A project is reviewed by jobs of its pipelines, so the template must be there, in a file that can be read."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CONFIGURATION, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.pipeline import PATH, PipelineFacts

_INCLUDE = (
    "include:",
    "  - remote: https://HOST/OWNER/draftgate/RELEASE/.gitlab-ci-template.yml",
    "    inputs:",
    "      image: registry.example.com/draftgate@sha256:…",
)


def _judge(facts: PipelineFacts) -> Iterator[Verdict]:
    _ = facts.text.value  # whether anybody could look at all
    if facts.trouble:
        yield wrong(f"{PATH} cannot be read: {facts.trouble}", "correct it")
    elif facts.include is not None:
        yield ok(f"{facts.include.source} is included, with the route {facts.include.route}")
    elif facts.runs_itself:
        yield ok(f"the job {facts.runs_itself[0]} runs Draftgate without the template")
    else:
        what = f"{PATH} does not include Draftgate" if facts.has_file else f"there is no {PATH}"
        yield warning(f"{what}, unless by a file that it includes", "include the template", lines=_INCLUDE)


CHECK = Check(
    "pipeline.present",
    "template",
    _judge,
    wrong_if="the file cannot be read",
    warns_if="it does not include Draftgate",
    exit_code=CONFIGURATION,
    comes_first=True,
)
