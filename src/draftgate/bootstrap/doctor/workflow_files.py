"""The workflow files of a checkout, or of the default branch where there is none; a link is not followed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from draftgate.doctor.facts.workflows import Workflow, WorkflowFacts, read_workflow
from draftgate.doctor.seen import Fact, seen, unseen
from draftgate.doctor.yaml_file import MOST_BYTES, Unreadable

FOLDER = ".github/workflows"
NO_FILE = "it is a link, or no file that may be read"
_MOST_FILES = 200


def read_texts(root: Path) -> dict[str, str | None]:
    """The workflow files below a folder by path; ``None`` for what is there and cannot be read."""
    folder = root / FOLDER
    try:
        if folder.is_symlink():
            return {FOLDER: None}
        paths = sorted(path for path in folder.iterdir() if path.suffix in {".yml", ".yaml"})[:_MOST_FILES]
    except FileNotFoundError:
        return {}
    except OSError:
        return {FOLDER: None}
    return {f"{FOLDER}/{path.name}": read_text(path) for path in paths}


def read_text(path: Path) -> str | None:
    """A file as text, no more of it than can be read as YAML and a bit; ``None`` if it is none that can be read."""
    try:
        if path.is_symlink() or not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1).decode("utf-8", "replace")
    except OSError:
        return None


def judge_texts(
    here: Mapping[str, str | None] | None, there: Fact[Mapping[str, str]], default_permissions: Fact[str], minutes: int
) -> WorkflowFacts:
    """The facts about workflows.

    Args:
        here: The files of the checkout; ``None`` where there is no checkout.
        there: Those of the default branch.
        default_permissions: See `WorkflowFacts`.
        minutes: That a round may take.
    """
    texts: Mapping[str, str | None] | None = here if here is not None else there.value if there.was_seen else None
    if texts is None:
        missing = f"there is no checkout here, and the default branch could not be read: {there.reason}"
        return WorkflowFacts(unseen(missing), came_from="the default branch", budget_minutes=minutes)
    workflows: list[Workflow] = []
    unreadable: list[tuple[str, str]] = []
    for path, text in texts.items():
        if text is None:
            unreadable.append((path, NO_FILE))
            continue
        try:
            workflows.append(read_workflow(path, text))
        except Unreadable as error:
            unreadable.append((path, str(error)))
    return WorkflowFacts(
        workflows=seen(tuple(workflows)),
        unreadable=tuple(unreadable),
        came_from="the default branch" if here is None else "the checkout",
        on_default=there,
        texts={path: text for path, text in texts.items() if text is not None},
        budget_minutes=minutes,
        default_permissions=default_permissions,
    )
