"""Which review bots a repository has already, as their files show, so that none stands in another's way.

What matters of each is whether it writes as an account that Draftgate would share, and which files it leaves out.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import yaml

from draftgate.domain.paths import matches_any
from draftgate.setup.shown import Shown

_MOST_GLOBS = 50


@dataclass(frozen=True, slots=True)
class Bot:
    """A review bot that the repository is set up for.

    Attributes:
        name: As its makers write it.
        files: Those that show it.
        shares_account: It writes with the workflow's own token, as `github-actions[bot]`, unless told otherwise.
        leaves_out: Globs of files that it leaves out, in our notation.
    """

    name: str
    files: tuple[str, ...]
    shares_account: bool = False
    leaves_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    files: tuple[str, ...] = ()
    in_workflow: str | None = None
    globs: Callable[[str], object] | None = None


def _pr_agent_globs(text: str) -> object:
    """``[ignore] glob = [...]`` of PR-Agent's `.pr_agent.toml`."""
    ignore = tomllib.loads(text).get("ignore", {})
    return ignore.get("glob") if isinstance(ignore, Mapping) else None


def _coderabbit_globs(text: str) -> object:
    """``reviews.path_filters`` of CodeRabbit's `.coderabbit.yaml`, of which those with ``!`` leave out."""
    reviews = _mapping(yaml.safe_load(text)).get("reviews")
    filters = _mapping(reviews).get("path_filters")
    listed = filters if isinstance(filters, list) else []
    return [entry[1:] for entry in listed if isinstance(entry, str) and entry.startswith("!")]


def _sourcery_globs(text: str) -> object:
    """``ignore`` of Sourcery's `.sourcery.yaml`."""
    return _mapping(yaml.safe_load(text)).get("ignore")


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


_KINDS = (
    _Kind("PR-Agent", (".pr_agent.toml",), r"(?:codium-?ai|qodo-ai|the-pr-agent)/pr-agent", _pr_agent_globs),
    _Kind(
        "CodeRabbit",
        ("/.coderabbit.yaml", "/.coderabbit.yml"),
        r"coderabbitai/|fossar/coderabbit",
        _coderabbit_globs,
    ),
    _Kind(
        "Danger",
        ("/Dangerfile", "/Dangerfile.*", "/dangerfile.*", "/.github/dangerfile.*"),
        r"\bdanger(?:-js)?(?: ci| pr|/danger)|bundle exec danger",
    ),
    _Kind("reviewdog", ("/.reviewdog.yml", "/.reviewdog.yaml"), r"reviewdog"),
    _Kind("Sourcery", ("/.sourcery.yaml",), r"sourcery-ai/", _sourcery_globs),
    _Kind("GitHub Copilot", ("/.github/copilot-instructions.md", "/.github/instructions/**")),
    _Kind(
        "Gemini Code Assist", ("/.gemini/config.yaml", "/.gemini/styleguide.md"), r"google-github-actions/run-gemini"
    ),
    _Kind("Claude Code", (), r"anthropics/claude-code"),
    _Kind("Greptile", ("/greptile.json",)),
    _Kind("Ellipsis", ("/ellipsis.yaml",)),
    _Kind("DeepSource", ("/.deepsource.toml",)),
    _Kind("Code Climate", ("/.codeclimate.yml",)),
    _Kind("Hound", ("/.hound.yml",)),
    _Kind("Codacy", ("/.codacy.yml", "/.codacy.yaml")),
)
_HAS_AN_ACCOUNT = frozenset({"Claude Code", "CodeRabbit", "GitHub Copilot"})
"""Bots that write by an App of their makers even where a workflow starts them."""


def other_bots(shown: Shown) -> tuple[Bot, ...]:
    """The review bots of a repository, by the names of their files and by what its workflows call."""
    workflows = tuple(shown.texts(".github/workflows/*"))
    pipelines = tuple(shown.texts("/.gitlab-ci.yml", ".gitlab/**"))
    return tuple(_found(shown, workflows, pipelines))


def _found(
    shown: Shown, workflows: tuple[tuple[str, str], ...], pipelines: tuple[tuple[str, str], ...]
) -> Iterator[Bot]:
    for kind in _KINDS:
        by_name = tuple(path for path in shown.paths if kind.files and matches_any(path, kind.files))
        calling = re.compile(kind.in_workflow, re.IGNORECASE) if kind.in_workflow else None
        by_workflow = tuple(path for path, text in workflows if calling and calling.search(_without_comments(text)))
        by_pipeline = tuple(path for path, text in pipelines if calling and calling.search(_without_comments(text)))
        if by_name or by_workflow or by_pipeline:
            shares = bool(by_workflow) and kind.name not in _HAS_AN_ACCOUNT
            globs = tuple(glob for path in by_name for glob in _globs(kind, shown.text(path)))
            yield Bot(kind.name, tuple(dict.fromkeys((*by_name, *by_workflow, *by_pipeline))), shares, globs)


def _without_comments(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def _globs(kind: _Kind, text: str | None) -> tuple[str, ...]:
    """What the bot's own file leaves out; a file that cannot be read is the bot's trouble, and proposes nothing."""
    if kind.globs is None or text is None:
        return ()
    try:
        found = kind.globs(text)
    except (tomllib.TOMLDecodeError, yaml.YAMLError, RecursionError, ValueError, AttributeError):
        return ()
    listed = found if isinstance(found, list | tuple) else ()
    return tuple(glob for glob in listed[:_MOST_GLOBS] if isinstance(glob, str) and not glob.startswith("!"))
