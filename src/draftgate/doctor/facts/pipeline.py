"""GitLab's pipeline file as far as it matters here, and what in it is ours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from draftgate.doctor.seen import Fact, seen, unseen
from draftgate.doctor.yaml_file import Unreadable, items, mapping, read_documents, text

PATH = ".gitlab-ci.yml"

_OURS = re.compile(r"draftgate", re.IGNORECASE)
_RUN = re.compile(r"(?:^|[\s;&|])draftgate\s+run\b")
_KEYWORDS = frozenset({"default", "include", "stages", "variables", "workflow", "spec"})


@dataclass(frozen=True, slots=True)
class Include:
    """The template, as it is included.

    Attributes:
        source: Its address, file or component.
        route: The input of that name; the template's default where there is none.
        image: The input; "" if there is none.
    """

    source: str
    route: str
    image: str


@dataclass(frozen=True, slots=True)
class PipelineFacts:
    """The file.

    Attributes:
        came_from: Where it was found, for sentences.
        has_file: There is one.
        trouble: Why it cannot be read; "" if it can.
        include: ``None`` where the template is not included.
        runs_itself: Names of jobs that run the program without the template.
        depth: ``GIT_DEPTH`` as it is written; "" if it is not.
        strategy: ``GIT_STRATEGY``, likewise.
        other_bots: Names of other review bots.
        unguarded: Jobs without `rules`, which every comment's pipeline runs by the webhook route.
    """

    came_from: str
    has_file: bool = False
    trouble: str = ""
    include: Include | None = None
    runs_itself: tuple[str, ...] = ()
    depth: str = ""
    strategy: str = ""
    other_bots: tuple[str, ...] = ()
    unguarded: tuple[str, ...] = ()
    text: Fact[str] = field(default_factory=lambda: seen(""))

    @property
    def is_ours(self) -> bool:
        """Whether Draftgate runs in these pipelines."""
        return self.include is not None or bool(self.runs_itself)

    @property
    def has_webhook_route(self) -> bool:
        """Whether its jobs are started by a webhook."""
        return self.include is not None and self.include.route == "webhook"


_BOTS = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("PR-Agent", r"\bpr[-_]agent\b"),
        ("reviewdog", r"(?:^|[/\s])reviewdog(?:[\s:@]|$)"),
        ("Danger", r"(?:^|[\s/])danger(?:-js|-swift|-python)?(?:\s+(?:ci|pr)\b|:|@)|danger-review"),
        ("CodeRabbit", r"\bcoderabbit"),
        ("Claude Code", r"(?:^|\s)claude\s+(?:-p|--print)\b"),
        ("MegaLinter", r"\bmegalinter\b"),
    )
)


def no_pipeline(reason: str) -> PipelineFacts:
    """Facts about a file that nobody could see."""
    return PipelineFacts("the default branch", text=unseen(reason))


def unreadable_pipeline(why: str) -> PipelineFacts:
    """Facts about a file of the checkout that is there and cannot be read."""
    return PipelineFacts("the checkout", has_file=True, trouble=why)


def read_pipeline(content: str | None, came_from: str) -> PipelineFacts:
    """The facts about a file; ``None`` for one that is not there."""
    if content is None:
        return PipelineFacts(came_from)
    try:
        documents = read_documents(content)
    except Unreadable as error:
        return PipelineFacts(came_from, has_file=True, trouble=str(error), text=seen(content))
    whole = mapping(documents[-1]) if documents else {}
    jobs = {name: mapping(job) for name, job in whole.items() if name not in _KEYWORDS and isinstance(job, dict)}
    variables = {name: _value(value) for name, value in mapping(whole.get("variables")).items()}
    seen_jobs = {name: job for name, job in jobs.items() if not name.startswith(".")}
    return PipelineFacts(
        came_from,
        has_file=True,
        include=next(_includes(whole.get("include")), None),
        runs_itself=tuple(name for name, job in jobs.items() if any(map(_RUN.search, _scripts(job)))),
        depth=variables.get("GIT_DEPTH", ""),
        strategy=variables.get("GIT_STRATEGY", ""),
        other_bots=tuple(dict.fromkeys(name for job in jobs.values() for name in _bots(job))),
        unguarded=tuple(name for name, job in seen_jobs.items() if not job.keys() & {"rules", "extends", "only"}),
        text=seen(content),
    )


def _value(written: Any) -> str:  # noqa: ANN401 - whatever stands there
    """A variable is a text, or a mapping with one as its value."""
    return text(written) or text(mapping(written).get("value"))


def _includes(written: Any) -> Iterator[Include]:  # noqa: ANN401 - whatever stands there
    entries = [written] if isinstance(written, dict) else items(written)
    for entry in entries:
        named = mapping(entry) if isinstance(entry, dict) else {"remote": text(entry)}
        sources = [text(named.get(key)) for key in ("remote", "component", "project", "local", "template")]
        files = [text(file) for file in items(named.get("file"))]
        if any(_OURS.search(source) for source in (*sources, *files)):
            inputs: Mapping[str, Any] = mapping(named.get("inputs"))
            source = next(filter(None, sources), "")
            yield Include(source, text(inputs.get("route")) or "merge-request", text(inputs.get("image")))


def _scripts(job: Mapping[str, Any]) -> Iterator[str]:
    for key in ("script", "before_script", "after_script"):
        for line in items(job.get(key)):
            yield from map(text, items(line) if isinstance(line, list) else (line,))


def _bots(job: Mapping[str, Any]) -> Iterator[str]:
    image = job.get("image")
    words = [*_scripts(job), text(image) or text(mapping(image).get("name"))]
    yield from (name for name, pattern in _BOTS if any(map(pattern.search, words)))
