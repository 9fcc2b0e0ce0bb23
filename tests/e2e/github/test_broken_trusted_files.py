"""What decides who may publish is read at the commit of the target branch, whatever else bears its name."""

from __future__ import annotations

from tests.fakes.github_run import Runner


def test_a_tag_named_like_the_target_branch_owns_no_code(runner: Runner) -> None:
    git = runner.scenario.repository.git
    runner.configure("approval:\n  who: {codeowners: true}\n", CODEOWNERS="rooms/ @writer\n")
    writers = git.sha("refs/heads/main")
    runner.configure("approval:\n  who: {codeowners: true}\n", CODEOWNERS="rooms/ @maintainer\n")
    git.git("update-ref", "refs/tags/main", writers)
    runner.review()

    ran = runner.command("writer", "/approve-findings")

    assert ran.ended == (0, "awaiting-approval")
    assert runner.reviews == []
