"""A run that the forge lets wait in the middle of a submission, and what others do meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftgate.domain.event import Event
from tests.recovery.hosted import oracle
from tests.recovery.hosted.flows import Flow, on_stage, reviewed
from tests.recovery.hosted.forge import Forge
from tests.recovery.hosted.gitlab import GITLAB, GitLabWorld
from tests.recovery.hosted.stage import Stage

TOO_SOON = "429"


def _saying(text: str) -> Flow:
    def prepare(stage: Stage) -> Event:
        reviewed(stage)
        return stage.say(text)

    return Flow("wait", prepare)


@pytest.mark.parametrize("trouble", ["429", "500"])
@pytest.mark.parametrize("write", ["POST .*/notes$", "PUT .*/publish$"], ids=["before the summary", "before a finding"])
def test_the_review_of_a_new_head_survives_a_submission_that_waited(write: str, trouble: str, tmp_path: Path) -> None:
    """Nothing was public when the wait began, so that the other run gave the submission up."""
    text = "/approve-findings none --as comment" if "notes" in write else "/approve-findings 1,3"
    with on_stage(_saying(text), tmp_path, GITLAB) as stage:
        stage.simulator.faults.add(trouble, match=write)

        ran = stage.handle(stage.event, lambda: stage.handle(stage.push()))

        assert (ran.code, oracle.published(stage.seen), oracle.wrongs(stage.seen)) == (5, [], [])
        assert (oracle.checkpoint_head(stage.seen), oracle.phase(stage.seen)) == (stage.world.head, oracle.OPEN)


@pytest.mark.parametrize(("trouble", "when"), [("429", "before"), ("500", "before"), ("502", "after")])
def test_a_submission_that_waited_to_be_frozen_leaves_the_review_of_a_new_head_alone(
    trouble: str, when: str, forge: Forge, tmp_path: Path
) -> None:
    with on_stage(_saying("/approve-findings 1"), tmp_path, forge) as stage:
        stage.simulator.faults.add(trouble, match=f"{forge.edits} .*(notes|comments)/", writes_only=True, when=when)

        ran = stage.handle(stage.event, lambda: stage.handle(stage.push()))

        assert (ran.code, oracle.published(stage.seen), oracle.wrongs(stage.seen)) == (5, [], [])
        assert (oracle.checkpoint_head(stage.seen), oracle.phase(stage.seen)) == (stage.world.head, oracle.OPEN)


def test_a_draft_note_that_got_another_text_in_a_wait_is_not_published_with_it(tmp_path: Path) -> None:
    with on_stage(_saying("/approve-findings"), tmp_path, GITLAB) as stage:
        stage.simulator.faults.add(TOO_SOON, match="PUT .*/publish$")

        def change() -> None:
            assert isinstance(stage.world, GitLabWorld)
            draft = stage.world.merge_request.drafts[0]
            draft.note = draft.note.replace("is removed but still read", "was never approved")

        ran = stage.handle(stage.event, change)

        assert (ran.code, oracle.wrongs(stage.seen)) == (0, [])
        assert oracle.published(stage.seen) == [("request-changes", ("1", "2", "3"))]
        assert not any("was never approved" in remark.body for remark in stage.seen.comments)
        assert not any(
            "was never approved" in one.remark.body for found in stage.seen.reviews for one in found.comments
        )
