"""The roles of a forge, one suite for all that play them: what one promises, each keeps.

A forge joins by one line in `FORGES`, with a function that opens it on a change of its own kind. What they differ in
is data of the `Stand`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from draftgate.domain.artifacts import CommitRange, Handoff, ScopeArtifacts, ScopeDecision
from draftgate.domain.change import CommitSha
from draftgate.domain.diff import FileStatus, Side
from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.domain.phase import Phase
from draftgate.domain.review import DraftReview, ReviewComment, Verdict
from draftgate.domain.round import RoundKind
from draftgate.domain.scope import FileEvidence, Provenance, ScopeEvidence
from draftgate.domain.seal import digest_commands
from draftgate.domain.session import AcceptedCommand, ApprovedPayload, Session
from draftgate.errors import ForeignDraft, IntegrityError, VerdictRefused
from draftgate.forge.base import AnchorsRefused, ReviewForge
from draftgate.forge.hidden import Kind, Marker, Signing, assemble, mark, pack, read_marked
from draftgate.forge.local.folder import StateFolder
from draftgate.forge.local.forge import LocalForge
from draftgate.render.page import Page
from tests.builders import BASE, HEAD, finding, scope, session
from tests.fakes.forge import Kept, MemoryForge
from tests.fakes.github import comments, reviews
from tests.fakes.github.scenario import APP, make_scenario, push
from tests.fakes.github.server import serve
from tests.fakes.github_forge import open_forge
from tests.fakes.gitlab.entities import MergeRequest
from tests.fakes.gitlab.scenario import make_scenario as make_gitlab_scenario
from tests.fakes.gitlab.scenario import push as push_to_gitlab
from tests.fakes.gitlab.server import serve as serve_gitlab
from tests.fakes.gitlab_forge import open_forge as open_gitlab_forge

SEAL = "ab" * 32
PATH = "rooms/mail.py"
"""A file of the change whose first two lines are part of the diff."""


@dataclass(frozen=True, slots=True)
class Stand:
    """A forge under test and what happens to it from outside.

    Attributes:
        forge: The forge.
        open_another: Opens the same change as another process that begins now.
        other_change: Another change on the same forge.
        head: The head of the change.
        move_head: The author pushes; returns the new head.
        spoil: Someone replaces what is kept (``session``, ``scope``, ``draft`` or ``review``) by something else.
        texts: Of comments; a forge that is asked by JSON takes no half characters.
        misplace: Gives an anchor that the forge will not take for the finding with this number.
        refuse: Has the forge take no such verdict from now on.
        refusable: The verdict that it can refuse.
        draft_elsewhere: Another program begins a draft under the bot's account.
        has_witness: Whether there is a second place for the seal.
    """

    forge: ReviewForge
    open_another: Callable[[], ReviewForge]
    other_change: ReviewForge
    move_head: Callable[[], CommitSha]
    spoil: Callable[[str, bytes], None]
    head: CommitSha = HEAD
    texts: tuple[str, ...] = ("**issue:** a", "**issue:** b \u202e \udce9")
    misplace: Callable[[int], Anchor] | None = None
    refuse: Callable[[Verdict], None] | None = None
    refusable: Verdict = Verdict.REQUEST_CHANGES
    draft_elsewhere: Callable[[], object] | None = None
    has_witness: bool = False

    @property
    def another(self) -> ReviewForge:
        """See `open_another`."""
        return self.open_another()


@contextmanager
def open_local(folder: Path) -> Iterator[Stand]:
    """The forge that is a folder."""
    head = [HEAD]
    seconds = count()

    def make(key: str) -> LocalForge:
        return LocalForge(
            StateFolder(folder),
            key,
            account="a maintainer",
            read_head=lambda _: head[-1],
            now=lambda: f"2026-01-02T10:00:{next(seconds):02}Z",
        )

    def move_head() -> CommitSha:
        head.append(BASE)
        return BASE

    def spoil(kind: str, content: bytes) -> None:
        [file] = (folder / ".draftgate").glob(f"{kind}-*.json")
        file.write_bytes(content)

    yield Stand(make("feature"), lambda: make("feature"), make("other"), move_head, spoil)


@contextmanager
def open_memory(_folder: Path) -> Iterator[Stand]:
    """The fake that unit tests use."""
    kept = Kept()

    def move_head() -> CommitSha:
        kept.head = BASE
        return BASE

    def spoil(kind: str, content: bytes) -> None:
        kept.things.update({place: content for place in kept.things if place[0] == kind})

    def misplace(number: int) -> Anchor:
        kept.refused.add((number, AnchorKind.LINE))
        return line(number)

    def refuse(verdict: Verdict) -> None:
        kept.takes_not.add(verdict)
        kept.why_refused[verdict] = "not this one"

    yield Stand(
        MemoryForge(kept),
        lambda: MemoryForge(kept),
        MemoryForge(kept, "other"),
        move_head,
        spoil,
        misplace=misplace,
        refuse=refuse,
    )


@contextmanager
def open_github(folder: Path) -> Iterator[Stand]:
    """GitHub, simulated."""
    scenario = make_scenario(folder)
    world, pull, bot = scenario.world, scenario.pull, scenario.caller(APP)
    scenario.repository.git.git("branch", "other", pull.head_sha)
    other = world.open_pull(scenario.repository, scenario.person("author"), "Another", head_ref="other")

    def spoil(kind: str, content: bytes) -> None:
        """The checkpoint can be edited, so that all in it still fits together; of a review the state alone is."""
        if kind in {"session", "scope"}:
            [checkpoint] = pull.comments
            marked = read_marked(checkpoint.body)
            assert marked is not None
            facts = {name: value for name, value in marked.marker.facts.items() if name not in {"v", "text", "state"}}
            body = assemble(Page("page"), content, facts).head(())
            comments.edit(world, scenario.caller("writer"), checkpoint, body)
            return
        [review] = [review for review in pull.reviews if review.pending is (kind == "draft")]
        review.body = _with_state(review.body, content)

    def refuse(_verdict: Verdict) -> None:
        pull.author = bot.account

    with serve(world) as simulator:
        yield Stand(
            open_forge(scenario, simulator, pull),
            lambda: open_forge(scenario, simulator, pull),
            open_forge(scenario, simulator, other),
            lambda: CommitSha(push(world, pull, {"README.md": "Rooms\n"})),
            spoil,
            head=CommitSha(pull.head_sha),
            texts=("**issue:** a", "**issue:** b \u202e <!-- c --> \U0001f6d1"),
            misplace=lambda _: line(9999),
            refuse=refuse,
            draft_elsewhere=lambda: reviews.create(world, bot, pull, body="Mine"),
            has_witness=True,
        )
        assert simulator.violations == []


@contextmanager
def open_gitlab(folder: Path) -> Iterator[Stand]:
    """GitLab, simulated, with a signing key: it has no second place for the seal."""
    scenario = make_gitlab_scenario(folder)
    world, merge_request = scenario.world, scenario.merge_request
    scenario.project.git.git("branch", "other", world.head_sha(merge_request))
    other = world.open_merge_request(scenario.project, scenario.person("author"), "Another", "", source_branch="other")

    def spoil(kind: str, content: bytes) -> None:
        """Notes can be edited by maintainers, so that all in one still fits together; draft notes by the bot alone."""
        if kind in {"session", "scope"}:
            [checkpoint] = [note for note in merge_request.notes if not note.system and _is_checkpoint(note.body)]
            marked = read_marked(checkpoint.body)
            assert marked is not None
            facts = {name: value for name, value in marked.marker.facts.items() if name not in {"v", "text", "state"}}
            facts.pop("signature", None)
            signing = Signing(KEY, (scenario.project.full_path, str(merge_request.iid), "default", str(checkpoint.id)))
            checkpoint.body = assemble(Page("page"), content, facts, signing=signing).head(())
            return
        if kind == "draft":
            [last] = [draft for draft in merge_request.drafts if "draftgate:state" in draft.note]
            last.note = _with_state(last.note, content)
            return
        [summary] = [note for note in merge_request.notes if "draftgate:review" in note.body]
        summary.body = _with_state(summary.body, content)

    def refuse(_verdict: Verdict) -> None:
        merge_request.author = scenario.bot

    def forge(one: MergeRequest) -> ReviewForge:
        return open_gitlab_forge(scenario, simulator, one, signing_key=KEY)

    with serve_gitlab(world) as simulator:
        yield Stand(
            forge(merge_request),
            lambda: forge(merge_request),
            forge(other),
            lambda: CommitSha(push_to_gitlab(world, merge_request, {"README.md": "Rooms\n"})),
            spoil,
            head=CommitSha(world.head_sha(merge_request)),
            texts=("**issue:** a", "**issue:** b \u202e <!-- c --> \U0001f6d1"),
            misplace=lambda _: line(9999),
            refuse=refuse,
            refusable=Verdict.APPROVE,
        )
        assert simulator.violations == []
        assert world.executed == []


KEY = b"a signing key of the tests"


def _is_checkpoint(body: str) -> bool:
    marked = read_marked(body)
    return marked is not None and marked.marker.kind is Kind.CHECKPOINT


def _with_state(body: str, content: bytes) -> str:
    marked = read_marked(body)
    assert marked is not None
    return mark(marked.text, marked.marker, (Marker(Kind.STATE, {"data": pack(content)}),))


FORGES: dict[str, Callable[[Path], AbstractContextManager[Stand]]] = {
    "local": open_local,
    "memory": open_memory,
    "github": open_github,
    "gitlab": open_gitlab,
}


@pytest.fixture(params=FORGES)
def stand(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stand]:
    with FORGES[request.param](tmp_path) as opened:
        yield opened


def line(number: int) -> Anchor:
    return Anchor(AnchorKind.LINE, PATH, Side.RIGHT, None, number)


def first_session(stand: Stand, **changes: object) -> Session:
    return session([finding()], **{"revision": 1, "seal": SEAL, "scope": scope(head=stand.head), **changes})


def draft(stand: Stand, body: str = "Two things.") -> DraftReview:
    made = tuple(
        ReviewComment(number, f"{number:016x}", line(number), text) for number, text in enumerate(stand.texts, start=1)
    )
    return DraftReview((("head", "0" * 64), ("comments", "1" * 64)), stand.head, body, made)


def payload(held: DraftReview, seal: str = SEAL, verdict: Verdict = Verdict.REQUEST_CHANGES) -> ApprovedPayload:
    return ApprovedPayload(
        result_digest="0" * 64,
        seal=seal,
        head=held.head,
        numbers=tuple(comment.number for comment in held.comments),
        verdict=verdict,
        body=held.body,
        comments=held.comments,
        decisions=(),
        memory="",
        given=AcceptedCommand("41", "a maintainer", "/approve-findings", "2026-01-02T10:00:00Z"),
    )


def artifacts(head: CommitSha = HEAD) -> ScopeArtifacts:
    file = FileEvidence(FileStatus.ADDED, None, "caf\udce9.py", None, "100644", None, None, 3, 0)
    evidence = ScopeEvidence(
        Provenance.GIT, "main", BASE, "feature", head, BASE, (), "sha1", "2.39.5", (file,), "f" * 64, True
    )
    full = CommitRange(BASE, head)
    decision = ScopeDecision("e" * 64, RoundKind.INITIAL, full, full, None, ("first round",))
    handoff = Handoff(
        "e" * 64, "d" * 64, "rooms", None, "main", "feature", head, BASE, full, full, RoundKind.INITIAL, None, ("py",)
    )
    return ScopeArtifacts(evidence, decision, handoff)


# --- ReadsHead -------------------------------------------------------------------------------------------------------


def test_the_head_is_the_present_one(stand: Stand) -> None:
    before = stand.forge.read_head(first_session(stand))

    moved = stand.move_head()

    assert (before.head, before.is_open) == (stand.head, True)
    assert stand.another.read_head(first_session(stand)).head == moved != stand.head


# --- KeepsCheckpoint -------------------------------------------------------------------------------------------------


def test_a_change_without_a_session_has_none(stand: Stand) -> None:
    assert stand.forge.load_session() is None


def test_a_session_is_read_back_as_it_was_saved_by_whoever_asks(stand: Stand) -> None:
    saved = first_session(stand)

    stand.forge.save_session(saved, Page("page"))

    assert stand.forge.load_session() == saved
    assert stand.another.load_session() == saved
    assert stand.other_change.load_session() is None


def test_only_the_next_revision_is_saved(stand: Stand) -> None:
    stand.forge.save_session(first_session(stand), Page("page"))
    second = first_session(stand, revision=2, phase=Phase.SUBMITTING)

    stand.forge.save_session(second, Page("page"))
    for stale in (1, 2, 4):
        with pytest.raises(IntegrityError, match="meanwhile"):
            stand.another.save_session(first_session(stand, revision=stale), Page("page"))

    assert stand.another.load_session() == second


def test_the_first_revision_is_the_first(stand: Stand) -> None:
    with pytest.raises(IntegrityError, match="meanwhile"):
        stand.forge.save_session(first_session(stand, revision=2), Page("page"))

    assert stand.another.load_session() is None


def test_a_session_is_current_until_somebody_else_saves_one(stand: Stand) -> None:
    first, second = first_session(stand), first_session(stand, revision=2)
    stand.forge.save_session(first, Page("page"))
    before = stand.another.is_current(first), stand.forge.is_current(first)

    stand.forge.delete_draft()
    stand.another.save_session(second, Page("another page"))

    assert before == (True, True)
    assert stand.another.is_current(second)


def test_a_run_that_was_overtaken_saves_nothing(stand: Stand) -> None:
    stand.forge.save_session(first_session(stand), Page("page"))
    late = stand.another
    late.load_session()
    second = first_session(stand, revision=2, phase=Phase.SUBMITTING)
    stand.forge.save_session(second, Page("page"))

    late_writes = draft(stand)
    late.put_draft(late_writes)  # between two looks of a run there is a write of its own
    with pytest.raises(IntegrityError, match="meanwhile"):
        late.save_session(first_session(stand, revision=2), Page("late page"))

    assert stand.another.load_session() == second


def test_the_page_that_is_shown_is_the_one_that_was_saved(stand: Stand) -> None:
    stand.forge.save_session(first_session(stand), Page("page"))

    reader = stand.another
    reader.load_session()
    assert reader.shows(Page("page"))


SPOILT = {
    "empty": b"",
    "cut-off": b"{",
    "a-list": b"[]",
    "another-schema": b'{"schema": "draftgate/session/v9", "digest": "", "content": {}}',
    "somebody-elses": b'{"hello": "there"}',
}


@pytest.mark.parametrize("kind", ["session", "scope", "draft"])
@pytest.mark.parametrize("content", SPOILT.values(), ids=SPOILT)
def test_what_cannot_be_trusted_is_refused_and_never_taken_for_absent(stand: Stand, kind: str, content: bytes) -> None:
    stand.forge.save_session(first_session(stand), Page("page"))
    stand.forge.keep_scope(artifacts())
    stand.forge.save_session(first_session(stand, revision=2, phase=Phase.SUBMITTING), Page("page"))
    stand.forge.put_draft(draft(stand))
    stand.forge.publish_draft(payload(draft(stand)))
    stand.forge.put_draft(draft(stand))

    stand.spoil(kind, content)

    reader = stand.another
    load: dict[str, Callable[[], object]] = {
        "session": reader.load_session,
        "scope": reader.load_scope,
        "draft": reader.load_draft,
    }
    with pytest.raises(IntegrityError):
        load[kind]()


@pytest.mark.parametrize("content", SPOILT.values(), ids=SPOILT)
def test_a_published_review_is_known_by_its_mark_or_refused_and_never_taken_for_absent(
    stand: Stand, content: bytes
) -> None:
    """On a forge people can edit what is published, and it is not published again for that."""
    stand.forge.save_session(first_session(stand), Page("page"))
    stand.forge.save_session(first_session(stand, revision=2, phase=Phase.SUBMITTING), Page("page"))
    stand.forge.put_draft(draft(stand))
    stand.forge.publish_draft(payload(draft(stand)))

    stand.spoil("review", content)

    with suppress(IntegrityError):
        assert stand.another.find_review(SEAL) is not None


# --- KeepsScope ------------------------------------------------------------------------------------------------------


def test_the_artifacts_of_the_present_round_are_kept_with_its_session(stand: Stand) -> None:
    stand.forge.save_session(first_session(stand), Page("page"))
    before = stand.forge.load_scope()
    stand.forge.keep_scope(artifacts(BASE))
    stand.forge.keep_scope(artifacts())
    stand.forge.save_session(first_session(stand, revision=2, phase=Phase.SUBMITTING), Page("page"))

    assert before is None
    assert stand.forge.load_scope() == artifacts()
    assert stand.another.load_scope() == artifacts()
    assert stand.other_change.load_scope() is None


# --- KeepsWitness ----------------------------------------------------------------------------------------------------


def test_a_second_place_vouches_for_what_was_put_there(stand: Stand) -> None:
    shown = first_session(stand)
    stand.forge.save_session(shown, Page("page"))
    before = stand.forge.find_witness(shown)

    stand.forge.put_witness(shown)
    stand.forge.put_witness(shown)

    witness = stand.another.find_witness(shown)
    assert (before is None) is stand.has_witness
    assert witness is not None
    assert (witness.seal, witness.commands) == (SEAL, digest_commands(shown))


# --- HoldsDraft ------------------------------------------------------------------------------------------------------


def test_there_is_one_draft_and_the_last_one_counts(stand: Stand) -> None:
    before = stand.forge.load_draft()
    stand.forge.put_draft(draft(stand, "one"))
    stand.forge.put_draft(draft(stand, "two"))

    assert before is None
    assert stand.another.load_draft() == draft(stand, "two")
    assert stand.other_change.load_draft() is None


def test_a_draft_is_deleted_once_or_any_number_of_times(stand: Stand) -> None:
    stand.forge.put_draft(draft(stand))

    stand.forge.delete_draft()
    stand.forge.delete_draft()

    assert stand.forge.load_draft() is None
    assert stand.another.load_draft() is None


def test_comments_on_a_range_a_file_and_nothing_are_held_as_they_are(stand: Stand) -> None:
    anchors = (
        Anchor(AnchorKind.LINE, PATH, Side.RIGHT, 1, 2),
        Anchor(AnchorKind.LINE, PATH, Side.LEFT, None, 1),
        Anchor(AnchorKind.FILE, PATH),
        Anchor(AnchorKind.NONE),
    )
    held = dataclasses.replace(
        draft(stand),
        comments=tuple(ReviewComment(n, f"{n:016x}", anchor, f"**note:** {n}") for n, anchor in enumerate(anchors, 1)),
    )

    stand.forge.put_draft(held)

    assert stand.another.load_draft() == held


def test_places_that_are_not_taken_are_named_and_leave_no_draft(stand: Stand) -> None:
    if stand.misplace is None:
        pytest.skip("every place is taken here")
    held = draft(stand)
    bad = dataclasses.replace(held.comments[1], anchor=stand.misplace(2))

    with pytest.raises(AnchorsRefused) as refused:
        stand.forge.put_draft(dataclasses.replace(held, comments=(held.comments[0], bad)))

    assert refused.value.numbers == (2,)
    assert stand.another.load_draft() is None


def test_nothing_is_in_the_way_of_a_draft(stand: Stand) -> None:
    assert stand.forge.why_not_held(draft(stand).comments) == ""


def test_a_draft_of_another_program_is_named_and_never_touched(stand: Stand) -> None:
    if stand.draft_elsewhere is None:
        pytest.skip("no other program drafts here")
    stand.draft_elsewhere()
    forge = stand.another

    with pytest.raises(ForeignDraft):
        forge.put_draft(draft(stand))
    forge.delete_draft()

    assert forge.why_not_held(draft(stand).comments)
    assert stand.another.load_draft() is None
    assert stand.another.why_not_held(draft(stand).comments)


# --- PublishesReview -------------------------------------------------------------------------------------------------


def test_a_published_review_is_the_draft_and_is_found_by_its_marker(stand: Stand) -> None:
    held = draft(stand)
    stand.forge.put_draft(held)

    stand.forge.publish_draft(payload(held))

    review = stand.another.find_review(SEAL)
    assert review is not None
    assert (review.seal, review.head, review.verdict) == (SEAL, held.head, Verdict.REQUEST_CHANGES)
    assert (review.body, review.comments) == (held.body, held.comments)
    assert review.numbers == (1, 2)
    assert review.author
    assert review.reference
    assert stand.forge.load_draft() is None
    assert stand.other_change.find_review(SEAL) is None


@pytest.mark.parametrize("verdict", Verdict)
def test_a_review_is_published_as_what_it_says(stand: Stand, verdict: Verdict) -> None:
    stand.forge.put_draft(draft(stand))

    stand.forge.publish_draft(payload(draft(stand), verdict=verdict))

    review = stand.another.find_review(SEAL)
    assert review is not None
    assert review.verdict is verdict


def test_no_review_is_found_by_another_marker(stand: Stand) -> None:
    before = stand.forge.find_review(SEAL)
    stand.forge.put_draft(draft(stand))
    stand.forge.publish_draft(payload(draft(stand)))

    assert before is None
    assert stand.forge.find_review("cd" * 32) is None


def test_publishing_twice_is_publishing_once(stand: Stand) -> None:
    """The second process had read the draft before the first one published."""
    stand.forge.put_draft(draft(stand))
    late = stand.another
    stand.forge.publish_draft(payload(draft(stand)))
    first = stand.forge.find_review(SEAL)

    late.publish_draft(payload(draft(stand)))

    second = stand.another.find_review(SEAL)
    assert first is not None
    assert second is not None
    assert dataclasses.replace(second, submitted_at=first.submitted_at) == first
    assert stand.another.load_draft() is None


def test_there_must_be_a_draft_to_publish(stand: Stand) -> None:
    with pytest.raises(IntegrityError):
        stand.forge.publish_draft(payload(draft(stand)))

    assert stand.forge.find_review(SEAL) is None


def test_reviews_of_two_rounds_stand_side_by_side(stand: Stand) -> None:
    for marker, body in ((SEAL, "one"), ("cd" * 32, "two")):
        stand.forge.put_draft(draft(stand, body))
        stand.forge.publish_draft(payload(draft(stand, body), marker))

    one, two = stand.forge.find_review(SEAL), stand.forge.find_review("cd" * 32)
    assert one is not None
    assert two is not None
    assert (one.body, two.body) == ("one", "two")


def test_a_verdict_that_is_not_taken_keeps_the_draft(stand: Stand) -> None:
    if stand.refuse is None:
        pytest.skip("every verdict is taken here")
    stand.forge.put_draft(draft(stand))
    before = stand.forge.why_refused(stand.refusable)
    stand.refuse(stand.refusable)

    with pytest.raises(VerdictRefused):
        stand.another.publish_draft(payload(draft(stand), verdict=stand.refusable))

    assert before == ""
    assert stand.another.why_refused(stand.refusable)
    assert stand.another.why_refused(Verdict.COMMENT) == ""
    assert stand.another.load_draft() == draft(stand)
    assert stand.another.find_review(SEAL) is None


def test_a_request_for_changes_is_lifted_once_it_no_longer_holds(stand: Stand) -> None:
    for marker, verdict in ((SEAL, Verdict.REQUEST_CHANGES), ("cd" * 32, Verdict.COMMENT)):
        stand.forge.put_draft(draft(stand))
        stand.forge.publish_draft(payload(draft(stand), marker, verdict))
    latest = stand.forge.find_review("cd" * 32)
    assert latest is not None

    approved = payload(draft(stand), "cd" * 32)
    said = stand.forge.settle(latest, approved), stand.forge.settle(latest, approved)

    assert said == ("", "")
    earlier = stand.another.find_review(SEAL)
    assert earlier is not None
    assert earlier.comments == draft(stand).comments
