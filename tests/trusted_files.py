"""Configuration files on a branch that cannot be used, and what is said of each, whatever the forge."""

from __future__ import annotations

from typing import Final

from tests.git_builder import Content

BROKEN_TREES: Final[dict[str, tuple[dict[str, Content], str]]] = {
    "two-files": (
        {"draftgate.yml": "draft: held\n", ".gitlab/draftgate.yml": "draft: held\n"},
        ".gitlab/draftgate.yml: there is a second file, draftgate.yml",
    ),
    "another-name": (
        {"draftgate.yml": None, ".github/draftgate.yaml": "draft: held\n"},
        ".github/draftgate.yaml: a file of this name is not read",
    ),
    "another-name-beside-it": (
        {"draftgate.yml": "draft: held\n", "draftgate.yaml": "draft: held\n"},
        "draftgate.yaml: a file of this name is not read",
    ),
    "latin-1": ({"draftgate.yml": b"# caf\xe9\ndraft: held\n"}, "draftgate.yml:1:6: this is not UTF-8 text"),
    "too-large": ({"draftgate.yml": "#" * 600_000}, "draftgate.yml: "),
    "another-forge": ({"draftgate.yml": "forge: local\n"}, "forge: the file is for local, and this run is on "),
    "tabs": ({"draftgate.yml": "skip:\n\tdrafts: true\n"}, "draftgate.yml:2:1: tabs are not allowed"),
    "secret": ({"draftgate.yml": "# glpat-" + "a1" * 10 + "\n"}, "draftgate.yml:1:3: a secret stands in the file"),
}
"""Name to the files and the beginning of the problem."""

OPEN: Final = "approval:\n  who: {users: [author, outsider]}\n  author_may_approve: true\ncommands: {bare: all}\n"
"""What somebody would write who wants to approve what a bot found in a change of their own."""
