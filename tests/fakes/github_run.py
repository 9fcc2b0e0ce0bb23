"""The workflow runner of a simulated repository: hands events to ``draftgate run`` and tells what came of them.

It knows what GitHub's runner sets and reads, and where a conversation holds what. What must be true is each test's
affair. A run goes through everything but the process itself, with a clock that does not wait; `Runner.by_process` is
the same in a process of its own.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from draftgate.bootstrap.github import handle
from draftgate.bootstrap.hosted import Clocks
from draftgate.cli.ci.github import result_place
from draftgate.cli.ci.job import Job
from draftgate.cli.ci.log import GuardedStream
from draftgate.cli.ci.variables import Variables
from draftgate.cli.run_ci import run_job
from draftgate.config.key_shapes import mask
from draftgate.forge.hidden import Kind, read_marked
from tests.fakes.forge_http.log import LogEntry
from tests.fakes.github import comments, reviews
from tests.fakes.github.entities import IssueComment, PullRequest, Remark, Review
from tests.fakes.github.scenario import APP, Scenario, push
from tests.fakes.github.server import Simulator, serve
from tests.git_builder import Content
from tests.program import PROGRAM, TIMEOUT_S, program_environment
from tests.unit.cli.ci.runner import obeyed, read_outputs

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Ran:
    """What one run left.

    Attributes:
        log: Both streams.
        outputs: As the runner takes them.
        requests: To the API, git's own apart.
    """

    code: int
    log: str
    outputs: Mapping[str, str]
    summary: str
    requests: tuple[LogEntry, ...]

    @property
    def phase(self) -> str:
        """The output that says how it ended; "" if it did not come to that."""
        return self.outputs.get("phase", "")

    @property
    def ended(self) -> tuple[int, str]:
        """Exit code and phase."""
        return self.code, self.phase

    @property
    def writes(self) -> list[LogEntry]:
        """The requests that change something."""
        return [entry for entry in self.requests if entry.is_write]

    @property
    def annotations(self) -> list[tuple[str, str]]:
        """The commands that GitHub's runner obeys in the log."""
        return obeyed(self.log)


@dataclass(frozen=True, slots=True)
class Posted:
    """A review as it stands on the pull request.

    Attributes:
        comments: Path, line (``None`` for the whole file) and visible text, in their order.
    """

    state: str
    body: str
    comments: tuple[tuple[str, int | None, str], ...]

    @property
    def lines(self) -> list[str]:
        """The places of the comments."""
        return [path if line is None else f"{path}:{line}" for path, line, _ in self.comments]


@dataclass
class Runner:
    """Jobs of one pull request.

    Attributes:
        account: Whose token the jobs have.
        variables: Set for every job beside those of the runner.
        slept: Seconds that the runs asked to wait.
        has_process: Run in a process of its own.
        started: Told the id of each such process.
    """

    scenario: Scenario
    simulator: Simulator
    folder: Path
    account: str = APP
    variables: dict[str, str] = field(default_factory=dict)
    has_process: bool = False
    started: Callable[[int], object] = lambda _pid: None
    pull: PullRequest = field(init=False)
    slept: float = field(default=0.0, init=False)
    _jobs: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.pull = self.scenario.pull

    @property
    def by_process(self) -> Runner:
        """The same with a process for each job."""
        self._jobs += 1
        runner = replace(self, has_process=True, folder=self.folder / f"process-{self._jobs}")
        runner.pull = self.pull
        return runner

    # --- Events ---

    def review(
        self, action: str = "opened", *, event: str = "pull_request", sender: str = "author", **more: object
    ) -> Ran:
        """An event of the pull request."""
        return self.run(event, self.pull_payload(action, sender=sender, **more))

    def command(self, login: str, text: str) -> Ran:
        """Somebody writes a comment, and its event arrives."""
        return self.deliver(self.say(login, text))

    def say(self, login: str, text: str) -> IssueComment:
        """Somebody writes a comment; its event is not delivered."""
        with self.simulator.lock:
            return comments.create(self.scenario.world, self.scenario.caller(login), self.pull, text)

    def deliver(self, comment: IssueComment, action: str = "created", **more: object) -> Ran:
        """The event of a comment arrives."""
        return self.run("issue_comment", self.comment_payload(comment, action, **more))

    def dispatch(self, login: str, attempt: int = 1, /, **inputs: str) -> Ran:
        """Somebody starts the workflow by hand."""
        payload: Json = {"inputs": inputs or None, "ref": "refs/heads/main", "sender": _account(login)}
        return self.run("workflow_dispatch", payload, GITHUB_TRIGGERING_ACTOR=login, GITHUB_RUN_ATTEMPT=str(attempt))

    def run(self, event: str, payload: Json, **variables: str) -> Ran:
        """Run a job for an event."""
        self._jobs += 1
        folder = self.folder / f"job-{self._jobs}"
        folder.mkdir(parents=True)
        environment = {**self._environment(folder, event, payload), **self.variables, **variables}
        before = len(self.simulator.log)
        code, log = self._run_process(environment) if self.has_process else self._run_here(environment)
        print(f"--- {event}: exit {code}\n{log}")  # noqa: T201 - pytest shows it with a failure
        return Ran(
            code=code,
            log=log,
            outputs=read_outputs(folder / "output") if (folder / "output").exists() else {},
            summary=_text(folder / "summary.md"),
            requests=tuple(entry for entry in self.simulator.log[before:] if ".git/" not in entry.path),
        )

    def configure(self, text: Content, *, branch: str = "main", **files: Content) -> None:
        """The file ``draftgate.yml`` on a branch, which is made if need be, and other files by name."""
        with tempfile.TemporaryDirectory() as folder:
            work = self.scenario.repository.git.clone(Path(folder) / "work")
            work.commits = self.scenario.world.new_id()
            work.commit({"draftgate.yml": text, **files}, "Configure")
            work.git("push", "--quiet", "--force", "origin", f"HEAD:refs/heads/{branch}")

    def fork(self) -> None:
        """Go on with a pull request that comes from the author's fork."""
        world, repository = self.scenario.world, self.scenario.repository
        author = self.scenario.person("author")
        fork = world.add_repository(author, repository.name, repository.git, parent=repository)
        self.pull = world.open_pull(
            repository, author, self.pull.title, head_ref=self.pull.head_ref, head_repository=fork
        )

    def push(self, files: Mapping[str, Content] | None = None) -> str:
        """The author moves the head, by a change of no matter unless it is given."""
        with self.simulator.lock:
            return push(self.scenario.world, self.pull, files or {"README.md": f"Rooms {self._jobs}\n"})

    def draft_by_another(self, body: str = "A draft of another program") -> None:
        """Another program under the account of the jobs begins a review."""
        reviews.create(self.scenario.world, self.scenario.caller(self.account), self.pull, body=body)

    def submit_by_another(self) -> None:
        """That program submits what it began."""
        caller = self.scenario.caller(self.account)
        review = next(review for review in self._own_reviews() if review.pending)
        reviews.submit(self.scenario.world, caller, review, "COMMENT")

    # --- What is there ---

    @property
    def checkpoints(self) -> list[IssueComment]:
        """The checkpoints by the account of the jobs, oldest first."""
        return self._own_comments(Kind.CHECKPOINT)

    @property
    def checkpoint(self) -> IssueComment:
        """The newest one."""
        return self.checkpoints[-1]

    @property
    def title(self) -> str:
        """The first line of the newest checkpoint."""
        return self.checkpoint.body.split("\n")[0].removeprefix("### Draftgate · ")

    @property
    def continuations(self) -> list[IssueComment]:
        """The comments that the checkpoint spilled into."""
        return self._own_comments(Kind.CONTINUATION)

    def replies(self, comment: IssueComment) -> list[str]:
        """What the jobs answered to a comment in words."""
        return [reply.body for reply in self._own_comments(Kind.REPLY) if _facts(reply).get("to") == str(comment.id)]

    def reactions(self, remark: Remark) -> list[str]:
        """What the jobs put on a comment, in its order."""
        return [each.content for each in remark.reactions if each.account.login == self.account]

    @property
    def last_comment(self) -> IssueComment:
        """The newest comment that the jobs did not write."""
        return [comment for comment in self.pull.comments if comment.author.login != self.account][-1]

    @property
    def reaction(self) -> str:
        """The reactions on the newest comment that the jobs did not write."""
        return " ".join(self.reactions(self.last_comment))

    @property
    def reply(self) -> str:
        """The one reply to that comment; "" if there is none."""
        replies = self.replies(self.last_comment)
        assert len(replies) <= 1, replies
        return "".join(replies)

    @property
    def draft(self) -> Posted | None:
        """The pending review of the account; GitHub keeps one."""
        return next((_posted(review) for review in self._own_reviews() if review.pending), None)

    @property
    def reviews(self) -> list[Posted]:
        """Its submitted reviews."""
        return [_posted(review) for review in self._own_reviews() if not review.pending]

    @property
    def check(self) -> tuple[str, str]:
        """The conclusion and title of the newest check run on the head; empty if there is none."""
        runs = [run for run in self.scenario.repository.check_runs if run.head_sha == self.pull.head_sha]
        return (str(runs[-1].conclusion), str(runs[-1].output.get("title"))) if runs else ("", "")

    # --- Payloads ---

    def pull_payload(self, action: str, *, sender: str = "author", **more: object) -> Json:
        """A ``pull_request`` event."""
        pull, world = self.pull, self.scenario.world
        head = None if pull.head_repository is None else {"full_name": pull.head_repository.full_name}
        return {
            "action": action,
            "number": pull.number,
            "pull_request": {
                "number": pull.number,
                "user": _account(pull.author.login),
                "head": {"sha": world.head_sha(pull), "ref": pull.head_ref, "repo": head},
                "base": {"ref": pull.base_ref, "repo": {"full_name": pull.repository.full_name}},
            },
            "repository": self._repository(),
            "sender": _account(sender),
            **more,
        }

    def comment_payload(self, comment: IssueComment, action: str = "created", **more: object) -> Json:
        """An ``issue_comment`` event."""
        issue: Json = {"number": comment.issue.number}
        if isinstance(comment.issue, PullRequest):
            issue["pull_request"] = {"url": f"{self.simulator.url}/repos/acme/rooms/pulls/{comment.issue.number}"}
        user = _account(comment.author.login)
        return {
            "action": action,
            "issue": issue,
            "comment": {"id": comment.id, "body": comment.body, "user": user},
            "repository": self._repository(),
            "sender": user,
            **more,
        }

    # --- Running ---

    def _environment(self, folder: Path, event: str, payload: Json) -> dict[str, str]:
        (folder / "event.json").write_text(json.dumps(payload), encoding="utf-8")
        return program_environment(
            GITHUB_ACTIONS="true",
            GITHUB_ACTOR="author",
            GITHUB_API_URL=self.simulator.url,
            GITHUB_EVENT_NAME=event,
            GITHUB_EVENT_PATH=str(folder / "event.json"),
            GITHUB_GRAPHQL_URL=self.simulator.graphql_url,
            GITHUB_OUTPUT=str(folder / "output"),
            GITHUB_REPOSITORY=self.scenario.repository.full_name,
            GITHUB_RUN_ATTEMPT="1",
            GITHUB_RUN_ID=str(1000 + self._jobs),
            GITHUB_SERVER_URL=self.simulator.git_url,
            GITHUB_STEP_SUMMARY=str(folder / "summary.md"),
            GITHUB_TRIGGERING_ACTOR="author",
            GITHUB_WORKSPACE=str(folder / "workspace"),
            HOME=str(folder),
            RUNNER_TEMP=str(folder),
            **{"INPUT_GITHUB-TOKEN": self.scenario.tokens[self.account]},
        )

    def _run_process(self, environment: Mapping[str, str]) -> tuple[int, str]:
        with subprocess.Popen(
            [*PROGRAM, "run"],
            env=dict(environment),
            cwd=environment["HOME"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        ) as process:
            self.started(process.pid)
            said, _ = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, said

    def _run_here(self, environment: Mapping[str, str]) -> tuple[int, str]:
        variables, log = Variables(environment), io.StringIO()
        secrets = variables.secrets()
        job = Job(
            log=GuardedStream(log, secrets),
            outputs=Path(environment["GITHUB_OUTPUT"]),
            summary=Path(environment["GITHUB_STEP_SUMMARY"]),
            results=result_place(variables),
            hide=lambda text: mask(text, secrets),
        )
        code = run_job(job, variables, partial(handle, clocks=Clocks(self._now, self._sleep)))
        return code, log.getvalue()

    def _now(self) -> float:
        return self.scenario.world.now.timestamp() + self.slept

    def _sleep(self, seconds: float) -> None:
        self.slept += seconds

    def _own_comments(self, kind: Kind) -> list[IssueComment]:
        own = (comment for comment in self.pull.comments if comment.author.login == self.account)
        return [comment for comment in own if _kind(comment) is kind]

    def _own_reviews(self) -> Iterable[Review]:
        return (review for review in self.pull.reviews if review.author.login == self.account)

    def _repository(self) -> Json:
        repository = self.scenario.repository
        return {
            "full_name": repository.full_name,
            "name": repository.name,
            "owner": {"login": repository.owner.login},
            "default_branch": repository.default_branch,
        }


@contextmanager
def open_runner(scenario: Scenario, folder: Path) -> Iterator[Runner]:
    """A runner over a running simulator, which must have found every request and answer as GitHub describes it."""
    with serve(scenario.world) as simulator:
        yield Runner(scenario, simulator, folder)
        assert simulator.violations == []


def _account(login: str) -> Json:
    return {"login": login, "type": "Bot" if login.endswith("[bot]") else "User"}


def _kind(comment: IssueComment) -> Kind | None:
    marked = read_marked(comment.body)
    return None if marked is None else marked.marker.kind


def _facts(comment: IssueComment) -> Mapping[str, str]:
    marked = read_marked(comment.body)
    return {} if marked is None else marked.marker.facts


def _posted(review: Review) -> Posted:
    comments = ((made.thread.path, made.thread.line, seen(made.body)) for made in review.comments)
    return Posted(review.state, seen(review.body), tuple(comments))


def seen(body: str) -> str:
    """A text without the lines that readers do not see."""
    marked = read_marked(body)
    return body if marked is None else marked.text


def _text(path: Path) -> str:
    with contextlib.suppress(FileNotFoundError):
        return path.read_text(encoding="utf-8")
    return ""
