"""Repositories for tests of `draftgate.setup`, as plain values."""

from __future__ import annotations

from collections.abc import Mapping

from draftgate.setup.address import ForgeName
from draftgate.setup.shown import Remote, Shown
from draftgate.setup.survey import Survey, survey

COVERS = {"impact.callers": ("*.py",), "db.unique-validation": ("*.rb", "*.py")}
GITHUB = "git@github.com:acme/shop.git"
GITLAB = "https://gitlab.com/acme/shop.git"


def shown(
    files: Mapping[str, str | bytes] | None = None, *, remotes: Mapping[str, str] | None = None, followed: str = ""
) -> Shown:
    """A repository with these files, all of them read."""
    contents = {path: text.encode() if isinstance(text, str) else text for path, text in sorted((files or {}).items())}
    named = tuple(
        Remote(name, url) for name, url in sorted(({"origin": GITHUB} if remotes is None else remotes).items())
    )
    return Shown(tuple(contents), named, followed or None, contents=contents)


def surveyed(files: Mapping[str, str | bytes] | None = None, *, url: str = GITHUB, forge: str = "") -> Survey:
    """What is known of a repository with these files and one remote."""
    return survey(shown(files, remotes={"origin": url}), COVERS, forge=ForgeName(forge) if forge else None)
