"""Finds and loads the configuration of a repository in a terminal: its work tree's file and the environment.

On a forge the file comes from the target branch; at a terminal the person who runs the program is the one
who is trusted, and what lies in front of them applies (docs/adr/0003-terminal-configuration.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from draftgate.checks.registry import check_ids
from draftgate.config.load import ConfigFile, Loaded, find_file, load
from draftgate.config.rules import Known
from draftgate.errors import Limit, UsageError
from draftgate.render.language import LANGUAGES

ALWAYS_ON = frozenset({"impact.callers"})
"""Checks of the impact step; a test holds it to ``Check.can_be_disabled``."""

READ_LIMIT = Limit("a configuration file", 4 * 1024 * 1024, "bytes")
"""What is read at all; the loader refuses far smaller files with a sentence."""


def load_configuration(
    root: Path,
    environment: Mapping[str, str],
    *,
    path: str | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Loaded:
    """The settings in force for a repository.

    Args:
        root: Its top folder.
        environment: All environment variables.
        path: The file to use instead of the one in the repository.
        overrides: Settings of the command line by dotted key.

    Raises:
        UsageError: there is no such file, or it cannot be read.
        ConfigurationError: something in it is wrong.
    """
    file = find_file(lambda name: _read(root / name)) if path is None else _named(path)
    return load(
        file, environment=environment, known=known_names(lambda name: (root / name).is_file()), overrides=overrides
    )


def known_names(file_exists: Callable[[str], bool] | None = None) -> Known:
    """The names that a configuration may refer to."""
    return Known(check_ids(), ALWAYS_ON, file_exists, frozenset(LANGUAGES))


def _named(path: str) -> ConfigFile:
    content = _read(Path(path))
    if content is None:
        raise UsageError(f"there is no file {path!r}", hint="name the configuration file that is meant")
    return ConfigFile(path, content)


def _read(path: Path) -> bytes | None:
    """The bytes of a regular file; a link is refused, since a change could point it anywhere."""
    if path.is_symlink():
        raise UsageError("it is a symbolic link and is not read", context=str(path), hint="put the file itself there")
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(READ_LIMIT.value)
    except OSError as error:
        raise UsageError(
            f"the file cannot be read: {error.strerror}", context=str(path), hint="make it readable"
        ) from error
