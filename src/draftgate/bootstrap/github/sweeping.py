"""The sweep: commands whose event was lost, over the open pull requests of a repository.

Platforms lose and cancel runs: GitHub keeps one pending run of a concurrency group and cancels the older one. One
query finds the changes in which somebody wrote a command that carries no answer of ours; only those are opened.
"""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.bootstrap.github.commands import answer_comment
from draftgate.bootstrap.github.opening import connect, open_hosted
from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.commands.inbox.waiting import ANSWERS, is_for_us
from draftgate.commands.registry import load_grammar
from draftgate.domain.command import Bare, parse_comment
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.phase import Phase
from draftgate.errors import DraftgateError
from draftgate.forge.github import facts
from draftgate.forge.github.connection import Connection


def sweep(run: HostedRun, clocks: Clocks) -> RunOutcome:
    """Answer the commands that wait in any open change of the repository."""
    connection = connect(run, clocks)
    numbers = tuple(_find_waiting(connection, run.repository))
    outcomes = [_answer(run, number, clocks) for number in numbers]
    said = "; ".join(f"#{number}: {one.sentence}" for number, one in zip(numbers, outcomes, strict=True))
    return RunOutcome(
        exit_code=max((one.exit_code for one in outcomes), default=0),
        phase=outcomes[0].phase if len(outcomes) == 1 else RunPhase.SKIPPED,
        sentence=said or "no command waits for an answer",
        session=outcomes[0].session if len(outcomes) == 1 else None,
        warnings=tuple(warning for one in outcomes for warning in one.warnings),
        reads=connection.requests.reads + sum(one.reads for one in outcomes),
        writes=sum(one.writes for one in outcomes),
    )


def _answer(run: HostedRun, number: int, clocks: Clocks) -> RunOutcome:
    """One change; what is wrong with it does not keep the others from being looked at."""
    try:
        return answer_comment(open_hosted(run, number, clocks), None)
    except DraftgateError as error:
        return RunOutcome(error.exit_code, Phase.FAILED, str(error), warnings=(f"#{number}: {error}",))


def _find_waiting(connection: Connection, repository: str) -> Iterator[int]:
    owner, _, name = repository.partition("/")
    after = None
    while True:
        answer = connection.query("open_changes", owner=owner, name=name, after=after)
        changes = (answer.get("repository") or {}).get("pullRequests")
        for change in facts.nodes(changes):
            if any(_waits(comment) for comment in facts.nodes(change.get("comments"))):
                yield facts.need(change, "number")
        after = facts.next_page(changes)
        if after is None:
            return


def _waits(comment: facts.Json) -> bool:
    """Whether a comment may hold a command without an answer; the configuration, read later, has the last word."""
    text = comment.get("body") or ""
    groups = comment.get("reactionGroups")
    answered = facts.own_reactions(groups) if groups is not None else frozenset()
    if answered & ANSWERS or not is_for_us(text, Bare.ALL):
        return False
    parsed = parse_comment(text, load_grammar(Bare.ALL))
    return bool(parsed.commands) or not all(line.is_suggestion for line in parsed.refusals)
