"""The few settings of the user's own git configuration that a review honours, read as text.

Reading a setting starts no program, so this is the one call that sees the system's and the user's files.
A repository's configuration is not asked: what it says would not be the user's wish.
"""

from __future__ import annotations

from collections.abc import Mapping

from draftgate.git.run import Git

_WHERE_THE_FILES_ARE = ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_SWITCHED_OFF = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")


def read_user_setting(environment: Mapping[str, str], name: str, *, kind: str = "") -> str | None:
    """The value of a setting, ``None`` if it is not set; ``kind`` is git's ``--type``."""
    options = (f"--type={kind}",) if kind else ()
    answer = _user_git(environment).ask("config", *options, "--get", name)
    return None if answer is None else answer.decode("utf-8", "surrogateescape").removesuffix("\n")


def read_user_settings(environment: Mapping[str, str], pattern: str) -> tuple[tuple[str, str], ...]:
    """Key and value of every setting whose key matches a regular expression of git's."""
    output = _user_git(environment).ask("config", "-z", "--get-regexp", pattern) or b""
    entries = output.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return tuple((key, value) for key, _, value in (entry.partition("\n") for entry in entries))


def _user_git(environment: Mapping[str, str]) -> Git:
    hardened = Git.hardened(environment)
    variables = {key: value for key, value in hardened.environment.items() if key not in _SWITCHED_OFF}
    variables |= {key: environment[key] for key in _WHERE_THE_FILES_ARE if key in environment}
    return Git(variables, ("--no-pager", "--git-dir=/nonexistent"))
