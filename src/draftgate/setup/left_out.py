"""Which files a review should leave out: folders and files that nobody wrote here, if the repository has them.

Only what the repository shows counts: a folder with such a name, a line of `.gitattributes`, or what another review bot
leaves out already. A glob that cannot be written plainly, or would leave out everything, is not proposed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from draftgate.config.model import ReviewPaths
from draftgate.domain.paths import can_match, matches_any
from draftgate.setup.other_bots import Bot
from draftgate.setup.shown import Shown

BY_DEFAULT = ReviewPaths().exclude

_FOLDERS = {
    "vendor": "code of others",
    "third_party": "code of others",
    "third-party": "code of others",
    "node_modules": "code of others",
    "bower_components": "code of others",
    "Pods": "code of others",
    "dist": "built",
    "__generated__": "generated",
    "generated": "generated",
    "__snapshots__": "written by tests",
}
_BELOW = {"public/assets": "built", "public/packs": "built", "staticfiles": "built", ".yarn": "code of others"}
_FILES = {
    "*.min.js": "built",
    "*.min.css": "built",
    "*_pb2.py": "generated",
    "*_pb2_grpc.py": "generated",
    "*_pb2.pyi": "generated",
    "*.pb.go": "generated",
    "*.g.dart": "generated",
    "*.designer.cs": "generated",
    "package-lock.json": "written by a package manager",
    "npm-shrinkwrap.json": "written by a package manager",
    "pnpm-lock.yaml": "written by a package manager",
    "go.sum": "written by a package manager",
    "packages.lock.json": "written by a package manager",
    "Package.resolved": "written by a package manager",
}
_PLAIN = re.compile(r"[\w./*?+@ \[\]!-]+", re.ASCII)
_ATTRIBUTES = re.compile(r"linguist-(?P<what>generated|vendored)(?:=true)?")
_MANY_FOLDERS = 3


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A glob of files that a review leaves out, and why it is proposed."""

    glob: str
    why: str


def left_out(shown: Shown, bots: Sequence[Bot], excluded: Sequence[str]) -> tuple[LeftOut, ...]:
    """What to leave out beyond what is excluded, each glob once, and only if a file matches that no other covers."""
    found: list[LeftOut] = []
    rest = [path for path in shown.paths if not matches_any(path, excluded)]
    for proposal in _proposals(shown, bots):
        matched = [path for path in rest if matches_any(path, (proposal.glob,))]
        if not _is_sound(proposal.glob) or not matched or len(matched) == len(shown.paths):
            continue
        found.append(proposal)
        rest = [path for path in rest if not matches_any(path, (proposal.glob,))]
    return tuple(found)


def _is_sound(glob: str) -> bool:
    return bool(_PLAIN.fullmatch(glob)) and can_match(glob) and glob.strip("*/") != ""


def _proposals(shown: Shown, bots: Sequence[Bot]) -> Iterator[LeftOut]:
    for name, why in _FOLDERS.items():
        for glob in _folders_named(name, shown.paths):
            yield LeftOut(glob, why)
    for prefix, why in _BELOW.items():
        yield LeftOut(f"{prefix}/**", why)
    for glob, why in _FILES.items():
        yield LeftOut(f"**/{glob}", why)
    for _, text in shown.texts("/.gitattributes"):
        yield from _by_attributes(text)
    for bot in bots:
        for glob in bot.leaves_out:
            yield LeftOut(glob, f"as {bot.name} leaves it out")


def _folders_named(name: str, paths: Sequence[str]) -> tuple[str, ...]:
    """The folders of a name, each by its path if they are few and plainly named."""
    marker = f"/{name}/"
    folders = sorted({f"/{path}".partition(marker)[0][1:] for path in paths if marker in f"/{path}"})
    if len(folders) > _MANY_FOLDERS or not all(re.fullmatch(r"[\w./-]*", folder, re.ASCII) for folder in folders):
        return (f"**/{name}/**",)
    return tuple(f"{folder}/{name}/**".lstrip("/") for folder in folders)


def _by_attributes(text: str) -> Iterator[LeftOut]:
    """Files that GitHub's Linguist is told are no code of the project (gitattributes(5))."""
    for line in text.splitlines():
        pattern, *attributes = line.split() or [""]
        marked = next((match for word in attributes if (match := _ATTRIBUTES.fullmatch(word))), None)
        if marked is None or pattern.startswith(("#", '"', "[", "!")):
            continue
        anchored = pattern.lstrip("/") if "/" in pattern.rstrip("/") else f"**/{pattern}"
        glob = f"{anchored}**" if anchored.endswith("/") else anchored
        yield LeftOut(glob, f"marked as {marked['what']} in .gitattributes")
