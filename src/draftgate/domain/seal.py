"""The seal: one digest over everything that can be approved, kept in the draft and compared at approval.

The parts are digested one by one first, so that a mismatch can name the part that differs.
"""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.domain.canonical import digest
from draftgate.domain.review import ReviewComment
from draftgate.domain.round import RoundResult
from draftgate.domain.session import RoundScope, Session
from draftgate.errors import SealMismatch


@dataclass(frozen=True, slots=True)
class Seal:
    """The digest of each part that can be approved; `value` ties them together."""

    parts: tuple[tuple[str, str], ...]

    @property
    def value(self) -> str:
        """SHA-256 over the parts, as 64 hex digits."""
        return digest(self.parts)


@dataclass(frozen=True, slots=True)
class Witness:
    """What a second place says about a round that is shown, which whoever edits the page cannot edit with it.

    Attributes:
        seal: See `Seal.value`.
        commands: Digest of the commands that were accepted, see `digest_commands`.
        memory: Digest of what the next round takes over, see `digest_memory`.
        page: Digest of the page as it was written; "" where no page is kept in sight.
    """

    seal: str
    commands: str
    memory: str
    page: str = ""

    @classmethod
    def of(cls, session: Session, page: str = "") -> Witness:
        """What a session says of itself."""
        return cls(session.seal, digest_commands(session), digest_memory(session), page)


_HALF = 32
"""Hex digits of a digest that is only compared: half of SHA-256."""


def digest_commands(session: Session) -> str:
    """The digest of the commands that were accepted in the round."""
    return digest(session.commands)[:_HALF]


def digest_memory(session: Session) -> str:
    """The digest of what people decided and changed in this and earlier rounds, and of what was reviewed last."""
    remembered = (session.round, session.last_reviewed, session.decisions, session.carried, session.submission)
    return digest(remembered)[:_HALF]


def seal_round(
    session: Session, scope: RoundScope, result: RoundResult, comments: tuple[ReviewComment, ...], body: str
) -> Seal:
    """Seal a round: head, range, findings with exact texts and anchors, body, verdict, proofs, and what came before.

    Args:
        session: The round's; what of it changes after the findings are shown is no part of the seal.
        scope: The proved range.
        result: What is shown.
        comments: As the draft holds them; at approval they are taken from the draft that was read back.
        body: Likewise.
    """
    before = (session.key, session.instance, session.last_reviewed, session.decisions, session.holds_draft)
    return Seal(
        (
            ("round", digest((session.round, session.round_key))),
            ("head", digest(scope.head)),
            ("range", digest((scope.base_tip, scope.base, scope.head, scope.kind))),
            ("scope evidence", scope.evidence_digest),
            ("scope decision", scope.decision_digest),
            ("handoff", scope.handoff_digest),
            ("findings", digest(result.findings)),
            ("comments", digest(comments)),
            ("review body", digest((result.body, body))),
            ("recommended verdict", digest(result.recommended)),
            ("coverage", digest((result.coverage, result.dropped, result.addressed, result.unresolved))),
            ("carried changes", digest(session.carried)),
            ("history of the change", digest(before)),
        )
    )


def require_match(state: Seal, draft: Seal) -> None:
    """Refuse when the state and the draft do not carry the same seal.

    Raises:
        SealMismatch: names the first part that differs.
    """
    if state.value == draft.value:
        return
    drafted = dict(draft.parts)
    differing = [name for name, part in state.parts if drafted.get(name) != part] or ["parts"]
    raise SealMismatch(
        f"the {differing[0]} in the session is not what the draft was sealed with",
        hint="nothing was submitted; start a new round with `draftgate review --force`",
    )
