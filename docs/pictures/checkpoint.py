"""The checkpoint that the front page shows, as the program writes it today on a simulated GitHub.

``python -m docs.pictures.checkpoint`` writes ``checkpoint.md`` beside this file; ``render.py`` makes the pictures of
it. A test compares the file with what the program writes, so the pictures are remade when that changes (``make
pictures``).
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from draftgate.cli import demo_change
from tests.fakes.github.scenario import make_scenario
from tests.fakes.github_run import open_runner, seen
from tests.git_builder import Repo

PAGE = Path(__file__).with_name("checkpoint.md")


def written_today() -> str:
    """What readers of the pull request see of the checkpoint on the change of ``draftgate demo``.

    Raises:
        RuntimeError: the review ended otherwise.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        source = Repo.create(root / "source")
        source.commit(demo_change.BASE, "Book rooms in teams")
        source.branch("invitations")
        source.commit(demo_change.HEAD, "Invite people to teams")
        with open_runner(make_scenario(root, source, branch="invitations"), root / "jobs") as runner:
            ran = runner.review()
            if ran.ended != (0, "awaiting-approval"):
                raise RuntimeError(f"the review ended with {ran.ended}:\n{ran.log}")
            text = seen(runner.checkpoint.body)
            return text.replace(runner.simulator.web, "https://github.com").rstrip("\n") + "\n"


if __name__ == "__main__":
    PAGE.write_text(written_today(), encoding="utf-8")
