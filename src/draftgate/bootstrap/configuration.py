"""Finds and loads the configuration of a repository in a terminal: its work tree's file and the environment.

On a forge the file comes from the target branch; at a terminal the person who runs the program is the one
who is trusted, and what lies in front of them applies (docs/adr/0003-terminal-configuration.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from draftgate.checks.registry import check_ids
from draftgate.config.load import ConfigFile, Loaded, find_file, load
from draftgate.config.rules import Known
from draftgate.errors import ConfigurationError, Limit, Problem, UsageError
from draftgate.forge.hosted.standing import Texts, UnreadText
from draftgate.render.language import LANGUAGES

GUARDED = ("approval", "commands", "network")
"""What is taken from the default branch where the target is another, which more people can write."""

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


def known_names(file_exists: Callable[[str], bool] | None = None, *, forge: str = "") -> Known:
    """The names that a configuration may refer to; ``forge`` is the one that the run is on, if it is on one."""
    return Known(check_ids(), ALWAYS_ON, file_exists, frozenset(LANGUAGES), forge)


def top_of(path: Path) -> Path:
    """The top folder of the repository that ``path`` is in, or ``path`` itself where there is none.

    Git is not asked: a configuration can be checked without it, and in a copy that is no repository.

    Raises:
        UsageError: there is no such folder.
    """
    folder = path.resolve()
    if not folder.is_dir():
        raise UsageError(f"there is no folder {str(path)!r}", hint="name a folder inside the repository")
    return next((above for above in (folder, *folder.parents) if (above / ".git").exists()), folder)


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of a forge with the configuration files that were found at its tip."""

    name: str
    files: Texts


def file_of(branch: Branch, named: str | None) -> ConfigFile | None:
    """The configuration file of a branch; the one that was ``named`` if one was.

    Raises:
        ConfigurationError: it is not there, it is not read, or there are two.
    """
    unread = [
        Problem(path, None, None, "", text.reason, "keep the configuration a small text file")
        for path, text in branch.files.items()
        if isinstance(text, UnreadText)
    ]
    if unread:
        raise ConfigurationError(tuple(unread))
    texts = {path: text.encode() for path, text in branch.files.items() if isinstance(text, str)}
    if named is None:
        return find_file(texts.get)
    if named not in texts:
        wrong, write = f"there is no such file on the branch {branch.name}", "name the configuration file that is meant"
        raise ConfigurationError((Problem(named, None, None, "", wrong, write),))
    return ConfigFile(named, texts[named])


def _named(path: str) -> ConfigFile:
    content = _read(Path(path))
    if content is None:
        what = "is a folder" if Path(path).is_dir() else "is no file" if Path(path).exists() else "is not there"
        raise UsageError(f"{path!r} {what}", hint="name the configuration file that is meant")
    return ConfigFile(path, content)


def _read(path: Path) -> bytes | None:
    """The bytes of a regular file; a link is refused, since a change could point it anywhere."""
    try:
        if path.is_symlink():
            raise UsageError(
                "it is a symbolic link and is not read", context=str(path), hint="put the file itself there"
            )
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(READ_LIMIT.value)
    except OSError as error:
        raise UsageError(
            f"the file cannot be read: {error.strerror}", context=str(path), hint="make it readable"
        ) from error
