"""A session: one change under review from the first round to its end, as it is stored and resumed.

The session is a value. Whoever changes it makes a new one with a higher revision and hands it to the
forge, which refuses a write based on an older revision. It holds no I/O and knows no forge.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from draftgate.domain.agent_run import NOTHING_SPENT, Spent, sum_spent
from draftgate.domain.agents import KeptOutcomes
from draftgate.domain.carry import Carried
from draftgate.domain.change import ChangeRequest, CommitSha
from draftgate.domain.command import Bare
from draftgate.domain.finding import Finding
from draftgate.domain.phase import Phase
from draftgate.domain.review import ReviewComment, Verdict
from draftgate.domain.round import RoundKind, RoundResult


class Outcome(StrEnum):
    """What a human decided about a finding in an earlier round."""

    PUBLISHED = "published"
    REJECTED = "rejected"
    LEFT_OUT = "left-out"


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a finding, remembered over rounds by its fingerprint.

    Attributes:
        reason: Why it was rejected; "" otherwise.
        at: UTC, ISO 8601.
    """

    fingerprint: str
    outcome: Outcome
    path: str | None
    line: int | None
    label: str
    confidence: int
    subject: str
    reason: str
    round: int
    at: str


@dataclass(frozen=True, slots=True)
class AcceptedCommand:
    """A command that was accepted in this round, kept as it was written and replayed at submission.

    Attributes:
        id: Of the comment on its forge.
        text: As it was written, with the lines that belong to it.
        at: When it was given: UTC, ISO 8601.
        bare: Which commands needed no prefix then; it decides where an edited text ends.
    """

    id: str
    author: str
    text: str
    at: str
    bare: Bare = Bare.OWN


@dataclass(frozen=True, slots=True)
class RoundScope:
    """The proved range of a round and the digests of the artifacts that prove it.

    Attributes:
        base_tip: The target branch's commit when the round began.
        base: The diff base: a merge base of ``base_tip`` and ``head``.
        head: The sealed head commit.
        other_bases: Further merge bases that git named.
        base_named, head_named: What names both tips for certain: a full ref, or the expression as written.
        kind: See `RoundKind`.
        last_reviewed: The sealed head of the last submitted round.
        reasons: Why this range, as sentences.
        includes_worktree: ``head`` is a synthetic commit of the uncommitted state.
        uncommitted: How many files had uncommitted changes that were not reviewed.
        configuration_digest: Of the effective configuration.
        evidence_digest, decision_digest, handoff_digest: SHA-256 of the canonical JSON of each artifact.
    """

    base_tip: CommitSha
    base: CommitSha
    head: CommitSha
    other_bases: tuple[CommitSha, ...]
    base_named: str
    head_named: str
    kind: RoundKind
    last_reviewed: CommitSha | None
    reasons: tuple[str, ...]
    includes_worktree: bool
    uncommitted: int
    configuration_digest: str
    evidence_digest: str
    decision_digest: str
    handoff_digest: str


@dataclass(frozen=True, slots=True)
class ApprovedPayload:
    """The frozen review that a human approved, byte for byte; from here every retry sends exactly this.

    Attributes:
        result_digest: Of the result it was chosen from.
        numbers: The approved findings.
        verdict: Given or computed.
        body: The review body, narrowed to ``numbers``.
        comments: One per approved finding.
        decisions: What becomes of every finding of the round once this is published.
        memory: Digest of all decisions of the session once this is published.
        given: The command that approved it.
    """

    result_digest: str
    seal: str
    head: CommitSha
    numbers: tuple[int, ...]
    verdict: Verdict
    body: str
    comments: tuple[ReviewComment, ...]
    decisions: tuple[Decision, ...]
    memory: str
    given: AcceptedCommand


@dataclass(frozen=True, slots=True)
class Submission:
    """The review as it was read back after it was submitted.

    Attributes:
        reference: Where it stands: a URL on a forge, a path below the repository locally.
        at: UTC, ISO 8601.
        left: What of earlier rounds could not be put right with it, as a sentence; "" if nothing.
    """

    reference: str
    verdict: Verdict
    numbers: tuple[int, ...]
    payload_digest: str
    at: str
    left: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a session is `failed` or `agents-failed`, and whether running again can help.

    Attributes:
        names: The agents and checks that failed.
    """

    phase: Phase
    reason: str
    recoverable: bool
    at: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """The whole state of one change under review.

    Attributes:
        key: Identity of the change on its forge; locally the branch, or the commit of a detached head.
        instance: ``checkpoint.instance``: several bots on one change do not see each other.
        revision: Grows with every write.
        round: 1 for the first.
        started_at, updated_at, shown_at: UTC, ISO 8601; ``shown_at`` is "" until findings are shown.
        seal: SHA-256 over everything that can be approved; "" until findings are shown.
        round_key: Tells the present round from every other, also from one with the same number and findings.
        reviewing: The head that the present round is about, from its first phase on.
        run_url: The page of the CI run that made the round; "" in a terminal.
        without: Failed checks that a person chose to go on without in this round.
        holds_draft: The findings wait in a draft; otherwise it is made at submission (``just-in-time``).
        why_not_held: Why they do not, though the configuration asks for it; "" otherwise.
        carried: What people changed about findings of the round before that nobody decided.
        last_reviewed: The sealed head of the last submitted round; superseded, failed and discarded ones never count.
        decisions: What humans decided in this and earlier rounds.
        undecided: Findings of agents in the round before that nobody decided; empty once a round is shown.
        kept: What agents came to in a round that stopped because one of them failed; ``None`` once a round is shown.
        spent: What models cost on this change so far, over all rounds.
        release: The version of the program that stored it.
    """

    key: str
    instance: str
    change: ChangeRequest
    revision: int
    round: int
    phase: Phase
    started_at: str
    updated_at: str
    shown_at: str = ""
    scope: RoundScope | None = None
    result: RoundResult | None = None
    seal: str = ""
    round_key: str = ""
    reviewing: CommitSha | None = None
    run_url: str = ""
    without: tuple[str, ...] = ()
    holds_draft: bool = True
    why_not_held: str = ""
    commands: tuple[AcceptedCommand, ...] = ()
    payload: ApprovedPayload | None = None
    submission: Submission | None = None
    failure: Failure | None = None
    carried: tuple[Carried, ...] = ()
    last_reviewed: CommitSha | None = None
    decisions: tuple[Decision, ...] = ()
    undecided: tuple[Finding, ...] = ()
    kept: KeptOutcomes | None = None
    spent: Spent = NOTHING_SPENT
    release: str = ""


def spent_on_round(session: Session | None) -> Spent:
    """What the models of the present round cost, also where the round stopped because one of them failed."""
    if session is None:
        return NOTHING_SPENT
    kept = () if session.kept is None else tuple(outcome.run for outcome in session.kept.outcomes)
    return sum_spent(kept if session.result is None else session.result.agents)
