"""What ``draftgate config`` prints. Nothing is asked of anybody: only the file and the environment are read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

import typer

from draftgate.bootstrap.configuration import known_names, load_configuration, top_of
from draftgate.cli.streams import Notes, show
from draftgate.config import show as shown
from draftgate.config.load import CANDIDATE_PATHS, Loaded
from draftgate.config.schema import json_schema
from draftgate.errors import ConfigurationError, UsageError

_FORMATS: Final = ("text", "json")


def check(wanted: str, repository: str, file: str | None, config: str | None) -> None:
    """Say whether the configuration can be used.

    Raises:
        UsageError: there is no such file, folder or format.
        ConfigurationError: it cannot be used.
    """
    if _is_json(wanted):
        _check_as_json(lambda: _load(repository, file, config))
        return
    loaded = _load(repository, file, config)
    _note(loaded.warnings)
    name = _name_of(loaded)
    if name is None:
        show(f"There is no configuration file ({', '.join(CANDIDATE_PATHS)}); the defaults apply.")
    else:
        show(f"{name} is fine.")
    idle = shown.without_effect(loaded)
    if idle:
        show(f"Read, and without effect in this release: {', '.join(idle)}.")


def _check_as_json(load: Callable[[], Loaded]) -> None:
    """The same for programs: with problems too it is a whole document on stdout, and the exit code tells as well."""
    try:
        loaded = load()
    except ConfigurationError as error:
        _show_json(_report(problems=[asdict(problem) for problem in error.problems]))
        raise typer.Exit(error.exit_code) from error
    _show_json(_report(file=_name_of(loaded), warnings=loaded.warnings, without_effect=shown.without_effect(loaded)))


def _report(
    *,
    file: str | None = None,
    problems: Sequence[Mapping[str, object]] = (),
    warnings: Sequence[str] = (),
    without_effect: Sequence[str] = (),
) -> dict[str, object]:
    return {
        "schema": "draftgate/configuration-check/v1",
        "ok": not problems,
        "file": file,
        "problems": problems,
        "warnings": warnings,
        "without_effect": without_effect,
    }


def show_settings(wanted: str, repository: str, file: str | None, config: str | None) -> None:
    """Print every setting with what set it.

    Raises:
        UsageError: there is no such file, folder or format.
        ConfigurationError: the configuration cannot be used.
    """
    as_json = _is_json(wanted)
    loaded = _load(repository, file, config)
    rows = shown.describe(loaded)
    if as_json:
        settings = [{"key": row.key, "value": row.plain, "origin": row.origin} for row in rows]
        _show_json(
            {
                "schema": "draftgate/configuration/v1",
                "file": _name_of(loaded),
                "settings": settings,
                "warnings": loaded.warnings,
                "without_effect": shown.without_effect(loaded),
            }
        )
        return
    _note(loaded.warnings)
    show("".join(f"{row.key}: {row.value}  # {row.origin}\n" for row in rows))


def show_schema() -> None:
    """Print the JSON Schema of the file."""
    _show_json(json_schema(known_names()))


def _load(repository: str, file: str | None, config: str | None) -> Loaded:
    named = file if file is not None else config
    return load_configuration(top_of(Path(repository)), os.environ, path=named)


def _is_json(wanted: str) -> bool:
    if wanted not in _FORMATS:
        raise UsageError(f"there is no format {wanted!r} for a configuration", hint=f"write {' or '.join(_FORMATS)}")
    return wanted == "json"


def _name_of(loaded: Loaded) -> str | None:
    return next((layer.name for layer in loaded.layers if layer.document is not None), None)


def _note(warnings: Sequence[str]) -> None:
    for warning in warnings:
        Notes(quiet=False).note(f"warning: {warning}")


def _show_json(value: object) -> None:
    show(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
