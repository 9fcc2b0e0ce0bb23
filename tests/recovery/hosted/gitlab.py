"""GitLab for the crash suite. A review is the note that sums it up, with the notes that became public for it.

GitLab publishes in several steps: what of a review is public while no note sums it up, or while GitLab has dropped a
part of what that note names, is *loose*, which must not be so at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from draftgate.bootstrap.gitlab import handle
from draftgate.bootstrap.hosted import HostedRun
from draftgate.domain.event import CommentMade, Event
from tests.fakes.gitlab import drafts, notes
from tests.fakes.gitlab.entities import DraftNote, MergeRequest, Note, Position
from tests.fakes.gitlab.notes import NewNote
from tests.fakes.gitlab.people import User
from tests.fakes.gitlab.pipelines import CommitStatus
from tests.fakes.gitlab.scenario import BOT, Scenario, make_scenario, push
from tests.fakes.gitlab.server import Simulator, serve
from tests.fakes.gitlab.world import World
from tests.fakes.gitlab_run import Ran, Runner, leaks
from tests.git_builder import IDENTITY_EMAIL, Content
from tests.recovery.hosted.forge import Forge, Job, Opening, Placed, Remark, Review, Seen, Status

KEY = "a signing key of the crash suite"
FOREIGN = "A draft of another program"

_STATES = {"review_started": "reviewed"}
"""Drafts that are published one by one leave a reviewer at the former, all at once at the latter; both mean nothing."""

_LOGINS = {"admin": "owner", "writer": "developer"}
_KIND = re.compile(r"<!-- draftgate:(finding|review)((?: [a-z]+=[^ >]*)*) -->\s*\Z")
_SHOWN = re.compile(r" \(shown [^)]*, round ([0-9a-f]*)\)")


@dataclass
class GitLabWorld:
    """One merge request; see `forge.World`."""

    scenario: Scenario

    @property
    def clock(self) -> World:
        return self.scenario.world

    @property
    def merge_request(self) -> MergeRequest:
        return self.scenario.merge_request

    @property
    def number(self) -> int:
        return self.merge_request.iid

    @property
    def head(self) -> str:
        return self.clock.head_sha(self.merge_request)

    def put_back(self) -> None:
        one, git = self.merge_request, self.scenario.project.git
        for ref in (f"refs/heads/{one.source_branch}", f"refs/merge-requests/{one.iid}/head"):
            git.git("update-ref", ref, one.version.head)

    def say(self, text: str, login: str) -> Remark:
        made = notes.create(self.clock, self._person(login), self.merge_request, NewNote(text)).note
        assert made is not None
        return _remark(made)

    def edit(self, remark: Remark, text: str, login: str) -> None:
        notes.edit(self.clock, self._editor(login), self.find(remark.id), text)

    def delete(self, remark: Remark, login: str) -> None:
        notes.delete(self.clock, self._editor(login), self.find(remark.id))

    def push(self, files: Mapping[str, Content]) -> str:
        return push(self.clock, self.merge_request, files)

    def close(self) -> None:
        self.clock.set_state(self.merge_request, self.scenario.person("maintainer"), "close")

    def lose_draft(self) -> None:
        one = self.merge_request
        one.drafts[:] = [draft for draft in one.drafts if draft.note == FOREIGN]

    def find(self, number: int) -> Note:
        """A note by its id."""
        return next(note for note in self.merge_request.notes if note.id == number)

    def seen(self) -> Seen:
        notes = [note for note in self.merge_request.notes if not note.system]
        said = [_remark(note) for note in notes if _kind(note) not in {"finding", "review"}]
        summaries = [note for note in notes if _kind(note) == "review"]
        loose = [note for note in notes if _kind(note) == "finding"]
        reviews = []
        for summary in summaries:
            findings = [note for note in loose if _is_of(note, summary)]
            if self.merge_request.lost_places and len(findings) < len(_facts(summary.body)["numbers"].split(",")):
                continue  # GitLab dropped a note of it, which is still to be posted
            reviews.append(_review(summary, findings))
            loose = [note for note in loose if note not in findings]
        return Seen(
            comments=tuple(said),
            reviews=tuple(reviews),
            drafts=tuple(self._drafts()),
            statuses=tuple(map(_status, self.scenario.project.statuses)),
            loose=tuple(map(_placed, loose)),
            beside=self._beside(),
            leaks=tuple(leaks(self.clock)),
        )

    def hosted(self, event: Event, job: Job) -> HostedRun:
        project = self.scenario.project
        return HostedRun(
            event=event,
            repository=project.full_path,
            api_url=job.simulator.api_url,
            graphql_url=job.simulator.graphql_url,
            server_url=job.simulator.url,
            workspace=project.git.path,
            temp=job.temp,
            token=self.scenario.tokens[BOT],
            run_url=f"{job.simulator.url}/{project.full_path}/-/jobs/1",
            config_path=None,
            settings=job.settings,
            signing_key=KEY if job.is_signed else None,
            environment=job.environment,
            default_branch="main",
            repository_id=str(project.id),
        )

    def hold_foreign_draft(self) -> None:
        """Another program under the bot's account holds a draft note."""
        draft = DraftNote(id=0, merge_request=self.merge_request, author=self.scenario.bot, note=FOREIGN)
        drafts.create(self.clock, self.scenario.bot, self.merge_request, draft)

    def _person(self, login: str) -> User:
        return self.scenario.person(_LOGINS.get(login, login))

    def _editor(self, login: str) -> User:
        """Maintainers alone change what others wrote."""
        return self._person("maintainer" if login == "writer" else login)

    def _drafts(self) -> Iterator[Review]:
        """The draft notes of one seal are one draft."""
        own = [draft for draft in self.merge_request.drafts if draft.author is self.scenario.bot]
        ours = [draft for draft in own if draft.note != FOREIGN]
        for seal in dict.fromkeys(_facts(draft.note).get("seal", "") for draft in ours):
            mine = [draft for draft in ours if _facts(draft.note).get("seal", "") == seal]
            commits = sorted({draft.position.head_sha if draft.position else "" for draft in mine})
            body = Remark(0, BOT, is_bots=True, body="")
            yield Review(body, "", "draft", " ".join(commits), tuple(map(_placed_draft, mine)))

    def _beside(self) -> dict[str, object]:
        one, world = self.merge_request, self.clock
        return {
            "reviewers": sorted((each.user.username, _STATES.get(each.state, each.state)) for each in one.reviewers),
            "approved by": sorted(user.username for user, _ in one.approvals),
            "foreign drafts": [draft.note for draft in one.drafts if draft.note == FOREIGN],
            "reviewers who lost their place": [each.reviewer.username for each in world.displaced],
            "drafts without a place": [draft.note for draft in one.drafts if draft.note != FOREIGN and _is_lost(draft)],
            "state": one.state,
        }


def _open(folder: Path, opening: Opening) -> GitLabWorld:
    """Where the bot may not approve, it has a commit in the change, which Premium can forbid."""
    traits = dict(opening.traits)
    tier = traits.pop("tier", "free" if opening.may_approve else "premium")
    scenario = make_scenario(folder, opening.source, version=traits.pop("version", "18.4.0"), tier=tier)
    if not opening.may_approve:
        scenario.project.committers_approval = False
        scenario.bot.email = IDENTITY_EMAIL
    for name, value in traits.items():
        setattr(scenario.world, name, value)
    return GitLabWorld(scenario)


@contextmanager
def _serve(world: GitLabWorld) -> Iterator[Simulator]:
    with serve(world.clock) as simulator:
        yield simulator


def _run_process(
    world: GitLabWorld, simulator: Simulator, folder: Path, event: Event, started: Callable[[int], object]
) -> Ran:
    runner = Runner(world.scenario, simulator, folder, has_process=True, started=started)
    return runner.deliver(world.find(int(event.comment_id))) if isinstance(event, CommentMade) else runner.review()


def _remark(note: Note) -> Remark:
    reactions = sorted(award.name for award in note.awards if award.user.bot)
    return Remark(note.id, note.author.username, note.author.bot, note.body, tuple(reactions))


def _review(summary: Note, findings: list[Note]) -> Review:
    facts = _facts(summary.body)
    placed = sorted(map(_placed, findings), key=lambda one: int(_facts(one.remark.body).get("number", "0")))
    return Review(_remark(summary), facts.get("verdict", ""), "published", facts.get("head", ""), tuple(placed))


def _is_of(finding: Note, summary: Note) -> bool:
    """GitLab may have dropped a note, which then is posted after the summary that names the draft it was in."""
    return _facts(finding.body).get("seal", "") in _facts(summary.body).get("drafted", "").split(",")


def _placed(note: Note) -> Placed:
    return Placed(_remark(note), (str(note.kind), *_place(note.original_position)))


def _placed_draft(draft: DraftNote) -> Placed:
    return Placed(Remark(0, BOT, is_bots=True, body=draft.note), ("draft", *_place(draft.position)))


def _place(position: Position | None) -> tuple[str, ...]:
    if position is None:
        return ("nowhere",)
    lines = (position.old_line, position.new_line, position.line_range)
    return (str(position.new_path), position.position_type, *map(str, lines))


def _is_lost(draft: DraftNote) -> bool:
    is_on_file = draft.position is not None and draft.position.position_type == "file"
    return draft.line_code is None and not is_on_file


def _status(status: CommitStatus) -> Status:
    words = status.description or ""
    found = _SHOWN.search(words)
    plain = _SHOWN.sub("", words)
    title = re.split(r"[:,]", plain)[0]
    return Status(
        status.name, status.pipeline.sha, title, (status.state, plain), found[1] if found else "", is_seal_cut=True
    )


def _kind(note: Note) -> str:
    found = _KIND.search(note.body)
    return found[1] if found and note.author.bot else ""


def _facts(text: str) -> dict[str, str]:
    found = _KIND.search(text)
    pairs = [] if found is None else [fact.split("=", 1) for fact in found[2].split()]
    return {name: unquote(value) for name, value in pairs}


GITLAB = Forge(
    name="gitlab",
    transport="draftgate.forge.gitlab.transport",
    edits="PUT",
    handle=handle,
    open=_open,
    serve=_serve,
    run_process=_run_process,
    many=12,
    needs_key_just_in_time=True,
    gets_over={
        "publish$": "GitLab fails so for a note that it cannot publish; the others go one by one then",
    },
    forgets={
        "review of a new head": "the draft notes alone vouch, and the old ones go before the new checkpoint",
    },
)
