"""`/approve-findings`: which findings are published, under which verdict, with which replies and resolutions."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from draftgate.approval import submit
from draftgate.approval.freeze import freeze
from draftgate.approval.sealed import require_shown_page
from draftgate.commands.base import CommandSpec, Publication, WhoMay
from draftgate.commands.resume import resume
from draftgate.commands.scene import Given, Reply, Scene
from draftgate.domain.amend import AmendedRound
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, Takes, one_of, read_options
from draftgate.domain.finding import Severity
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict, recommend_verdict
from draftgate.domain.selection import (
    ALL,
    NO_LETTERS,
    NONE,
    Kind,
    Letters,
    Selection,
    check,
    check_letters,
    parse_letters,
    parse_numbers,
    parse_selection,
)
from draftgate.domain.session import ApprovedPayload, Session
from draftgate.errors import CommandRefused, IntegrityError
from draftgate.render import neutralize

_LONGEST_LEFT = 1_000
_FLAGS = {"skip-below": Takes.WORD, "as": Takes.WORD, "replies": Takes.LIST, "resolve": Takes.LIST}


@dataclass(frozen=True, slots=True)
class ApproveFindings(Parsed):
    """What to publish.

    Attributes:
        selection: The findings; everything shown when nothing is written.
        skip_below: The least severe that still goes out, ``None`` for any.
        verdict: As written, ``None`` for the verdict rule.
        replies: The complements that go along.
        resolve: The resolutions that go along.
    """

    selection: Selection
    skip_below: Severity | None
    verdict: Verdict | None
    replies: Letters
    resolve: Selection


def read(arguments: CommandLine, _body: str) -> ApproveFindings:
    """Nothing but a flag or the set may stand on the line; a flag that is half there refuses."""
    options = read_options(arguments, _FLAGS)
    severity, verdict = options.values.get("skip-below"), options.values.get("as")
    replies, resolve = options.values.get("replies"), options.values.get("resolve")
    return ApproveFindings(
        selection=parse_selection(options.text) if options.text else ALL,
        skip_below=Severity(one_of(severity, [s.value for s in Severity], "severity")) if severity else None,
        verdict=Verdict(one_of(verdict, list(Verdict), "verdict")) if verdict else None,
        replies=parse_letters(replies) if replies else NO_LETTERS,
        resolve=parse_numbers(resolve) if resolve else NONE,
    )


def publishes(parsed: ApproveFindings) -> Publication:
    """The set and the verdict."""
    return Publication(parsed.selection, parsed.verdict)


def run(scene: Scene, session: Session, given: Given, parsed: ApproveFindings) -> Reply:
    """Freeze what is approved and publish it; a submission that was cut off is finished, never replaced."""
    check_letters(parsed.replies, ())
    if parsed.resolve.kind is Kind.SOME:
        raise CommandRefused("there are no threads to resolve here", hint="leave `--resolve` out")
    if session.phase is Phase.SUBMITTED:
        _require_same(scene, session, parsed)
        scene.forge.mend_witness(session)
        return Reply("This was submitted before; nothing was done again.", session, shows="review")
    if session.phase is Phase.SUBMITTING:
        _require_same(scene, session, parsed)
        is_proved = _says_the_same(scene, session, given, parsed)
        if is_proved:
            require_shown_page(scene.forge, scene.journal, session)
        session, review = resume(scene, session, is_proved=is_proved)
    else:
        session, review = submit.finish(scene.forge, scene.journal, _begin(scene, session, given, parsed))
    left = session.submission.left if session.submission else ""
    beside = f"\n\nNot all of it: {neutralize.inline(left, _LONGEST_LEFT)}." if left else ""
    return Reply(f"Submitted as {review.verdict}: {review.reference}{beside}", session, shows="review")


def freeze_approved(scene: Scene, session: Session, given: Given, parsed: ApproveFindings) -> ApprovedPayload:
    """The payload that the command makes of the round, under the verdict that it says or that follows."""
    amended = scene.amended(session)
    return freeze(session, amended, frozenset(_choose(scene, parsed, amended)), parsed.verdict, given)


def _says_the_same(scene: Scene, session: Session, given: Given, parsed: ApproveFindings) -> bool:
    """Whether this very command proves the payload: it is done now, by somebody who may.

    One that takes the ticked boxes does not, since there are none while something is submitted.
    """
    payload = session.payload
    if payload is None or parsed.selection.kind is Kind.CHECKED:
        return False
    made = freeze_approved(scene, session, dataclasses.replace(given, at=payload.given.at), parsed)
    return dataclasses.replace(made, given=payload.given) == payload


def _begin(scene: Scene, session: Session, given: Given, parsed: ApproveFindings) -> Session:
    scene.require_unedited(session)
    amended = scene.amended(session)
    numbers = frozenset(_choose(scene, parsed, amended))
    verdict = parsed.verdict
    if verdict is None and scene.verdict_is_asked:
        session, verdict = _ask(scene, session, amended, numbers)
    payload = freeze(session, amended, numbers, verdict, given)
    return submit.begin(scene.forge, scene.journal, session, payload)


def _choose(scene: Scene, parsed: ApproveFindings, amended: AmendedRound) -> tuple[int, ...]:
    """The numbers that are approved; whatever is written and does not exist is refused."""
    if not amended.findings and parsed.selection.kind is not Kind.NONE:
        raise CommandRefused(
            "this round has no findings", hint="`/approve-findings none --as comment` submits a review without any"
        )
    ticked = scene.ticked() if parsed.selection.kind is Kind.CHECKED else None
    numbers = check(parsed.selection, [entry.number for entry in amended.kept], ticked)
    least = parsed.skip_below
    if least is None:
        return numbers
    severe = {entry.number for entry in amended.kept if entry.finding.severity.rank <= least.rank}
    if numbers and not severe.intersection(numbers):
        raise CommandRefused(
            f"no finding of the set is as severe as {least.value}", hint="write `none` to mean none of them"
        )
    return tuple(number for number in numbers if number in severe)


def _ask(scene: Scene, session: Session, amended: AmendedRound, numbers: frozenset[int]) -> tuple[Session, Verdict]:
    """Let the person choose; where nobody can be asked, the answer is the commands to choose from."""
    approved = [entry.finding for entry in amended.kept if entry.number in numbers]
    recommended = recommend_verdict(approved)
    if scene.ask_verdict is None:
        raise CommandRefused(
            f"choose the verdict; recommended: {recommended}",
            hint="add one of " + ", ".join(f"`--as {verdict}`" for verdict in Verdict),
        )
    if session.phase is not Phase.CHOOSING_VERDICT:
        session = scene.journal.advance(session, Phase.CHOOSING_VERDICT)
    return session, scene.ask_verdict(recommended)


def _require_same(scene: Scene, session: Session, parsed: ApproveFindings) -> None:
    """A submission that was frozen goes on, or is answered again, with exactly its set or not at all."""
    payload = session.payload
    if (
        parsed.selection.kind is Kind.CHECKED
        or payload is None
        or (parsed.selection == ALL and parsed.verdict is None and parsed.skip_below is None)
    ):
        return
    if _choose(scene, parsed, scene.amended(session)) == payload.numbers and parsed.verdict in (None, payload.verdict):
        return
    frozen = ",".join(map(str, payload.numbers)) or "none"
    if session.phase is Phase.SUBMITTED:
        raise CommandRefused(
            f"this round was submitted with {frozen} as {payload.verdict}",
            hint="`draftgate review --force` starts a new round",
        )
    raise IntegrityError(
        f"a submission of {frozen} as {payload.verdict} was cut off and comes first",
        hint=f"finish it with `draftgate approve {frozen} --as {payload.verdict}`",
    )


COMMAND = CommandSpec(
    name="approve-findings",
    short="approve",
    bare=True,
    usage="[SET] [--skip-below SEVERITY] [--as VERDICT] [--replies A,B|all|none] [--resolve 1,2|all|none]",
    description="Publishes the findings of the set as a review; without a set everything shown.",
    who_may=WhoMay.PUBLISHERS,
    effect=Effect.SUBMITS,
    phases=frozenset({Phase.AWAITING_APPROVAL, Phase.CHOOSING_VERDICT, Phase.SUBMITTING}),
    read=read,
    run=run,
    publishes=publishes,
    freeze=freeze_approved,
    good=(
        "/approve-findings",
        "/approve-findings 1,3-5",
        "/approve-findings all except 2",
        "/approve-findings checked",
        "/approve-findings none --as comment",
        "/approve-findings all --skip-below suggestion",
        "/approve-findings 1,2 --replies A,B --resolve all",
        "/draftgate approve #1 and #3 --as approve",
    ),
    bad=(
        "/approve",
        "/approve-finding 1",
        "/approve-findings-later",
        "/approve-findings 1-",
        "/approve-findings 3-1",
        "/approve-findings 1..3",
        "/approve-findings 1 3",
        "/approve-findings 1-999999999",
        "/approve-findings all please",
        "/approve-findings all --skip-below",
        "/approve-findings all --skip-below sugg",
        "/approve-findings --as approved",
        "/approve-findings --dry-run",
    ),
)
