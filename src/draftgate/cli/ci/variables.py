"""The environment variables of a CI job, read one by one: bounded, checked, and never shown when they are secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from draftgate.config.key_shapes import secrets_of
from draftgate.domain.change import CommitSha
from draftgate.errors import Limit, UsageError

VALUE_LIMIT = Limit("a variable", 64 * 1024, "bytes")

_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}")
_PROJECT = re.compile(r"[A-Za-z0-9_.-]{1,255}(?:/[A-Za-z0-9_.-]{1,255}){1,21}")
"""A group, up to 20 groups below it, and the project: https://docs.gitlab.com/user/group/subgroups/"""
_URL = re.compile(r"https?://[A-Za-z0-9._\-\[\]:]+(?:/[A-Za-z0-9._~/-]*)?")
_SECRET = re.compile(r"[\x21-\x7e]{1,8192}")
_COUNT = re.compile(r"[0-9]{1,18}")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Variables:
    """All variables of the job; an empty one is the same as none, since that is how an omitted input arrives.

    Attributes:
        platform: What sets them, for messages.
    """

    values: Mapping[str, str] = field(repr=False)
    platform: str = "GitHub Actions"

    def get(self, name: str) -> str | None:
        """The value without blanks around it.

        Raises:
            UsageError: it is longer than `VALUE_LIMIT`, or holds a null byte.
        """
        value = self.values.get(name, "").strip()
        if len(value.encode(errors="replace")) > VALUE_LIMIT.value:
            raise _wrong(name, f"it is longer than {VALUE_LIMIT.value:,} {VALUE_LIMIT.unit}", "shorten it")
        if "\0" in value:
            raise _wrong(name, "it holds a null byte", "take it out")
        return value or None

    def require(self, name: str) -> str:
        """The value, which must be there."""
        value = self.get(name)
        if value is None:
            raise _wrong(
                name, "it is not set", f"run inside {self.platform}, which sets it, or set it as its runner does"
            )
        return value

    def repository(self, name: str) -> str:
        """``owner/name``."""
        value = self.require(name)
        if _REPOSITORY.fullmatch(value) is None or {".", ".."} & set(value.split("/")):
            raise _wrong(name, "it names no repository", "write `owner/name`")
        return value

    def project(self, name: str) -> str:
        """``group/project``, or with groups between the two."""
        value = self.require(name)
        if _PROJECT.fullmatch(value) is None or {".", ".."} & set(value.split("/")):
            raise _wrong(name, "it names no project", "write `group/project`")
        return value

    def commit(self, name: str) -> CommitSha | None:
        """An object id."""
        value = self.get(name)
        if value is not None and _COMMIT.fullmatch(value) is None:
            raise _wrong(name, "it is no commit", "write the whole object id in lower case")
        return None if value is None else CommitSha(value)

    def path_inside(self, name: str, called: str, example: str) -> str | None:
        """A path of the repository, from its top; messages speak of it as ``called``."""
        value = self.get(name)
        if value is None:
            return None
        path = PurePosixPath(value)
        if path.is_absolute() or ".." in path.parts or "\n" in value:
            raise _wrong(
                called,
                "it is no path inside the repository",
                f"write it from the top of the repository, as in {example}",
            )
        return str(path)

    def url(self, name: str, default: str) -> str:
        """An address without a final slash; no credentials, query or fragment."""
        value = self.get(name) or default
        if _URL.fullmatch(value) is None:
            raise _wrong(name, "it is no plain address", f"write it as in `{default}`")
        return value.rstrip("/")

    def secret(self, *names: str) -> str | None:
        """The first of several secrets that is set."""
        for name in names:
            if (value := self.get(name)) is not None:
                if _SECRET.fullmatch(value) is None:
                    raise _wrong(name, "it holds blanks or characters that no key has", "copy the secret anew")
                return value
        return None

    def count(self, name: str, default: int) -> int:
        """A whole number."""
        value = self.get(name)
        if value is None:
            return default
        if _COUNT.fullmatch(value) is None:
            raise _wrong(name, "it is no whole number", "write digits")
        return int(value)

    def number(self, name: str) -> int:
        """A whole number from 1 up, which must be there."""
        self.require(name)
        value = self.count(name, 0)
        if value == 0:
            raise _wrong(name, "it is no number from 1 up", "write digits")
        return value

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """One of several words, the first if none is given."""
        value = self.get(name) or choices[0]
        if value not in choices:
            raise _wrong(name, f"there is no {value[:60]!r}", f"write one of {', '.join(choices)}")
        return value

    def secrets(self) -> tuple[str, ...]:
        """What must not be shown, longest first."""
        return secrets_of(self.values)


def _wrong(name: str, what: str, write: str) -> UsageError:
    return UsageError(what, context=name, hint=write)
