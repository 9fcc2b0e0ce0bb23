"""Every call that the GitLab adapter makes: where it starts, and what the adapter reads in the answer.

As `calls`; what GitLab makes us do in several requests (draft notes, then publishing, then the note that sums it up)
is one call here.
"""

from __future__ import annotations

import dataclasses

from draftgate.config.load import CANDIDATE_PATHS
from draftgate.doctor.facts.pipeline import read_pipeline
from draftgate.domain.conversation import Reaction
from draftgate.domain.diff import FileStatus
from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.domain.people import Role
from draftgate.domain.phase import Phase
from draftgate.domain.provider import ProviderChange, ProviderFile
from draftgate.domain.review import PublishedReview, ReviewComment, Verdict
from draftgate.domain.session import Session
from draftgate.forge.gitlab.contents import read_contents
from draftgate.forge.gitlab.survey import Site, survey
from draftgate.forge.gitlab.view import View
from tests.cassettes.calls import Call
from tests.cassettes.gitlab_stage import Stage
from tests.cassettes.stage import PAGE, Moment
from tests.cassettes.tape import GITLAB
from tests.fakes.gitlab.scenario import FULL_PATH
from tests.flawed_change import CHANGE

_CHANGE = f"{GITLAB}/{FULL_PATH}/-/merge_requests/1"
_PUBLISHED = (Verdict.REQUEST_CHANGES, ["Both changed."], f"{_CHANGE}#note_1025")
_SHOWN = "2026-01-02T10:00:01Z"
_ON_THE_FILE = ReviewComment(2, "e" * 64, Anchor(AnchorKind.FILE, "rooms/models.py"), "The whole file.")


def _read_standing(stage: Stage) -> object:
    stage.forge.load_session()
    stage.view.looks_for_others = True
    stage.view.forget()
    now = stage.view.now()
    return now.checkpoint is not None, now.reviewers, [seen.comment.is_ours for seen in now.recent]


def _survey(stage: Stage) -> object:
    """What `draftgate doctor` asks; the bot may not read everything."""
    site = Site(
        page=f"{GITLAB}/{FULL_PATH}",
        api_url=f"{GITLAB}/api/v4",
        token="glpat-x",  # noqa: S106 - only its form counts
        token_name="DRAFTGATE_GITLAB_TOKEN",  # noqa: S106 - a name
        job_token="",
        is_encrypted=True,
        is_job=False,
        now=lambda: 0.0,
        has_checkout=False,
        pipeline=lambda there: read_pipeline(there.value, "the default branch"),
    )
    seen = survey(stage.connection, site)
    marks = {(remark.is_ours, remark.is_draft) for remark in seen.remarks.value.remarks}
    refused = [fact.is_refused for fact in (seen.approvals, seen.variable, seen.hooks)]
    return seen.stop, seen.role.value, seen.is_protected.value, marks, refused


def _read_by_rest(stage: Stage) -> object:
    """As an older server is read, and one that finds the query too complex."""
    stage.connection.asks_graphql = False
    view = View(stage.connection, stage.view.place, CANDIDATE_PATHS)
    view.watch(view.comments[1])
    view.looks_for_others = True
    view.forget()
    return (
        view.facts == stage.view.facts,
        [seen.comment.id for seen in view.now().recent],
        view.now().checkpoint is not None,
    )


def _read_renamed(stage: Stage) -> object:
    """GraphQL does not know the former path of a project; REST knows the number."""
    place = dataclasses.replace(stage.view.place, repository="acme/rooms")
    view = View(stage.connection, place, CANDIDATE_PATHS)
    return [(known.comment.is_ours, known.comment.is_edited) for known in view.comments]


def _read_findings(stage: Stage) -> object:
    findings = [(found.comment.number, found.comment.anchor.line) for found in stage.view.findings()]
    return findings, [summary.numbers for summary in stage.view.summaries()]


def _read_change(stage: Stage) -> object:
    now = stage.view.now().change
    change = stage.diff.change(base_tip=now.base_tip, head=now.head)
    return change.is_complete, [(file.status.value, file.path, file.additions) for file in change.files]


def _read_shown(stage: Stage) -> object:
    return [(file.path, sorted(file.removed_lines)) for file in stage.diff.shown()]


def _read_contents(stage: Stage) -> object:
    base, mail = stage.view.now().change.base_tip, "rooms/mail.py"
    file = ProviderFile(FileStatus.MODIFIED, mail, mail, None, None, additions=4, deletions=4, patch=None)
    change = ProviderChange(base, stage.head, merge_base=base, distance=1, files=(file,), sources=())
    contents = read_contents(stage.connection, change)
    sides = [side.read(mail) or "" for side in (contents.base, contents.head)]
    return [side.partition("\n")[0] for side in sides], len(contents.change.files[0].new_blob or "")


def _read_reactions(stage: Stage) -> object:
    return stage.forge.has_reacted(dataclasses.replace(stage.question, answered=None))


def _react(stage: Stage) -> object:
    stage.forge.react(stage.question, Reaction.RECEIVED)
    return "done"


def _reply(stage: Stage) -> object:
    stage.forge.reply(stage.question, "Done.")
    return "done"


def _post_notice(stage: Stage) -> object:
    stage.forge.put_notice("The configuration is broken.")
    return "done"


def _write_checkpoint(stage: Stage) -> object:
    stage.forge.load_session()
    stage.forge.save_session(dataclasses.replace(stage.round, revision=3), PAGE)
    return stage.forge.checkpoint_url


def _write_next_checkpoint(stage: Stage) -> object:
    stage.forge.load_session()
    begun = dataclasses.replace(stage.round, revision=4, round=2, phase=Phase.VALIDATING, seal="", result=None)
    stage.forge.save_session(begun, PAGE)
    return stage.forge.checkpoint_url


def _read_draft(stage: Stage) -> object:
    return stage.forge.load_draft() == stage.draft()


def _make_draft(stage: Stage) -> object:
    stage.forge.put_draft(stage.draft())
    return stage.forge.load_draft() == stage.draft()


def _make_draft_on_a_file(stage: Stage) -> object:
    stage.forge.put_draft(stage.draft(_ON_THE_FILE))
    return stage.forge.load_draft() == stage.draft(_ON_THE_FILE)


def _change_draft(stage: Stage) -> object:
    changed = stage.draft(text="Both changed, by a person.")
    stage.forge.put_draft(changed)
    return stage.forge.load_draft() == changed


def _delete_draft(stage: Stage) -> object:
    stage.forge.delete_draft()
    return stage.forge.load_draft()


def _publish(stage: Stage) -> object:
    stage.forge.publish_draft(stage.payload)
    published = stage.forge.find_review(stage.payload.seal)
    return published and (published.verdict, [comment.text for comment in published.comments], published.reference)


def _find_review(stage: Stage) -> object:
    published = stage.forge.find_review(stage.payload.seal)
    return published and (published.verdict, published.comments == stage.payload.comments)


def _settle(stage: Stage, verdict: Verdict) -> object:
    published = stage.forge.find_review(stage.payload.seal)
    assert isinstance(published, PublishedReview)
    return stage.forge.settle(dataclasses.replace(published, verdict=verdict), stage.payload)


def _put_status(stage: Stage) -> object:
    return _status_after(stage, stage.round)


def _change_status(stage: Stage) -> object:
    return _status_after(stage, dataclasses.replace(stage.round, phase=Phase.SUBMITTED))


def _status_after(stage: Stage, session: Session) -> object:
    stage.forge.load_session()
    stage.forge.put_witness(session)
    return stage.forge.shown_at(session)


CALLS: dict[str, Call[Stage]] = {
    "survey": Call(_survey, (None, 30, True, {(True, True), (True, False)}, [True, True, True]), Moment.HELD),
    # What is read once, and again after each write
    "bundle": Call(lambda stage: stage.view.facts.changed_files, 3),
    "bundle-shown": Call(lambda stage: len(stage.view.comments), 2, Moment.SHOWN),
    "bundle-held": Call(lambda stage: len(stage.view.comments), 4, Moment.HELD),
    "bundle-submitted": Call(
        lambda stage: (stage.forge.load_session() or stage.round).phase, Phase.SUBMITTED, Moment.SUBMITTED
    ),
    "files-at-branch": Call(
        lambda stage: stage.view.read_branch_files("invitations", ("a.yml", "rooms/b.yml", "rooms/models.py")),
        {"a.yml": None, "rooms/b.yml": None, "rooms/models.py": CHANGE["rooms/models.py"]},
    ),
    "target-tip": Call(lambda stage: stage.view.target_tip() == stage.view.now().change.base_tip, True),
    "standing": Call(_read_standing, (True, (), [False, True, True, True]), Moment.HELD),
    "by-rest": Call(_read_by_rest, (True, ["1016", "1018", "1022", "1023"], True), Moment.HELD),
    "renamed-project": Call(_read_renamed, [(False, False), (True, False), (True, False), (True, False)], Moment.HELD),
    "findings": Call(_read_findings, ([(1, 2)], [(1,)]), Moment.SUBMITTED),
    # People
    "role": Call(lambda stage: stage.forge.role_of("maintainer"), Role.MAINTAIN),
    "role-of-an-outsider": Call(lambda stage: stage.forge.role_of("outsider"), Role.READ),
    "role-of-nobody": Call(lambda stage: stage.forge.role_of("nobody"), Role.NONE),
    "group-membership": Call(lambda stage: stage.forge.is_in_team("maintainer", "acme/tools"), True),
    "group-membership-of-an-outsider": Call(lambda stage: stage.forge.is_in_team("outsider", "acme/tools"), False),
    "members": Call(lambda stage: stage.forge.others_may_command("author"), True),
    "code-owners": Call(lambda stage: stage.forge.code_owners(), None),
    "may-approve": Call(lambda stage: stage.forge.why_refused(Verdict.APPROVE), ""),
    # The change
    "changed-files": Call(
        _read_change,
        (
            True,
            [
                ("modified", "rooms/mail.py", 4),
                ("added", "rooms/migrations/0002_remove_plan.py", 9),
                ("modified", "rooms/models.py", None),
            ],
        ),
    ),
    "whole-diff": Call(
        _read_shown,
        [("rooms/mail.py", [1, 2, 5, 6]), ("rooms/migrations/0002_remove_plan.py", []), ("rooms/models.py", [6])],
    ),
    "file-texts": Call(
        _read_contents, (["def send_welcome(team, address):", "def send_welcome(team, address, role):"], 40)
    ),
    # The conversation
    "reactions": Call(_read_reactions, frozenset()),
    "react": Call(_react, "done"),
    "react-answer-lost": Call(_react, "done", lost=True),
    "reply": Call(_reply, "done"),
    "reply-answer-lost": Call(_reply, "done", lost=True),
    "reply-again": Call(_reply, "done", Moment.HELD),
    "reply-again-answer-lost": Call(_reply, "done", Moment.HELD, lost=True),
    # The checkpoint
    "post-notice": Call(_post_notice, "done"),
    "post-notice-answer-lost": Call(_post_notice, "done", lost=True),
    "write-checkpoint": Call(_write_checkpoint, f"{_CHANGE}#note_1018", Moment.HELD),
    "write-next-checkpoint": Call(_write_next_checkpoint, f"{_CHANGE}#note_1026", Moment.SUBMITTED),
    # The draft notes, and the review that they become
    "make-draft": Call(_make_draft, True),
    "make-draft-answer-lost": Call(_make_draft, True, lost=True),
    "make-draft-on-a-file": Call(_make_draft_on_a_file, True),
    "read-draft": Call(_read_draft, True, Moment.HELD),
    "change-draft": Call(_change_draft, True, Moment.HELD),
    "change-draft-answer-lost": Call(_change_draft, True, Moment.HELD, lost=True),
    "delete-draft": Call(_delete_draft, None, Moment.HELD),
    "publish": Call(_publish, _PUBLISHED, Moment.HELD),
    "publish-answer-lost": Call(_publish, _PUBLISHED, Moment.HELD, lost=True),
    "find-review": Call(_find_review, (Verdict.REQUEST_CHANGES, True), Moment.SUBMITTED),
    "approve": Call(lambda stage: _settle(stage, Verdict.APPROVE), "", Moment.SUBMITTED),
    "request-changes": Call(lambda stage: _settle(stage, Verdict.REQUEST_CHANGES), "", Moment.SUBMITTED),
    # The commit status
    "post-status": Call(_put_status, _SHOWN, Moment.SHOWN),
    "post-status-answer-lost": Call(_put_status, _SHOWN, Moment.SHOWN, lost=True),
    "change-status": Call(_change_status, _SHOWN, Moment.HELD),
}
"""By the name of the cassette."""
