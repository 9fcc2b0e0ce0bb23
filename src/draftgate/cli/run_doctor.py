"""What ``draftgate doctor`` does: it finds out what is meant, has it looked at, and shows the rows."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from draftgate.bootstrap.doctor.examination import Examination, examine_all
from draftgate.bootstrap.doctor.wanted import Place, Wanted
from draftgate.bootstrap.hosted import Clocks, ca_file_of
from draftgate.cli.ci.log import as_coloured_lines, as_command, guard_streams
from draftgate.cli.ci.platforms import GITHUB, PLATFORMS, Platform
from draftgate.cli.ci.variables import Variables
from draftgate.cli.doctor_place import FORGES, Address, NoPlace, parse_remote, place_of_job, place_of_terminal
from draftgate.cli.streams import screen, show, without_keys
from draftgate.config.key_shapes import secrets_of
from draftgate.doctor.examine import exit_code
from draftgate.doctor.page import asked as said_of
from draftgate.doctor.page import doctor_page
from draftgate.errors import DraftgateError, UsageError
from draftgate.git.repository import Repository
from draftgate.render.visible import visible

_FORMATS = ("text", "json")
_NAMES = {"github": "GitHub", "gitlab": "GitLab"}


@dataclass(frozen=True, slots=True)
class Asked:
    """The command line.

    Attributes:
        repository: ``OWNER/NAME`` or an address; a folder that exists is taken for ``folder``.
        forge: ``github`` or ``gitlab``.
        folder: Any folder of the clone.
        config: The configuration file.
    """

    repository: str | None
    forge: str | None
    folder: str
    config: str | None
    asks_models: bool
    timeout_s: int


def run(wanted: str, asked: Asked) -> int:
    """Look, show, and return the exit code.

    Raises:
        UsageError: there is no such format or forge, or no repository is meant by what was written.
    """
    if wanted not in _FORMATS:
        raise UsageError(f"there is no format {wanted!r} for doctor", hint="write text or json")
    if asked.forge is not None and asked.forge not in FORGES:
        raise UsageError(f"there is no forge {asked.forge!r}", context="--forge", hint=f"write {' or '.join(FORGES)}")
    environment = os.environ
    platform = next((platform for platform in PLATFORMS if environment.get(platform.mark) == "true"), None)
    if platform is not None:
        guard_streams(secrets_of(environment), as_command if platform is GITHUB else as_coloured_lines)
    examination = examine_all(_wanted(environment, asked, platform), Clocks(time.time, time.sleep))
    show(_document(examination) if wanted == "json" else _page(examination))
    return exit_code(examination.sections)


def _wanted(environment: Mapping[str, str], asked: Asked, platform: Platform | None) -> Wanted:
    folder, named = asked.folder, asked.repository
    if named is not None and named.startswith((".", "/", "~")) and Path(named).expanduser().is_dir():
        folder, named = named, None
    root = _folder(environment, folder, platform)
    origin = _origin(root, environment)
    is_job = platform is not None and named is None
    place = (
        place_of_job(environment, _forge_of(platform), platform.name)
        if platform is not None and named is None
        else place_of_terminal(environment, named=named, forge=asked.forge, origin=origin)
    )
    key, key_trouble = _signing_key(environment)
    return Wanted(
        folder=root,
        environment=environment,
        config_path=str(Path(asked.config).absolute()) if asked.config else _config_path(environment, platform),
        inputs=_inputs(environment) if platform is GITHUB else {},
        is_job=is_job,
        signing_key=key,
        key_trouble=key_trouble,
        place=place if isinstance(place, Place) else None,
        no_place=place.why if isinstance(place, NoPlace) else "",
        place_hint=place.hint if isinstance(place, NoPlace) else "",
        is_checkout_of_place=is_job or _is_same(origin, place),
        origin_has_password=origin is not None and origin.has_password,
        ca_file=ca_file_of(environment),
        asks_models=asked.asks_models,
        timeout_s=asked.timeout_s,
    )


def _forge_of(platform: Platform) -> str:
    return "github" if platform is GITHUB else "gitlab"


def _folder(environment: Mapping[str, str], folder: str, platform: Platform | None) -> Path:
    """In a job the workspace, unless a folder is named."""
    workspace = environment.get("GITHUB_WORKSPACE" if platform is GITHUB else "CI_PROJECT_DIR", "")
    if platform is not None and folder == "." and workspace and Path(workspace).is_dir():
        return Path(workspace).resolve()
    return Path(folder).expanduser().resolve()


def _origin(folder: Path, environment: Mapping[str, str]) -> Address | None:
    try:
        url = Repository.open(folder, environment).origin_url
    except DraftgateError:
        return None  # what is wrong with the clone is a row of its own
    return None if url is None else parse_remote(url)


def _is_same(origin: Address | None, place: Place | NoPlace) -> bool:
    """Without a repository on a forge, what lies here is what is looked at."""
    if isinstance(place, NoPlace) or origin is None:
        return isinstance(place, NoPlace)
    return origin.path.lower() == place.repository.lower()


def _signing_key(environment: Mapping[str, str]) -> tuple[str, str]:
    variables = Variables(environment)
    try:
        return variables.secret("INPUT_SIGNING-KEY", "DRAFTGATE_SIGNING_KEY") or "", ""
    except UsageError as error:
        return "", f"{error.context}: {error.message}"


def _config_path(environment: Mapping[str, str], platform: Platform | None) -> str:
    if platform is None:
        return ""
    return environment.get("INPUT_CONFIG" if platform is GITHUB else "DRAFTGATE_CONFIG", "").strip()


def _inputs(environment: Mapping[str, str]) -> dict[str, str]:
    """The action's inputs that are keys of the configuration."""
    given = {name: environment.get(f"INPUT_{name.upper()}", "").strip() for name in ("language", "models")}
    return {name: value for name, value in given.items() if value}


# --- What is shown ---------------------------------------------------------------------------------------------------


def _page(examination: Examination) -> str:
    requests = []
    if examination.place is not None and examination.forge_requests:
        requests.append(said_of(examination.forge_requests, _NAMES[examination.place.forge]))
    if examination.model_requests:
        requests.append(said_of(examination.model_requests, "models' servers"))
    return doctor_page(examination.sections, requests, screen())


def _document(examination: Examination) -> str:
    from draftgate.schemas.doctor import doctor_json  # noqa: PLC0415 - text needs no models

    place = examination.place
    forge = None if place is None else (place.forge, place.repository, f"{place.server_url}/{place.repository}")
    rows = [
        {
            "check": row.check,
            "area": section.area.value,
            "looked_at": row.looked_at,
            "outcome": row.verdict.outcome.value,
            "says": _plain(row.verdict.says),
            "change": _plain(row.verdict.change) or None,
            "where": _plain(row.verdict.where) or None,
            "lines": [_plain(line) for line in row.verdict.lines],
            "exit_code": row.exit_code,
        }
        for section in examination.sections
        for row in section.rows
    ]
    document = doctor_json(
        forge=forge,
        exit_code=exit_code(examination.sections),
        rows=rows,
        forge_requests=examination.forge_requests,
        model_requests=examination.model_requests,
    )
    return json.dumps(document, indent=2) + "\n"


def _plain(text: str) -> str:
    """Without keys and without what a terminal would obey, before JSON escapes any of it."""
    return visible(without_keys(text))
