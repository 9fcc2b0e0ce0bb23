"""Changes stored state as somebody would who knows the program: every document keeps a digest that fits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from draftgate.domain.canonical import digest
from tests.git_builder import Repo

Content = dict[str, Any]


def one(repo: Repo, kind: str) -> Path:
    """The only state file of a kind."""
    [file] = (repo.path / ".draftgate").glob(f"{kind}-*.json")
    return file


def forge(file: Path, change: Callable[[Content], object]) -> None:
    """Change a document and give it the digest that then fits."""
    document = json.loads(file.read_text(encoding="utf-8"))
    change(document["content"])
    document["digest"] = digest(document["content"])
    file.write_text(json.dumps(document), encoding="utf-8")
