"""`/draftgate review`: starts a new round on the change as it is now."""

from __future__ import annotations

import re
from dataclasses import dataclass

from draftgate.commands.base import BETWEEN_ROUNDS, CommandSpec
from draftgate.commands.scene import Given, Reply, RoundWish, Scene
from draftgate.domain.command import Effect, Parsed
from draftgate.domain.command_line import CommandLine, Takes, read_options
from draftgate.domain.phase import Phase
from draftgate.domain.refusal import quoted
from draftgate.domain.session import Session
from draftgate.errors import CommandRefused

_FLAGS = {"full": Takes.NOTHING, "own": Takes.NOTHING, "issue": Takes.WORD, "force": Takes.NOTHING}
_ISSUE = re.compile(r"#?[0-9]{1,10}|[A-Za-z][A-Za-z0-9_]{0,19}-[0-9]{1,10}|[\w.-]{1,100}/[\w.-]{1,100}#[0-9]{1,10}")


@dataclass(frozen=True, slots=True)
class StartReview(Parsed):
    """How to review.

    Attributes:
        full: The whole change, not only what is new.
        own: The findings are delivered to the author and never published.
        issue: The issue whose requirements are checked, ``None`` to look for one.
        force: Also a change that is closed or merged.
    """

    full: bool
    own: bool
    issue: str | None
    force: bool


def read(arguments: CommandLine, _body: str) -> StartReview:
    """Flags only."""
    options = read_options(arguments, _FLAGS)
    if options.text:
        raise CommandRefused(f"{quoted(options.text)} is not understood here", hint="write flags only")
    issue = options.values.get("issue")
    if issue and not _ISSUE.fullmatch(issue):
        raise CommandRefused(f"{quoted(issue)} is not the id of an issue", hint="write it as `42` or `ENG-302`")
    return StartReview(
        full="full" in options.values, own="own" in options.values, issue=issue, force="force" in options.values
    )


def run(scene: Scene, _session: Session | None, _given: Given, parsed: StartReview) -> Reply:
    """Run a round; every round of this release reads the full diff."""
    if parsed.own or parsed.issue:
        flag = "--own" if parsed.own else "--issue"
        raise CommandRefused(f"`{flag}` is not available in this release", hint="leave it out")
    return Reply("Reviewed.", scene.start_round(RoundWish(force=parsed.force)), shows="findings")


COMMAND = CommandSpec(
    name="review",
    usage="[--full] [--own] [--issue ID] [--force]",
    description="Starts a new round.",
    effect=Effect.OTHER,
    phases=BETWEEN_ROUNDS | {Phase.SUBMITTING},  # what is being submitted is finished first
    needs_session=False,
    read=read,
    run=run,
    starts_round=True,
    good=("/draftgate review", "/draftgate review --full --issue ENG-302", "/draftgate review --own —force"),
    bad=(
        "/review",
        "/draftgate review please",
        "/draftgate review --issue",
        "/draftgate review --issue 1;2",
        "/draftgate review --full=yes",
        "/draftgate review --fast",
        "/draftgate reviews",
    ),
)
