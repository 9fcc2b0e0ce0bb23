"""GitHub for the crash suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from draftgate.bootstrap.github import handle
from draftgate.bootstrap.hosted import HostedRun
from draftgate.domain.event import CommentMade, Event
from tests.fakes.github import comments
from tests.fakes.github import entities as github
from tests.fakes.github.scenario import ACTIONS, APP, Scenario, make_scenario, push
from tests.fakes.github.server import Simulator, serve
from tests.fakes.github.world import World
from tests.fakes.github_run import Ran, Runner
from tests.git_builder import Content
from tests.recovery.hosted.forge import Forge, Job, Opening, Placed, Remark, Review, Seen, Status

_VERDICTS = {
    github.ReviewState.CHANGES_REQUESTED: "request-changes",
    github.ReviewState.DISMISSED: "request-changes",
    github.ReviewState.COMMENTED: "comment",
    github.ReviewState.APPROVED: "approve",
    github.ReviewState.PENDING: "",
}
"""The bot dismisses nothing but its own requests for changes."""


@dataclass
class GitHubWorld:
    """One pull request; see `forge.World`.

    Attributes:
        login: Whose token the runs have.
    """

    scenario: Scenario
    login: str

    @property
    def clock(self) -> World:
        return self.scenario.world

    @property
    def pull(self) -> github.PullRequest:
        return self.scenario.pull

    @property
    def number(self) -> int:
        return self.pull.number

    @property
    def head(self) -> str:
        return self.clock.head_sha(self.pull)

    def put_back(self) -> None:
        pull, git = self.pull, self.scenario.repository.git
        for ref in (f"refs/heads/{pull.head_ref}", f"refs/pull/{pull.number}/head"):
            git.git("update-ref", ref, pull.head_sha)

    def say(self, text: str, login: str) -> Remark:
        return _comment(comments.create(self.clock, self.scenario.caller(login), self.pull, text))

    def edit(self, remark: Remark, text: str, login: str) -> None:
        comments.edit(self.clock, self.scenario.caller(login), self.find(remark.id), text)

    def delete(self, remark: Remark, login: str) -> None:
        comments.delete(self.clock, self.scenario.caller(login), self.find(remark.id))

    def push(self, files: Mapping[str, Content]) -> str:
        return push(self.clock, self.pull, files)

    def close(self) -> None:
        self.clock.close(self.pull)

    def lose_draft(self) -> None:
        self.pull.reviews[:] = [review for review in self.pull.reviews if not review.pending]

    def find(self, number: int) -> github.IssueComment:
        """A comment by its id."""
        return next(comment for comment in self.pull.comments if comment.id == number)

    def seen(self) -> Seen:
        return Seen(
            comments=tuple(map(_comment, self.pull.comments)),
            reviews=tuple(_review(review) for review in self.pull.reviews if not review.pending),
            drafts=tuple(_review(review) for review in self.pull.reviews if review.pending),
            statuses=tuple(map(_status, self.pull.repository.check_runs)),
        )

    def hosted(self, event: Event, job: Job) -> HostedRun:
        return HostedRun(
            event=event,
            repository=self.scenario.repository.full_name,
            api_url=job.simulator.url,
            graphql_url=job.simulator.graphql_url,
            server_url=job.simulator.git_url,
            workspace=self.scenario.repository.git.path,
            temp=job.temp,
            token=self.scenario.tokens[self.login],
            run_url=f"{job.simulator.web}/run",
            config_path=None,
            settings=job.settings,
            signing_key=None,
            environment=job.environment,
            default_branch="main",
        )


def _open(folder: Path, opening: Opening) -> GitHubWorld:
    """Where the bot may not approve, its token is the workflow's."""
    return GitHubWorld(make_scenario(folder, opening.source), APP if opening.may_approve else ACTIONS)


@contextmanager
def _serve(world: GitHubWorld) -> Iterator[Simulator]:
    with serve(world.clock) as simulator:
        yield simulator


def _run_process(
    world: GitHubWorld, simulator: Simulator, folder: Path, event: Event, started: Callable[[int], object]
) -> Ran:
    runner = Runner(world.scenario, simulator, folder, has_process=True, started=started)
    return runner.deliver(world.find(int(event.comment_id))) if isinstance(event, CommentMade) else runner.review()


def _remark(remark: github.Remark) -> Remark:
    reactions = sorted(one.content for one in remark.reactions if _is_bot(one.account))
    return Remark(remark.id, remark.author.login, _is_bot(remark.author), remark.body, tuple(reactions))


def _comment(comment: github.IssueComment) -> Remark:
    made = _remark(comment)
    return Remark(made.id, made.author, made.is_bots, made.body, made.reactions, comment.minimized)


def _review(review: github.Review) -> Review:
    return Review(
        remark=_remark(review),
        verdict=_VERDICTS[review.state],
        state=review.state.value,
        commit=review.commit_id,
        comments=tuple(
            Placed(
                _remark(made),
                (
                    made.thread.path,
                    made.thread.subject_type.value,
                    made.thread.side.value,
                    str(made.thread.original_line),
                ),
            )
            for made in review.comments
        ),
    )


def _status(run: github.CheckRun) -> Status:
    title, summary = str(run.output.get("title")), str(run.output.get("summary"))
    return Status(run.name, run.head_sha, title, (str(run.conclusion), title, summary), run.external_id)


def _is_bot(account: github.Account) -> bool:
    return account.login.endswith("[bot]")


GITHUB = Forge(
    name="github",
    transport="draftgate.forge.github.transport",
    edits="PATCH",
    handle=handle,
    open=_open,
    serve=_serve,
    run_process=_run_process,
    many=60,
)
