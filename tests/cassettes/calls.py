"""Every call that the GitHub adapter makes: where it starts, and what the adapter reads in the answer.

A call is one request wherever it can be; what GitHub makes us do in several (a draft, then its threads; a lost answer,
then the look whether it took effect) is one call here. How calls follow each other is for the tests of flows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from draftgate.doctor.facts.workflows import WorkflowFacts
from draftgate.doctor.seen import unseen
from draftgate.domain.conversation import Reaction
from draftgate.domain.diff import FileStatus
from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.domain.people import Role
from draftgate.domain.phase import Phase
from draftgate.domain.provider import ProviderChange, ProviderFile
from draftgate.domain.review import ReviewComment, Verdict
from draftgate.domain.session import Session
from draftgate.forge.github import facts
from draftgate.forge.github.contents import read_contents
from draftgate.forge.github.files import name_blobs, read_change
from draftgate.forge.github.survey import Site, survey
from tests.cassettes.stage import PAGE, REPOSITORY, Moment, Stage
from tests.cassettes.tape import HOST
from tests.fakes.github.scenario import APP
from tests.flawed_change import CHANGE

_PULL = f"{HOST}/{REPOSITORY}/pull/1"
_BEFORE_ALL, _AFTER_ALL = "Y3Vyc29yOnYyOjA=", "Y3Vyc29yOnYyOjk5OTk="
"""Cursors of the simulator."""

_ON_THE_FILE = ReviewComment(2, "e" * 64, Anchor(AnchorKind.FILE, "rooms/models.py"), "The whole file.")


S = TypeVar("S")


@dataclass(frozen=True)
class Call(Generic[S]):
    """One call.

    Attributes:
        send: Makes it, and returns what the adapter read in the answers.
        read: What that should be.
        start: Where it starts.
        lost: The answer to the first write is lost after it took effect.
    """

    send: Callable[[S], object]
    read: object
    start: Moment = Moment.OPENED
    lost: bool = False

    @property
    def opening(self) -> str:
        """The cassette from which the adapter learns where it is."""
        return "bundle" if self.start is Moment.OPENED else f"bundle-{self.start}"


def _read_standing(stage: Stage) -> object:
    view = stage.view
    view.review_id, view.looks_for_others = view.now().pending[0].review.id, True
    view.forget()
    now = view.now()
    lines = [placed.line for placed in now.review.comments] if now.review else None
    return now.checkpoint is not None, lines, [seen.comment.is_ours for seen in now.recent]


def _read_comments_page(stage: Stage) -> object:
    answer = stage.connection.query("comments_page", **stage.place.names, after=_BEFORE_ALL)
    page = answer["repository"]["pullRequest"]["comments"]
    return [facts.issue_comment(node).comment.text for node in facts.nodes(page)]


def _read_reviews_page(stage: Stage) -> object:
    answer = stage.connection.query("reviews_page", **stage.place.names, before=_AFTER_ALL)
    page = answer["repository"]["pullRequest"]["reviews"]
    return [facts.review(node).state for node in facts.nodes(page)]


def _read_open_changes(stage: Stage) -> object:
    owner, _, name = stage.place.repository.partition("/")
    answer = stage.connection.query("open_changes", owner=owner, name=name, after=None)
    changes = facts.nodes(answer["repository"]["pullRequests"])
    return [(change["number"], len(facts.nodes(change["comments"]))) for change in changes]


def _read_review_comments(stage: Stage) -> object:
    review = stage.view.read_review(stage.view.now().pending[0].review)
    return [(placed.path, placed.start_line, placed.line) for placed in review.comments]


def _read_change(stage: Stage) -> object:
    change = read_change(
        stage.connection,
        stage.place,
        base_tip=stage.view.now().change.base_tip,
        head=stage.head,
        changed_files=stage.view.facts.changed_files,
    )
    return [(file.status.value, file.path, file.additions) for file in change.files]


def _name_blobs(stage: Stage) -> object:
    [file] = name_blobs(stage.connection, stage.place, _one_file(stage)).files
    return len(file.old_blob or ""), len(file.new_blob or "")


def _read_contents(stage: Stage) -> object:
    contents = read_contents(stage.connection, stage.place, _one_file(stage))
    sides = [side.read("rooms/mail.py") or "" for side in (contents.base, contents.head)]
    return [side.partition("\n")[0] for side in sides], contents.change.files[0].new_mode


def _one_file(stage: Stage) -> ProviderChange:
    base, mail = stage.view.now().change.base_tip, "rooms/mail.py"
    file = ProviderFile(FileStatus.MODIFIED, mail, mail, None, None, additions=4, deletions=4, patch=None)
    return ProviderChange(base, stage.head, merge_base=base, distance=1, files=(file,), sources=())


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


def _make_draft(stage: Stage) -> object:
    stage.forge.put_draft(stage.draft())
    return stage.forge.load_draft() == stage.draft()


def _make_draft_with_threads(stage: Stage) -> object:
    stage.forge.put_draft(stage.draft(_ON_THE_FILE))
    return stage.forge.load_draft() == stage.draft(_ON_THE_FILE)


def _delete_draft(stage: Stage) -> object:
    stage.forge.delete_draft()
    return stage.forge.load_draft()


def _submit(stage: Stage) -> object:
    stage.forge.publish_draft(stage.payload)
    published = stage.forge.find_review(stage.payload.seal)
    return published and (published.verdict, [comment.text for comment in published.comments], published.reference)


def _find_review(stage: Stage) -> object:
    published = stage.forge.find_review(stage.payload.seal)
    return published and (published.verdict, published.author, published.comments == stage.payload.comments)


def _survey(stage: Stage) -> object:
    """What `draftgate doctor` asks, without what it makes of workflows; the App may not read the settings."""
    site = Site(
        repository=REPOSITORY,
        page=f"{HOST}/{REPOSITORY}",
        api_url=HOST,
        token="ghs_x",  # noqa: S106 - only its form counts
        token_name="GITHUB_TOKEN",  # noqa: S106 - a name
        is_encrypted=True,
        is_job=False,
        now=lambda: 0.0,
        workflows=lambda there, _: WorkflowFacts(unseen("not of interest here"), on_default=there),
    )
    seen = survey(stage.connection, site)
    marks = [(remark.is_ours, remark.is_draft) for remark in seen.account.value.remarks]
    return seen.stop, seen.account.value.login, marks, seen.is_protected.value, seen.settings.is_refused


def _put_witness(stage: Stage) -> object:
    return _witness_after(stage, stage.round)


def _change_witness(stage: Stage) -> object:
    return _witness_after(stage, dataclasses.replace(stage.round, phase=Phase.SUBMITTED))


def _witness_after(stage: Stage, session: Session) -> object:
    stage.forge.put_witness(session)
    witness = stage.forge.find_witness(session)
    return witness and witness.seal == session.seal


CALLS: dict[str, Call[Stage]] = {
    # What is read once, and again after each write
    "bundle": Call(lambda stage: stage.view.facts.changed_files, 3),
    "bundle-shown": Call(lambda stage: len(stage.view.now().pending), 1, Moment.SHOWN),
    "bundle-held": Call(lambda stage: stage.forge.load_draft() == stage.draft(), True, Moment.HELD),
    "bundle-submitted": Call(
        lambda stage: (stage.forge.load_session() or stage.round).phase, Phase.SUBMITTED, Moment.SUBMITTED
    ),
    "files-at-branch": Call(
        lambda stage: stage.view.read_branch_files("invitations", ("a.yml", "rooms/b.yml", "rooms/models.py")),
        {"a.yml": None, "rooms/b.yml": None, "rooms/models.py": CHANGE["rooms/models.py"]},
    ),
    "standing": Call(_read_standing, (True, [2], [False, True, True, True]), Moment.HELD),
    "comments-page": Call(_read_comments_page, ["/approve-findings"]),
    "reviews-page": Call(_read_reviews_page, ["CHANGES_REQUESTED"], Moment.SUBMITTED),
    "open-changes": Call(_read_open_changes, [(1, 1)]),
    # People
    "survey": Call(
        _survey, (None, APP, [(True, True), (True, False), (True, False), (True, False)], False, True), Moment.HELD
    ),
    "permission": Call(lambda stage: stage.forge.role_of("maintainer"), Role.MAINTAIN),
    "permission-of-nobody": Call(lambda stage: stage.forge.role_of("nobody"), Role.NONE),
    "team-membership": Call(lambda stage: stage.forge.is_in_team("maintainer", "acme/maintainers"), True),
    "team-membership-of-an-outsider": Call(lambda stage: stage.forge.is_in_team("outsider", "acme/maintainers"), False),
    "collaborators": Call(lambda stage: stage.forge.others_may_command("author"), True),
    "code-owners": Call(lambda stage: stage.forge.code_owners(), None),
    "authors": Call(lambda stage: stage.forge.why_refused(Verdict.APPROVE), ""),
    # The change
    "changed-files": Call(
        _read_change,
        [
            ("modified", "rooms/mail.py", 4),
            ("added", "rooms/migrations/0002_remove_plan.py", 9),
            ("modified", "rooms/models.py", 0),
        ],
    ),
    "object-ids": Call(_name_blobs, (40, 40)),
    "object-texts": Call(
        _read_contents, (["def send_welcome(team, address):", "def send_welcome(team, address, role):"], "100644")
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
    "write-checkpoint": Call(_write_checkpoint, f"{_PULL}#issuecomment-1017", Moment.HELD),
    "write-next-checkpoint": Call(_write_next_checkpoint, f"{_PULL}#issuecomment-1027", Moment.SUBMITTED),
    # The draft, and the review that it becomes
    "make-draft": Call(_make_draft, True),
    "make-draft-with-threads": Call(_make_draft_with_threads, True),
    "review-comments": Call(_read_review_comments, [("rooms/mail.py", 1, 2)], Moment.HELD),
    "delete-draft": Call(_delete_draft, None, Moment.HELD),
    "submit": Call(
        _submit, (Verdict.REQUEST_CHANGES, ["Both changed."], f"{_PULL}#pullrequestreview-1018"), Moment.HELD
    ),
    "find-review": Call(_find_review, (Verdict.REQUEST_CHANGES, APP, True), Moment.SUBMITTED),
    # The check run
    "make-check-run": Call(_put_witness, True, Moment.SHOWN),
    "make-check-run-answer-lost": Call(_put_witness, True, Moment.SHOWN, lost=True),
    "change-check-run": Call(_change_witness, True, Moment.HELD),
}
"""By the name of the cassette."""
