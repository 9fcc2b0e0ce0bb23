"""What a push does to review threads: their lines move along, or the thread is outdated.

As on GitHub, a thread keeps its place while its lines are unchanged and still shown in the diff.
"""

from __future__ import annotations

import re

from tests.fakes.github.changes import changed_files, find_place
from tests.fakes.github.entities import PullRequest, Side, SubjectType, Thread
from tests.fakes.github.refusals import BadAnchor
from tests.git_builder import Repo

_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def move_threads(pull: PullRequest, before: str, base: str) -> None:
    """Bring every thread of a pull request from the head `before` to its present head."""
    for thread in pull.threads:
        move_thread(thread, before, base)


def move_thread(thread: Thread, before: str, base: str) -> None:
    """Bring one thread from the commit `before` to the present head, over the base branch at `base`."""
    git, head = thread.pull.repository.git, thread.pull.head_sha
    if thread.outdated or before == head:
        return
    merge_base = git.git("merge-base", base, head).decode().strip()
    file = next((file for file in changed_files(git, merge_base, head) if file.path == thread.path), None)
    if thread.subject_type is SubjectType.FILE:
        thread.outdated = file is None
        return
    line = _moved(git, thread, before, thread.line, thread.side)
    start = _moved(git, thread, before, thread.start_line, thread.start_side or thread.side)
    try:
        if start is None and thread.start_line is not None:
            line = None
        thread.position = find_place(file, line, thread.side, start, thread.start_side)
    except BadAnchor:
        thread.outdated, thread.position, line, start = True, None, None, None
    thread.line, thread.start_line = line, start


def _moved(git: Repo, thread: Thread, before: str, line: int | None, side: Side) -> int | None:
    """The number of a line of `before` in the present head, ``None`` if the line changed.

    The left side is the merge base, which a push leaves alone.
    """
    if line is None or side is Side.LEFT:
        return line
    head = thread.pull.head_sha
    patch = git.git("diff", "--unified=0", "--no-renames", before, head, "--", thread.path)
    shift = 0
    for header in _HUNK.findall(patch):
        old_start, gone, new_start, come = (int(number or 1) for number in header)
        first = old_start + (gone == 0)  # the first line at or after the change, before and after it
        if line < first:
            break
        if line < first + gone:
            return None
        shift = new_start + (come == 0) + come - first - gone
    return line + shift
