"""Which commit a name means: a branch is never mistaken for a tag, an id or an expression that is written alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.flawed_change import BRANCH
from tests.git_builder import Repo
from tests.program import draftgate


def review(repo: Repo, *arguments: str) -> dict[str, Any]:
    return draftgate("review", *arguments, "--format", "json", cwd=repo.path, expect=0).document


def ends(result: dict[str, Any]) -> tuple[str, str]:
    return result["base_sha"], result["head_sha"]


def published_head(repo: Repo) -> str:
    [page] = (repo.path / ".draftgate").glob("review-*.md")
    return page.read_text(encoding="utf-8")


@pytest.fixture
def decoyed(flawed: Repo) -> Repo:
    """Tags that are named like the branch and like its target point at commits that make the change look harmless."""
    flawed.git("tag", BRANCH, "main")
    flawed.git("tag", "main", BRANCH)
    return flawed


@pytest.mark.parametrize(
    "arguments",
    [(), ("--head", BRANCH), ("--head", f"heads/{BRANCH}"), ("--base", "main")],
    ids=["checked-out", "named", "heads", "base"],
)
def test_a_tag_named_like_the_branch_changes_nothing(decoyed: Repo, arguments: tuple[str, ...]) -> None:
    base, head = decoyed.sha("refs/heads/main"), decoyed.sha(f"refs/heads/{BRANCH}")

    result = review(decoyed, *arguments)
    draftgate("approve", "1", *(arguments if arguments[:1] == ("--head",) else ()), cwd=decoyed.path, expect=0)

    assert ends(result) == (base, head)
    assert len(result["findings"]) == 3
    assert f"`{head[:7]}`" in published_head(decoyed)


def test_a_tag_that_appears_between_review_and_approval_changes_nothing(reviewed: Repo) -> None:
    reviewed.git("tag", BRANCH, "main")

    draftgate("approve", "1", cwd=reviewed.path, expect=0)

    assert f"`{reviewed.head[:7]}`" in published_head(reviewed)


def test_a_branch_that_moves_is_noticed_although_a_tag_stays(reviewed: Repo) -> None:
    reviewed.git("tag", BRANCH, BRANCH)
    reviewed.git("commit", "--quiet", "--allow-empty", "--message", "moved")

    refused = draftgate("approve", cwd=reviewed.path, expect=5)

    assert "nothing was submitted" in refused.stderr
    assert list((reviewed.path / ".draftgate").glob("review-*")) == []


def test_a_tag_that_moves_is_noticed_when_it_was_what_was_reviewed(flawed: Repo) -> None:
    flawed.git("tag", "v1", BRANCH)
    flawed.switch("main")
    review(flawed, "--head", "v1")
    flawed.git("tag", "--force", "v1", "main")

    refused = draftgate("approve", "--head", "v1", cwd=flawed.path, expect=5)

    assert "nothing was submitted" in refused.stderr


def test_a_branch_is_not_taken_for_another_one_that_ends_alike(flawed: Repo) -> None:
    """``refs/heads/heads/main`` is a branch too, and ``heads/main`` is how git lets one write ``main``."""
    flawed.git("branch", f"heads/{BRANCH}", "main")
    flawed.git("branch", "heads/main", BRANCH)

    result = review(flawed)
    draftgate("approve", "1", cwd=flawed.path, expect=0)

    assert ends(result) == (flawed.sha("refs/heads/main"), flawed.sha(f"refs/heads/{BRANCH}"))


def test_the_branch_that_is_checked_out_may_be_called_heads_main(flawed: Repo) -> None:
    flawed.branch("heads/main", BRANCH)

    result = review(flawed)
    draftgate("approve", "1", cwd=flawed.path, expect=0)

    assert ends(result) == (flawed.sha("refs/heads/main"), flawed.sha("refs/heads/heads/main"))
    assert len(result["findings"]) == 3


def test_a_branch_named_by_40_hex_digits_is_not_the_commit_of_that_id(flawed: Repo) -> None:
    """Checked out it is the branch; written it is the commit, as git has it."""
    decoy = flawed.sha("main")
    flawed.git("update-ref", f"refs/heads/{decoy}", BRANCH)
    flawed.git("symbolic-ref", "HEAD", f"refs/heads/{decoy}")

    here = review(flawed)
    draftgate("approve", "1", cwd=flawed.path, expect=0)
    written = draftgate("review", "--head", decoy, cwd=flawed.path, expect=0)

    assert ends(here) == (decoy, flawed.sha(BRANCH))
    assert len(here["findings"]) == 3
    assert "nothing to review" in written.stdout


@pytest.fixture
def everywhere(flawed: Repo, tmp_path: Path) -> Repo:
    """A clone in which the flawed commit has a branch of the remote, a tag, and an id; ``main`` is checked out."""
    flawed.git("tag", "v1", BRANCH)
    flawed.switch("main")
    return flawed.clone(tmp_path / "clone")


@pytest.mark.parametrize("written", [f"origin/{BRANCH}", f"refs/remotes/origin/{BRANCH}", "v1", "short-id"])
def test_any_name_of_a_commit_can_be_reviewed_forced_and_approved(everywhere: Repo, written: str) -> None:
    head = everywhere.sha(f"origin/{BRANCH}")
    name = head[:10] if written == "short-id" else written

    first = review(everywhere, "--head", name)
    forced = draftgate("do", "--head", name, "/draftgate review --force", cwd=everywhere.path, expect=0)
    second = draftgate("status", "--head", name, "--format", "json", cwd=everywhere.path, expect=0).document
    draftgate("approve", "1", "--head", name, cwd=everywhere.path, expect=0)

    assert ends(first) == (everywhere.sha("main"), head) == (second["base_sha"], second["head_sha"])
    assert (first["round"], second["round"]) == (1, 2)
    assert "1 of 3" in forced.stdout
    assert f"`{head[:7]}`" in published_head(everywhere)


def test_an_expression_is_kept_as_it_was_written(flawed: Repo) -> None:
    head = flawed.head
    flawed.git("commit", "--quiet", "--allow-empty", "--message", "later")

    first = review(flawed, "--head", "HEAD~1")
    draftgate("do", "--head", "HEAD~1", "/draftgate review --force", cwd=flawed.path, expect=0)
    second = draftgate("status", "--head", "HEAD~1", "--format", "json", cwd=flawed.path, expect=0).document

    assert (first["head_sha"], second["head_sha"], second["round"]) == (head, head, 2)


def test_a_forced_round_compares_with_the_base_that_was_named(flawed: Repo) -> None:
    """Here the base is no branch, and with the default one the round would be another."""
    flawed.commit({"notes.txt": "x\n"})
    flawed.git("tag", "before", "main")
    flawed.git("branch", "--force", "main", "HEAD~1")
    flawed.git("tag", "main", "HEAD")
    first = review(flawed, "--base", "before")

    draftgate("do", "/draftgate review --force", cwd=flawed.path, expect=0)
    second = draftgate("status", "--format", "json", cwd=flawed.path, expect=0).document

    assert ends(first) == (flawed.sha("before"), flawed.head) == (second["base_sha"], second["head_sha"])
    assert len(second["findings"]) == 3


def test_a_forced_round_of_the_work_tree_reads_the_work_tree(flawed: Repo) -> None:
    flawed.write({"rooms/extra.py": "from rooms.mail import send_welcome\n\nsend_welcome(1, 2)\n"})
    first = review(flawed, "--worktree")

    draftgate("do", "/draftgate review --force", cwd=flawed.path, expect=0)
    second = draftgate("status", "--format", "json", cwd=flawed.path, expect=0).document

    assert (second["round"], second["head_sha"]) == (2, first["head_sha"])
    assert first["head_sha"] != flawed.head


def test_a_local_branch_comes_before_one_of_a_remote(everywhere: Repo) -> None:
    """A local branch may be called ``origin/x``; the state of both would be kept under one name."""
    everywhere.git("update-ref", f"refs/heads/origin/{BRANCH}", "main")

    named = draftgate("review", "--head", f"origin/{BRANCH}", cwd=everywhere.path, expect=0)
    full = review(everywhere, "--head", f"refs/remotes/origin/{BRANCH}")

    assert "nothing to review" in named.stdout
    assert len(full["findings"]) == 3
