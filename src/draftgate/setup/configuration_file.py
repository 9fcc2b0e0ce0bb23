"""The text of the `draftgate.yml` that is written where there is none.

What is written in force is what the repository asks for; everything else is a comment that is valid once its ``# `` is
taken away. The sentences about keys are the model's own, so that they say what this release does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from draftgate.config.keys import documented_at
from draftgate.config.load import CANDIDATE_PATHS
from draftgate.config.model import Config
from draftgate.domain.paths import matches_any
from draftgate.setup.address import ForgeName
from draftgate.setup.left_out import BY_DEFAULT, LeftOut
from draftgate.setup.survey import Survey

_ROOT, _GITHUB, _GITLAB = CANDIDATE_PATHS

# Settings of other programs that people keep beside the workflows; where they are, ours is looked for there too.
_KEPT_IN_FOLDER: Final = {
    ForgeName.GITHUB: (
        ".github/dependabot.y*ml",
        ".github/renovate.json*",
        ".github/labeler.y*ml",
        ".github/release.y*ml",
        ".github/release-drafter.y*ml",
        ".github/codecov.y*ml",
        ".github/stale.y*ml",
    ),
    ForgeName.GITLAB: (".gitlab/renovate.json*", ".gitlab/changelog_config.yml", ".gitlab/*.toml"),
}


def place_of_configuration(survey: Survey) -> str:
    """Where the file goes: the forge's folder if settings of other programs are kept there, else the top."""
    has_others = any(matches_any(path, _KEPT_IN_FOLDER[survey.forge]) for path in survey.shown.paths)
    if not has_others:
        return _ROOT
    return _GITHUB if survey.forge is ForgeName.GITHUB else _GITLAB


def configuration_file(survey: Survey, *, schema: str, checks: Sequence[str]) -> str:
    """The text of the file.

    Args:
        survey: What is known of the repository.
        schema: Where editors find the JSON Schema.
        checks: The ids of the checks that can be switched off.
    """
    return "\n".join(_lines(survey, schema, checks)).rstrip() + "\n"


def _lines(survey: Survey, schema: str, checks: Sequence[str]) -> Iterator[str]:
    yield f"# yaml-language-server: $schema={schema}"
    yield "#"
    yield "# Settings of Draftgate, read from the branch that a change goes to. What is not written has its default,"
    yield "# and a setting behind a `#` is a suggestion. `draftgate config check` checks this file; `draftgate config"
    yield "# show` prints every setting in force and what set it."
    yield f"version: {Config().version}"
    yield ""
    yield "code_review:"
    yield from _prose("code_review.agents", "  ")
    yield "  # agents: [correctness, security]"
    yield from _instructions(survey)
    yield "  paths:"
    yield from _prose("code_review.paths.private", "    ")
    yield '    # private: ["secrets/**", "**/*.pem"]'
    yield from _excluded(survey.left_out)
    yield ""
    yield from _suggestions(survey, checks)


def _instructions(survey: Survey) -> Iterator[str]:
    files = [path for path in survey.rules if json.dumps(path) == f'"{path}"']
    if files:
        yield f"  # {_sentence('code_review.instructions')} Read and checked in this release, without effect."
        yield f"  # instructions: {json.dumps(files[0])}"


def _excluded(proposals: Sequence[LeftOut]) -> Iterator[str]:
    yield from _prose("code_review.paths.exclude", "    ")
    yield "    exclude:"
    yield from (f"      - {json.dumps(glob)}" for glob in BY_DEFAULT)
    yield from (f"      - {json.dumps(proposal.glob)} # {proposal.why}" for proposal in proposals)


def _suggestions(survey: Survey, checks: Sequence[str]) -> Iterator[str]:
    """Settings that people look for, all of them comments."""
    rows = [
        ("skip", '# skip: {authors: ["dependabot[bot]", "renovate[bot]"], labels: ["no-review"], drafts: true}'),
        ("checks", f"# checks: {{{checks[0]}: {{enabled: false}}}}" if checks else ""),
        ("draft", f"# draft: {'just-in-time' if survey.shares_account else 'held'}"),
        ("commands.bare", "# commands: {bare: own}"),
        ("approval.who", "# approval: {who: maintain}"),
        ("models", "# models: {standard: anthropic:NAME, capable: anthropic:NAME}"),
        ("budgets", "# budgets: {tokens: 400000, usd: 2.0, minutes: 15}"),
        ("language", "# language: en"),
    ]
    for key, line in rows:
        if line:
            yield from _prose(key, "")
            yield line
            yield ""


def _prose(key: str, indent: str) -> Iterator[str]:
    yield f"{indent}# {_sentence(key)}"


def _sentence(key: str) -> str:
    documented = documented_at(tuple(key.split(".")))
    return (documented[1].description or "") if documented else ""
