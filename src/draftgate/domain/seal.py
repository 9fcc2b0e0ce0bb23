"""The seal: one digest over everything that can be approved, kept in the draft and compared at approval.

The parts are digested one by one first, so that a mismatch can name the part that differs.
"""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.domain.canonical import digest
from draftgate.domain.review import ReviewComment
from draftgate.domain.round import RoundResult
from draftgate.domain.session import RoundScope
from draftgate.errors import SealMismatch


@dataclass(frozen=True, slots=True)
class Seal:
    """The digest of each part that can be approved; `value` ties them together."""

    parts: tuple[tuple[str, str], ...]

    @property
    def value(self) -> str:
        """SHA-256 over the parts, as 64 hex digits."""
        return digest(self.parts)


def seal_round(
    round_number: int, scope: RoundScope, result: RoundResult, comments: tuple[ReviewComment, ...], body: str
) -> Seal:
    """Seal a round: head, range, findings with exact texts and anchors, body, verdict, proofs.

    Args:
        round_number: Which round of the session.
        scope: The proved range.
        result: What is shown.
        comments: As the draft holds them; at approval they are taken from the draft that was read back.
        body: Likewise.
    """
    return Seal(
        (
            ("round", digest(round_number)),
            ("head", digest(scope.head)),
            ("range", digest((scope.base_tip, scope.base, scope.head, scope.kind))),
            ("scope evidence", scope.evidence_digest),
            ("scope decision", scope.decision_digest),
            ("handoff", scope.handoff_digest),
            ("findings", digest(result.findings)),
            ("comments", digest(comments)),
            ("review body", digest((result.body, body))),
            ("recommended verdict", digest(result.recommended)),
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
