"""What the bot does on a forge, flow by flow, each up to the event whose run is then disturbed.

A flow says how the change gets there and what sets off the run; what must be true at the end is the matrix's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from draftgate.domain.event import ChangeClosed, Event, SweepDue
from draftgate.llm.base import Usage
from tests.fakes.llm.reviewing import a_finding, agent_answers, cast, critic_answers
from tests.fakes.llm.script import Reply
from tests.fakes.llm.server import FakeModel
from tests.flawed_change import BASE, BRANCH, CHANGE, TITLE, make_flawed_repository
from tests.git_builder import Repo
from tests.recovery.hosted.forge import Forge, Opening
from tests.recovery.hosted.stage import Stage, staged

AGENT_FAILED = 6
JUST_IN_TIME = {"draft": "just-in-time"}
BUDGET = timedelta(minutes=60)
"""More than a run may take, whatever the defaults are."""


def _flawed(path: Path, _forge: Forge) -> Repo:
    return make_flawed_repository(path)


@dataclass(frozen=True)
class Flow:
    """One flow.

    Attributes:
        prepare: Brings the change to where the flow begins, and returns the event that begins it.
        source: Makes the repository.
        settings: Of the configuration.
        publishes: How many reviews it publishes.
        code: What an undisturbed run ends with.
        may_approve: The bot may.
        is_signed: The runs have a signing key wherever they can do without.
        traits: What else is particular about the world; see `Opening`.
        dies_for: How long a run of this flow counts as alive after it died; only then its event is taken up again.
        is_made_anew: Where nothing but the comment vouches for a round that was cut off, another one follows it.
        asks_model: An agent takes part.
    """

    name: str
    prepare: Callable[[Stage], Event]
    source: Callable[[Path, Forge], Repo] = _flawed
    settings: Mapping[str, str] = field(default_factory=dict)
    publishes: int = 0
    code: int = 0
    may_approve: bool = True
    is_signed: bool = False
    traits: Mapping[str, str] = field(default_factory=dict)
    dies_for: timedelta = timedelta(0)
    is_made_anew: bool = False
    asks_model: bool = False


@contextmanager
def on_stage(flow: Flow, folder: Path, forge: Forge) -> Iterator[Stage]:
    """The stage of a flow, prepared and kept."""
    source = flow.source(folder / "source", forge)
    world = forge.open(folder / "world", Opening(source, flow.may_approve, flow.traits))
    (folder / "temp").mkdir()
    is_signed = flow.is_signed or (forge.needs_key_just_in_time and flow.settings == JUST_IN_TIME)
    with ExitStack() as stack:
        model = stack.enter_context(FakeModel(_NO_ANSWER)) if flow.asks_model else None
        stage = stack.enter_context(
            staged(forge, world, folder / "temp", flow.settings, is_signed=is_signed, model=model)
        )
        stage.keep(flow.prepare(stage))
        yield stage


def reviewed(stage: Stage) -> None:
    """A review whose findings wait."""
    ran = stage.run(stage.opened())
    assert ran.code == 0, ran


def done(stage: Stage, text: str, code: int = 0) -> None:
    """A command that was done, or refused with this exit code."""
    ran = stage.run(stage.say(text))
    assert ran.code == code, ran


def _said(reply: Reply) -> Reply:
    """At a price that does not depend on what was asked before."""
    return replace(reply, usage=Usage(1_000, 50))


_FOUND = a_finding("rooms/mail.py", 1, "def send_welcome(team, address, role):", "It takes too much")
_NO_ANSWER = cast(_said(Reply("I would rather not say.")))
_ANSWER = cast(_said(agent_answers(_FOUND)), critic=_said(critic_answers("confirmed")))


def _after_a_failed_agent(text: str) -> Callable[[Stage], Event]:
    """The agent answers nothing usable; by the time somebody says what to do about it, the model is well again."""

    def prepare(stage: Stage) -> Event:
        stopped = stage.run(stage.opened())
        assert stopped.code == AGENT_FAILED, stopped
        assert stage.model is not None
        stage.model.script = _ANSWER
        return stage.say(text)

    return prepare


def _review_new_head(stage: Stage) -> Event:
    reviewed(stage)
    done(stage, "/drop-finding 3 the reminder is rewritten next week")
    return stage.push()


def _second_round(stage: Stage) -> Event:
    reviewed(stage)
    done(stage, "/approve-findings 1,3")
    return stage.push()


def _command(*before: str, text: str, login: str = "maintainer") -> Callable[[Stage], Event]:
    def prepare(stage: Stage) -> Event:
        reviewed(stage)
        for earlier in before:
            done(stage, earlier)
        return stage.say(text, login)

    return prepare


def _lift(stage: Stage) -> Event:
    """The first round asks for changes, the second finds nothing to ask for."""
    reviewed(stage)
    done(stage, "/approve-findings")
    moved = stage.push()
    assert stage.run(moved).code == 0
    return stage.say("/approve-findings none --as comment")


def _approve_moved(stage: Stage) -> Event:
    reviewed(stage)
    stage.push()
    return stage.say("/approve-findings")


def _closed(stage: Stage) -> Event:
    reviewed(stage)
    stage.world.close()
    return ChangeClosed(stage.world.number)


def _sweep(stage: Stage) -> Event:
    reviewed(stage)
    stage.say("/drop-finding 2 it is called from nowhere else")
    stage.say("/approve-findings")
    return SweepDue()


def _tampered(stage: Stage) -> Event:
    reviewed(stage)
    checkpoint = stage.seen.comments[0]
    forged = checkpoint.body.replace("**issue (blocking)**", "**praise**")
    stage.world.edit(checkpoint, forged, "writer")
    return stage.opened()


def _broken(repo: Path, _forge: Forge) -> Repo:
    made = make_flawed_repository(repo)
    made.switch("main")
    made.commit({"draftgate.yml": "draft: sometimes\n"}, "Break the configuration")
    made.switch(BRANCH)
    return made


def _many(path: Path, forge: Forge) -> Repo:
    """Functions that change, and each leaves three callers behind: more than one comment of GitHub's can hold."""
    names = [f"send_the_message_number_{number}_to_everyone_in_the_team" for number in range(forge.many)]
    repo = Repo.create(path)
    mail = "\n\n".join(f"def {name}(team):\n    return team\n" for name in names)
    calls = "\n\n".join(f"def call_{name}(team):\n    return {name}(team)\n" for name in names)
    jobs = "".join(f"from rooms.mail import {name}\n" for name in names) + f"\n\n{calls}"
    repo.commit({"rooms/mail.py": mail, **{f"rooms/jobs_{which}.py": jobs for which in "abc"}}, "Send messages")
    repo.branch(BRANCH)
    repo.commit({"rooms/mail.py": mail.replace("(team)", "(team, role)")}, TITLE)
    return repo


def _moved_file(path: Path, _forge: Forge) -> Repo:
    """The flawed change, which also moves a file that others name: no line of it can carry what is found."""
    repo = Repo.create(path)
    signature = {"rooms/sign.py": "def sign(team):\n    return team\n"}
    callers = {"rooms/letters.py": "from rooms.sign import sign\n\n\ndef letter(team):\n    return sign(team)\n"}
    repo.commit({**BASE, **signature, **callers}, "Book rooms in teams")
    repo.branch(BRANCH)
    repo.commit({**CHANGE, "rooms/sign.py": None, "rooms/seal.py": signature["rooms/sign.py"]}, TITLE)
    return repo


FLOWS = (
    Flow("review held", Stage.opened),
    Flow("review just in time", Stage.opened, settings=JUST_IN_TIME, is_made_anew=True),
    Flow("review of a new head", _review_new_head),
    Flow("second round", _second_round),
    Flow("review of many findings", Stage.opened, source=_many),
    Flow("review with threads on files", Stage.opened, source=_moved_file),
    Flow("review over a checkpoint that was edited", _tampered),
    Flow("broken configuration", Stage.opened, source=_broken, code=2),
    Flow("review by command", _command(text="/draftgate review"), dies_for=BUDGET),
    Flow(
        "review by command, just in time",
        _command(text="/draftgate review"),
        settings=JUST_IN_TIME,
        dies_for=BUDGET,
        is_made_anew=True,
    ),
    Flow("amendment", _command(text="/drop-finding 2 it is called from nowhere else")),
    Flow("amendments in one comment", _command(text="/drop-finding 2 no\n/edit-finding 3\nSay it in other words.")),
    Flow("approve all", _command(text="/approve-findings"), publishes=1),
    Flow("approve a subset", _command(text="/approve-findings 1,3"), publishes=1),
    Flow("approve none", _command(text="/approve-findings none --as comment"), publishes=1),
    Flow(
        "approve with an edited finding",
        _command("/edit-finding 1\nSay it in other words.", text="/approve-findings 1,2"),
        publishes=1,
    ),
    Flow("amend and approve at once", _command(text="/drop-finding 2 no\n/approve-findings"), publishes=1),
    Flow("approve just in time", _command(text="/approve-findings 1,2"), settings=JUST_IN_TIME, publishes=1),
    Flow("approve threads on files", _command(text="/approve-findings all except 2"), source=_moved_file, publishes=1),
    Flow("approve many findings", _command(text="/approve-findings"), source=_many, publishes=1),
    Flow("approve and lift what was asked for before", _lift, publishes=1),
    Flow("approve on a head that moved", _approve_moved, code=5),
    Flow(
        "approve with a verdict that is refused",
        _command(text="/approve-findings 1 --as approve"),
        may_approve=False,
        code=3,
    ),
    Flow("discard", _command(text="/discard-findings")),
    Flow("finalize", _command(text="/finalize-review")),
    Flow("closed", _closed),
    Flow("refused command", _command(text="/approve-findings 9")),
    Flow("stranger", _command(text="/approve-findings", login="outsider")),
    Flow("help", _command(text="/draftgate help")),
    Flow("preview", _command(text="/preview-findings")),
    Flow("sweep", _sweep, publishes=1),
    Flow("an agent fails", Stage.opened, code=AGENT_FAILED, asks_model=True),
    Flow("retry of a failed agent", _after_a_failed_agent("/retry-agent"), dies_for=BUDGET, asks_model=True),
    Flow(
        "going on without a failed agent",
        _after_a_failed_agent("/proceed-without correctness"),
        dies_for=BUDGET,
        asks_model=True,
    ),
    Flow("abort after a failed agent", _after_a_failed_agent("/draftgate abort"), asks_model=True),
)
