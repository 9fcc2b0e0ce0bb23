"""The roles of a forge, one suite for all that play them: what one promises, each keeps.

A forge joins by one line in `FORGES`, with a function that opens it on a change of its own kind.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from draftgate.domain.artifacts import CommitRange, Handoff, ScopeArtifacts, ScopeDecision
from draftgate.domain.change import CommitSha
from draftgate.domain.diff import FileStatus
from draftgate.domain.phase import Phase
from draftgate.domain.review import DraftReview, ReviewComment, Verdict
from draftgate.domain.round import RoundKind
from draftgate.domain.scope import FileEvidence, Provenance, ScopeEvidence
from draftgate.domain.session import ApprovedPayload, Session
from draftgate.errors import IntegrityError
from draftgate.forge.base import ReviewForge
from draftgate.forge.local.folder import StateFolder
from draftgate.forge.local.forge import LocalForge
from draftgate.render.page import Page
from tests.builders import BASE, HEAD, finding, line_anchor, session
from tests.fakes.forge import Kept, MemoryForge

SEAL = "ab" * 32


@dataclass(frozen=True, slots=True)
class Stand:
    """A forge under test and what happens to it from outside.

    Attributes:
        forge: The forge.
        another: The same change as another process sees it.
        other_change: Another change on the same forge.
        move_head: The author pushes.
        spoil: Someone replaces what is kept (``session``, ``scope``, ``draft`` or ``review``) by something else.
    """

    forge: ReviewForge
    another: ReviewForge
    other_change: ReviewForge
    move_head: Callable[[CommitSha], None]
    spoil: Callable[[str, bytes], None]


def open_local(folder: Path) -> Stand:
    """The forge that is a folder."""
    head = [HEAD]
    seconds = count()

    def make(key: str) -> LocalForge:
        return LocalForge(
            StateFolder(folder),
            key,
            account="a maintainer",
            read_head=lambda _: head[0],
            now=lambda: f"2026-01-02T10:00:{next(seconds):02}Z",
        )

    def spoil(kind: str, content: bytes) -> None:
        [file] = (folder / ".draftgate").glob(f"{kind}-*.json")
        file.write_bytes(content)

    return Stand(make("feature"), make("feature"), make("other"), lambda sha: head.__setitem__(0, sha), spoil)


def open_memory(_folder: Path) -> Stand:
    """The fake that unit tests use."""
    kept = Kept()

    def spoil(kind: str, content: bytes) -> None:
        kept.things.update({place: content for place in kept.things if place[0] == kind})

    return Stand(
        MemoryForge(kept),
        MemoryForge(kept),
        MemoryForge(kept, "other"),
        lambda sha: setattr(kept, "head", sha),
        spoil,
    )


FORGES: dict[str, Callable[[Path], Stand]] = {"local": open_local, "memory": open_memory}


@pytest.fixture(params=FORGES)
def stand(request: pytest.FixtureRequest, tmp_path: Path) -> Stand:
    return FORGES[request.param](tmp_path)


def first_session(**changes: object) -> Session:
    return session([finding()], **{"revision": 1, **changes})


def draft(body: str = "Two things.", *texts: str) -> DraftReview:
    comments = tuple(
        ReviewComment(number, f"{number:016x}", line_anchor(line=number), text)
        for number, text in enumerate(texts or ("**issue:** a", "**issue:** b \u202e \udce9"), start=1)
    )
    return DraftReview((("head", "0" * 64), ("comments", "1" * 64)), HEAD, body, comments)


def payload(held: DraftReview, seal: str = SEAL) -> ApprovedPayload:
    return ApprovedPayload(
        result_digest="0" * 64,
        seal=seal,
        head=held.head,
        numbers=tuple(comment.number for comment in held.comments),
        verdict=Verdict.REQUEST_CHANGES,
        body=held.body,
        comments=held.comments,
        decisions=(),
        approved_by="a maintainer",
        command="/approve-findings",
        at="2026-01-02T10:00:00Z",
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
    before = stand.forge.read_head(first_session())
    stand.move_head(BASE)

    assert (before.head, before.is_open) == (HEAD, True)
    assert stand.forge.read_head(first_session()).head == BASE


# --- KeepsCheckpoint -------------------------------------------------------------------------------------------------


def test_a_change_without_a_session_has_none(stand: Stand) -> None:
    assert stand.forge.load_session() is None


def test_a_session_is_read_back_as_it_was_saved_by_whoever_asks(stand: Stand) -> None:
    saved = first_session()

    stand.forge.save_session(saved, Page("page"))

    assert stand.forge.load_session() == saved
    assert stand.another.load_session() == saved
    assert stand.other_change.load_session() is None


def test_only_the_next_revision_is_saved(stand: Stand) -> None:
    stand.forge.save_session(first_session(), Page("page"))
    second = first_session(revision=2, phase=Phase.CHOOSING_VERDICT)

    stand.forge.save_session(second, Page("page"))
    for stale in (1, 2, 4):
        with pytest.raises(IntegrityError, match="meanwhile"):
            stand.another.save_session(first_session(revision=stale), Page("page"))

    assert stand.forge.load_session() == second


def test_the_first_revision_is_the_first(stand: Stand) -> None:
    with pytest.raises(IntegrityError, match="meanwhile"):
        stand.forge.save_session(first_session(revision=2), Page("page"))

    assert stand.forge.load_session() is None


@pytest.mark.parametrize("kind", ["session", "scope", "draft", "review"])
@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"schema": "draftgate/session/v9", "digest": "", "content": {}}', b'{"hello": "there"}'],
    ids=["empty", "cut-off", "a-list", "another-schema", "somebody-elses"],
)
def test_what_cannot_be_trusted_is_refused_and_never_taken_for_absent(stand: Stand, kind: str, content: bytes) -> None:
    stand.forge.save_session(first_session(), Page("page"))
    stand.forge.keep_scope(artifacts())
    stand.forge.put_draft(draft())
    stand.forge.publish_draft(payload(draft()))
    stand.forge.put_draft(draft())
    load: dict[str, Callable[[], object]] = {
        "session": stand.forge.load_session,
        "scope": stand.forge.load_scope,
        "draft": stand.forge.load_draft,
        "review": lambda: stand.forge.find_review(SEAL),
    }

    stand.spoil(kind, content)

    with pytest.raises(IntegrityError):
        load[kind]()


# --- KeepsScope ------------------------------------------------------------------------------------------------------


def test_the_artifacts_of_the_present_round_are_kept(stand: Stand) -> None:
    before = stand.forge.load_scope()
    stand.forge.keep_scope(artifacts(BASE))
    stand.forge.keep_scope(artifacts())

    assert before is None
    assert stand.another.load_scope() == artifacts()
    assert stand.other_change.load_scope() is None


# --- HoldsDraft ------------------------------------------------------------------------------------------------------


def test_there_is_one_draft_and_the_last_one_counts(stand: Stand) -> None:
    before = stand.forge.load_draft()
    stand.forge.put_draft(draft("one"))
    stand.forge.put_draft(draft("two"))

    assert before is None
    assert stand.another.load_draft() == draft("two")
    assert stand.other_change.load_draft() is None


def test_a_draft_is_deleted_once_or_any_number_of_times(stand: Stand) -> None:
    stand.forge.put_draft(draft())

    stand.forge.delete_draft()
    stand.forge.delete_draft()

    assert stand.forge.load_draft() is None


# --- PublishesReview -------------------------------------------------------------------------------------------------


def test_a_published_review_is_the_draft_and_is_found_by_its_marker(stand: Stand) -> None:
    held = draft()
    stand.forge.put_draft(held)

    stand.forge.publish_draft(payload(held))

    review = stand.another.find_review(SEAL)
    assert review is not None
    assert (review.seal, review.head, review.verdict) == (SEAL, held.head, Verdict.REQUEST_CHANGES)
    assert (review.body, review.comments) == (held.body, held.comments)
    assert review.author
    assert review.reference
    assert stand.forge.load_draft() is None
    assert stand.other_change.find_review(SEAL) is None


def test_no_review_is_found_by_another_marker(stand: Stand) -> None:
    before = stand.forge.find_review(SEAL)
    stand.forge.put_draft(draft())
    stand.forge.publish_draft(payload(draft()))

    assert before is None
    assert stand.forge.find_review("cd" * 32) is None


def test_publishing_twice_is_publishing_once(stand: Stand) -> None:
    """The second process had read the draft before the first one published."""
    stand.forge.put_draft(draft())
    stand.forge.publish_draft(payload(draft()))
    first = stand.forge.find_review(SEAL)

    stand.another.put_draft(draft())
    stand.another.publish_draft(payload(draft()))

    second = stand.forge.find_review(SEAL)
    assert first is not None
    assert second is not None
    assert dataclasses.replace(second, submitted_at=first.submitted_at) == first


def test_there_must_be_a_draft_to_publish(stand: Stand) -> None:
    with pytest.raises(IntegrityError, match="no draft"):
        stand.forge.publish_draft(payload(draft()))

    assert stand.forge.find_review(SEAL) is None


def test_reviews_of_two_rounds_stand_side_by_side(stand: Stand) -> None:
    for marker, body in ((SEAL, "one"), ("cd" * 32, "two")):
        stand.forge.put_draft(draft(body))
        stand.forge.publish_draft(payload(draft(body), marker))

    one, two = stand.forge.find_review(SEAL), stand.forge.find_review("cd" * 32)
    assert one is not None
    assert two is not None
    assert (one.body, two.body) == ("one", "two")
