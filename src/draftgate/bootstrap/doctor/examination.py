"""The whole examination, area by area; an area that cannot be looked at says so and keeps no other from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from draftgate.bootstrap.doctor.github import examine_github, examine_workflows
from draftgate.bootstrap.doctor.gitlab import examine_gitlab, examine_pipeline
from draftgate.bootstrap.doctor.local import Surroundings, look_around
from draftgate.bootstrap.doctor.models import examine_models
from draftgate.bootstrap.doctor.wanted import Place, Wanted
from draftgate.bootstrap.hosted import Clocks
from draftgate.config.model import Budgets
from draftgate.doctor.base import Area, Row, Verdict, could_not_look, wrong
from draftgate.doctor.examine import Section, examine
from draftgate.errors import PermissionDenied

_NAMES = {"github": "GitHub", "gitlab": "GitLab"}
_HOW_TO_GET_ONE = {
    "github": "see docs/how-to/github.md; for a look by hand any personal token does, as in `GITHUB_TOKEN=$(gh auth "
    "token) draftgate doctor`",
    "gitlab": "see docs/how-to/gitlab.md for the token of the bot",
}


@dataclass(frozen=True, slots=True)
class Examination:
    """All that was seen and thought of it.

    Attributes:
        place: The repository that was looked at; ``None`` where none was.
        forge_requests, model_requests: How many were sent.
    """

    sections: tuple[Section, ...]
    place: Place | None
    forge_requests: int
    model_requests: int


def examine_all(wanted: Wanted, clocks: Clocks) -> Examination:
    """Look at everything that is wanted; nothing is written anywhere."""
    around = look_around(wanted)
    local = examine(Area.LOCAL, str(wanted.folder), around.facts)
    hosted, forge_requests = _examine_forge(wanted, clocks, around)
    models, model_requests = _examine_models(wanted, around)
    return Examination((local, *hosted, models), wanted.place, forge_requests, model_requests)


def _examine_forge(wanted: Wanted, clocks: Clocks, around: Surroundings) -> tuple[tuple[Section, ...], int]:
    place, root = wanted.place, _root(wanted, around)
    minutes = (Budgets() if around.loaded is None else around.loaded.config.budgets).minutes
    if place is None:
        files = () if root is None else (*examine_workflows(root, int(minutes)), *examine_pipeline(root))
        return files, 0
    if not place.token:
        files = () if root is None else _files(place, root, int(minutes))
        return (*files, _without_token(place)), 0
    if place.forge == "github":
        return examine_github(wanted, place, clocks, root=root, minutes=int(minutes))
    return examine_gitlab(wanted, place, clocks, root=root)


def _root(wanted: Wanted, around: Surroundings) -> Path | None:
    """The checkout, if the repository that is looked at is the one that lies there."""
    if around.repository is None or not wanted.is_checkout_of_place:
        return None
    return around.repository.work_tree


def _files(place: Place, root: Path, minutes: int) -> tuple[Section, ...]:
    return examine_workflows(root, minutes) if place.forge == "github" else examine_pipeline(root)


def _without_token(place: Place) -> Section:
    area = Area(place.forge)
    says = place.token_trouble or f"there is no token for {_NAMES[place.forge]} in {place.token_name}"
    verdict = wrong(says, _HOW_TO_GET_ONE[place.forge])
    return _one(area, f"{place.repository} on {place.server_url}", "token", verdict, PermissionDenied.exit_code)


def _examine_models(wanted: Wanted, around: Surroundings) -> tuple[Section, int]:
    if around.loaded is None:
        verdict = could_not_look("the configuration, which says who is asked, is broken or could not be looked at")
        return _one(Area.MODEL, "no server is asked", "keys", verdict, 0), 0
    return examine_models(wanted, around.loaded.config)


def _one(area: Area, subject: str, name: str, verdict: Verdict, code: int) -> Section:
    return Section(area, subject, (Row(f"{area}.{name}", name, verdict, code),))
