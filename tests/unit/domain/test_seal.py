"""The seal covers everything that can be approved, and a mismatch names the part."""

from __future__ import annotations

import dataclasses

import pytest

from draftgate.domain.carry import Carried
from draftgate.domain.change import CommitSha
from draftgate.domain.review import Verdict
from draftgate.domain.round import NumberedFinding, RoundKind
from draftgate.domain.seal import Seal, require_match, seal_round
from draftgate.domain.session import Decision, Outcome
from draftgate.errors import SealMismatch
from draftgate.render.draft import comments_of
from tests.builders import blocker, finding, line_anchor, result, scope, session

SCOPE = scope()
RESULT = result([blocker(), finding()])
COMMENTS = comments_of(RESULT)
OTHER = CommitSha("1" * 40)
SESSION = session([blocker(), finding()])
CARRIED = Carried("0" * 16, "a maintainer", "Another text.", None, (), None)
DECISION = Decision("0" * 16, Outcome.REJECTED, "a.py", 1, "issue", 90, "no", "wrong", 1, "2026-01-02T10:00:00Z")


def sealed(**changes: object) -> Seal:
    """The seal of the round, with the arguments of `seal_round` that are named changed."""
    arguments = {
        "session": SESSION,
        "scope": SCOPE,
        "result": RESULT,
        "comments": COMMENTS,
        "body": RESULT.body,
        **changes,
    }
    return seal_round(**arguments)  # type: ignore[arg-type]  # by name


def renumbered() -> dict[str, object]:
    first, second = RESULT.findings
    swapped = (NumberedFinding(2, first.finding), NumberedFinding(1, second.finding))
    return {"result": dataclasses.replace(RESULT, findings=swapped)}


TAMPERED: dict[str, tuple[dict[str, object], str]] = {
    "round": ({"session": dataclasses.replace(SESSION, round=2)}, "round"),
    "another-round-of-the-same-number": ({"session": dataclasses.replace(SESSION, round_key="later")}, "round"),
    "carried-changes": ({"session": dataclasses.replace(SESSION, carried=(CARRIED,))}, "carried changes"),
    "decisions": ({"session": dataclasses.replace(SESSION, decisions=(DECISION,))}, "history of the change"),
    "last-reviewed": ({"session": dataclasses.replace(SESSION, last_reviewed=OTHER)}, "history of the change"),
    "where-it-waits": ({"session": dataclasses.replace(SESSION, holds_draft=False)}, "history of the change"),
    "head": ({"scope": dataclasses.replace(SCOPE, head=OTHER)}, "head"),
    "base": ({"scope": dataclasses.replace(SCOPE, base=OTHER)}, "range"),
    "base-tip": ({"scope": dataclasses.replace(SCOPE, base_tip=OTHER)}, "range"),
    "kind": ({"scope": dataclasses.replace(SCOPE, kind=RoundKind.FOLLOW_UP_NARROW)}, "range"),
    "evidence": ({"scope": dataclasses.replace(SCOPE, evidence_digest="0" * 64)}, "scope evidence"),
    "decision": ({"scope": dataclasses.replace(SCOPE, decision_digest="0" * 64)}, "scope decision"),
    "handoff": ({"scope": dataclasses.replace(SCOPE, handoff_digest="0" * 64)}, "handoff"),
    "a-subject": ({"result": result([blocker("another"), finding()])}, "findings"),
    "an-anchor": ({"result": result([blocker(anchor=line_anchor(line=1)), finding()])}, "findings"),
    "a-number": (renumbered(), "findings"),
    "a-finding-less": ({"result": result([blocker()])}, "findings"),
    "a-text": ({"comments": (dataclasses.replace(COMMENTS[0], text="Fine."), COMMENTS[1])}, "comments"),
    "a-comment-less": ({"comments": COMMENTS[:1]}, "comments"),
    "the-order": ({"comments": COMMENTS[::-1]}, "comments"),
    "the-drafts-body": ({"body": "Fine."}, "review body"),
    "the-shown-body": ({"result": dataclasses.replace(RESULT, body="Fine.")}, "review body"),
    "the-verdict": ({"result": dataclasses.replace(RESULT, recommended=Verdict.APPROVE)}, "recommended verdict"),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_the_part_that_differs_is_named(case: str) -> None:
    changes, part = TAMPERED[case]

    with pytest.raises(SealMismatch, match=rf"the {part} in the session") as caught:
        require_match(sealed(**changes), sealed())

    assert caught.value.exit_code == 5
    assert "nothing was submitted" in caught.value.hint


def test_what_is_the_same_matches() -> None:
    require_match(sealed(), Seal(tuple(map(tuple, map(list, sealed().parts)))))  # type: ignore[arg-type]  # as read back


@pytest.mark.parametrize(
    "drafted", [(), sealed().parts[1:], (*sealed().parts, ("more", "0" * 64))], ids=["none", "one-less", "one-more"]
)
def test_a_seal_of_other_parts_does_not_match(drafted: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(SealMismatch):
        require_match(sealed(), Seal(drafted))


def test_what_only_took_time_is_not_sealed() -> None:
    slower = dataclasses.replace(RESULT, automated_s=9.0)

    assert sealed(result=slower).value == sealed().value
