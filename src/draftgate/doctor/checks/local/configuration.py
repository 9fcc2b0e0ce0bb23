"""Every problem of the configuration in force here, as `draftgate config check` shows it.

On a forge the file is read from the target branch; what stands there is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CONFIGURATION, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.local import LocalFacts, Settings


def _judge(facts: LocalFacts) -> Iterator[Verdict]:
    settings = facts.settings.value
    for problem in settings.problems:
        place = ":".join(str(part) for part in (problem.file, problem.line, problem.column) if part is not None)
        key = f"`{problem.key}`: " if problem.key else ""
        yield wrong(f"{place}: {key}{problem.wrong}", problem.write)
    for text in settings.warnings:
        yield warning(text, "correct or remove it")
    if settings.without_effect:
        yield warning(
            f"set, and without effect in this release: {', '.join(settings.without_effect)}",
            "nothing has to be done; the reference of the configuration marks such keys",
        )
    if not settings.problems:
        yield ok(_praise(settings))


def _praise(settings: Settings) -> str:
    if settings.file:
        return f"{settings.file} is fine"
    if settings.has_looked:
        return "there is no file, and the defaults are in force"
    return "the inputs and variables are fine; the file stands on the target branch, and was not read"


CHECK = Check(
    "local.configuration",
    "configuration",
    _judge,
    wrong_if="the file of the work tree, or the environment, has a problem; each is a row",
    warns_if="a variable is unknown, or a key has no effect in this release",
    exit_code=CONFIGURATION,
)
