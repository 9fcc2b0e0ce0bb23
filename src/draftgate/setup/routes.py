"""How reviews and commands start on GitLab, and where its template is included from: the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from draftgate.errors import UsageError
from draftgate.setup.released import PLACE_OF_TEMPLATE
from draftgate.setup.shown import TEMPLATE_COPY


class Route(StrEnum):
    """One way in which a job of ours starts on GitLab (docs/how-to/gitlab.md)."""

    MERGE_REQUEST = "merge-request"
    MANUAL = "manual"
    WEBHOOK = "webhook"
    SWEEP = "sweep"


BY_DEFAULT = frozenset({Route.MERGE_REQUEST, Route.MANUAL, Route.SWEEP})
"""What the template does without inputs, and what works without a webhook."""


class Source(StrEnum):
    """A kind of `include` (https://docs.gitlab.com/ci/yaml/#include)."""

    LOCAL = "local"
    REMOTE = "remote"
    PROJECT = "project"
    COMPONENT = "component"


_PLACES = {
    Source.LOCAL: f"/{TEMPLATE_COPY}",
    Source.REMOTE: PLACE_OF_TEMPLATE,
    Source.PROJECT: "GROUP/draftgate@RELEASE",
    Source.COMPONENT: "$CI_SERVER_FQDN/GROUP/draftgate/draftgate@RELEASE",
}
_FORMS = {
    Source.REMOTE: (r"https?://[\w./:@~%+-]+\.ya?ml", "the address of the template, which ends in .yml"),
    Source.PROJECT: (r"[\w.-]+(?:/[\w.-]+)+@[\w./-]+", "GROUP/PROJECT@TAG"),
    Source.COMPONENT: (r"[\w.$:-]+(?:/[\w.-]+)+@[\w.~-]+", "HOST/GROUP/PROJECT/draftgate@RELEASE"),
}


@dataclass(frozen=True, slots=True)
class Include:
    """Where the template is taken from; without a place, where it would be once somebody names one."""

    source: Source = Source.LOCAL
    place: str = ""

    @classmethod
    def parse(cls, text: str) -> Include:
        """Read ``KIND`` or ``KIND=WHERE``.

        Raises:
            UsageError: There is no such kind, or the place cannot be one of its kind.
        """
        kind, _, place = text.partition("=")
        if kind not in set(Source):
            raise UsageError(f"there is no kind of include {kind!r}", hint=f"write {_listed(Source)}")
        source = Source(kind)
        if place and source is Source.LOCAL:
            raise UsageError("the local copy has its place", hint=f"write `--include local`; it is {TEMPLATE_COPY}")
        if place:
            form, words = _FORMS[source]
            if not re.fullmatch(form, place, re.ASCII):
                raise UsageError(f"{place!r} is no place of a template", hint=f"write --include {source}={words}")
        return cls(source, place)

    @property
    def is_named(self) -> bool:
        """The place is one that somebody named, or the copy in the repository."""
        return bool(self.place) or self.source is Source.LOCAL

    @property
    def where(self) -> str:
        """The place, or what stands for it."""
        return self.place or _PLACES[self.source]

    def lines(self) -> tuple[str, ...]:
        """The keys of the include, without its inputs."""
        if self.source is not Source.PROJECT:
            return (f"{self.source}: {self.where}",)
        project, _, ref = self.where.partition("@")
        return f"project: {project}", f"ref: {ref}", "file: .gitlab-ci-template.yml"


@dataclass(frozen=True, slots=True)
class Wiring:
    """What starts what, made of the routes that were named.

    Attributes:
        is_reviewed_by_webhook: Reviews start by the webhook alone; else in pipelines of merge requests.
        has_webhook: Commands start by the webhook.
        has_manual_job: Commands start by a click in the pipeline of a merge request.
        has_sweep: Schedules take up what is left.
    """

    is_reviewed_by_webhook: bool
    has_webhook: bool
    has_manual_job: bool
    has_sweep: bool

    @classmethod
    def of(cls, routes: Iterable[Route]) -> Wiring:
        """Make sense of the routes; whatever names no webhook alone is reviewed in pipelines of merge requests."""
        named = frozenset(routes) or BY_DEFAULT
        by_webhook = Route.WEBHOOK in named and not named & {Route.MERGE_REQUEST, Route.MANUAL}
        return cls(by_webhook, Route.WEBHOOK in named, Route.MANUAL in named, Route.SWEEP in named)

    @classmethod
    def read(cls, inputs: Mapping[str, str]) -> Wiring:
        """What the inputs of a template that is included say; whether a webhook also brings commands, they do not."""
        by_webhook = inputs.get("route") == "webhook"
        has_manual_job = not by_webhook and inputs.get("manual-job") != "false"
        return cls(by_webhook, by_webhook, has_manual_job, inputs.get("sweep") != "false")

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """The inputs of the template that say so, without those that have this value anyway."""
        found: list[tuple[str, str]] = []
        if self.is_reviewed_by_webhook:
            found.append(("route", "webhook"))
        elif not self.has_manual_job:
            found.append(("manual-job", "false"))
        if not self.has_sweep:
            found.append(("sweep", "false"))
        return tuple(found)

    def sentence(self) -> str:
        """What it means, for the person who chose."""
        by = "by the webhook" if self.is_reviewed_by_webhook else "in pipelines of merge requests"
        commands = ["by the webhook"] if self.has_webhook else []
        commands += ["by the manual job"] if self.has_manual_job else []
        commands += ["by the sweep of a schedule"] if self.has_sweep else []
        return f"reviews start {by}, commands {' and '.join(commands) or 'by nothing: name one more route'}"


def parse_routes(names: Iterable[str]) -> frozenset[Route]:
    """The routes that were named.

    Raises:
        UsageError: There is no such route, or none of them takes up commands.
    """
    wanted = list(names)
    for name in wanted:
        if name not in set(Route):
            raise UsageError(f"there is no route {name!r}", hint=f"write {_listed(Route)}")
    routes = frozenset(Route(name) for name in wanted)
    if routes == {Route.MERGE_REQUEST}:
        raise UsageError(
            "nothing would take up commands, so nothing could be approved",
            hint="add `--route manual`, `--route webhook` or `--route sweep`",
        )
    return routes


def _listed(kind: Iterable[str]) -> str:
    *most, last = kind
    return f"{', '.join(most)} or {last}"
