"""Sets Draftgate up in a repository: looks at it, has the plan made, and writes the files. No request, no key.

What is decided is `draftgate.setup`'s; here is only where its facts come from and where its files go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from draftgate.bootstrap.checkout_files import CheckoutFiles, NotPlain
from draftgate.bootstrap.configuration import load_configuration
from draftgate.checks.registry import load_checks
from draftgate.errors import UsageError
from draftgate.git.checkout import followed_remote, list_files, list_ignored, list_remotes
from draftgate.git.repository import Repository
from draftgate.git.status import list_uncommitted
from draftgate.setup.plan import Plan, make_plan
from draftgate.setup.planned import Choices, PlannedFile
from draftgate.setup.shown import TARGETS, Remote, Shown, worth_reading
from draftgate.setup.survey import Survey, survey


def plan_setup(path: Path, environment: Mapping[str, str], choices: Choices) -> tuple[Path, Survey, Plan]:
    """Look at the repository that holds a folder and plan what to write.

    Returns:
        Its top folder, what is known of it, and the plan.

    Raises:
        UsageError: There is no checkout, or it cannot be told what is meant.
        ConfigurationError: The configuration that is there is broken.
    """
    repository = Repository.open(path.absolute(), environment, needs_commits=False)
    if repository.work_tree is None:
        raise UsageError(
            "a bare repository has no files to add", context=str(path), hint="run it in a clone with a work tree"
        )
    loaded = load_configuration(repository.work_tree, {})  # what a job would find: nothing of this terminal's
    checks = load_checks()
    known = survey(
        look(repository, repository.work_tree),
        {check.id: check.covers for check in checks},
        excluded=loaded.config.code_review.paths.exclude,
        forge=choices.forge,
        remote=choices.remote,
    )
    plan = make_plan(known, choices, checks=[check.id for check in checks if check.can_be_disabled])
    return repository.work_tree, known, plan


def look(repository: Repository, root: Path) -> Shown:
    """Read what the repository shows."""
    paths, files = list_files(repository), CheckoutFiles(root)
    contents: dict[str, bytes] = {}
    unwritable: dict[str, str] = {}
    for path in dict.fromkeys((*TARGETS, *worth_reading(paths))):
        try:
            content = files.read(path)
        except NotPlain as reason:
            unwritable[path] = str(reason)
            continue
        if content is not None:
            contents[path] = content
    branch = repository.current_branch()
    default = repository.default_branch()
    return Shown(
        paths,
        tuple(Remote(name, url) for name, url in list_remotes(repository)),
        followed_remote(repository, branch) if branch else None,
        branch,
        default.name if default else None,
        contents,
        frozenset(change.path for change in list_uncommitted(repository) if change.path in TARGETS),
        list_ignored(repository, [path for path in TARGETS if path not in unwritable]),
        unwritable,
    )


def write_files(root: Path, files: Sequence[PlannedFile]) -> None:
    """Write what was planned, one whole file after the other.

    Raises:
        UsageError: A file has changed since the plan was made, or is no plain file any more.
    """
    for file in files:
        try:
            CheckoutFiles(root).replace(file.path, file.before, file.after)
        except NotPlain as reason:
            raise UsageError(
                f"nothing is written there: {reason}",
                context=file.path,
                hint="put a plain file or nothing in its place",
            ) from reason
