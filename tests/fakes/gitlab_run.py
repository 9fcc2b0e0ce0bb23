"""The runner of a simulated project: hands webhooks and pipelines to ``draftgate run`` and tells what came of them.

It knows what GitLab's runner sets and reads, and where a conversation holds what. What must be true is each test's
affair. A run goes through everything but the process itself, with a clock that does not wait; `Runner.by_process` is
the same in a process of its own.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

from draftgate.bootstrap.gitlab import handle
from draftgate.bootstrap.hosted import Clocks
from draftgate.cli.ci.gitlab_job import FOLDER, make_gitlab_job
from draftgate.cli.ci.log import GuardedStream, as_coloured_lines
from draftgate.cli.ci.platforms import GITLAB
from draftgate.cli.run_ci import run_job
from draftgate.config.key_shapes import mask
from draftgate.forge.hidden import Kind, read_marked
from tests.fakes import github_run
from tests.fakes.github_run import Posted, seen
from tests.fakes.gitlab import drafts, notes, payloads
from tests.fakes.gitlab.certificates import Certificates
from tests.fakes.gitlab.entities import DraftNote, MergeRequest, Note, Position
from tests.fakes.gitlab.notes import NewNote
from tests.fakes.gitlab.people import User
from tests.fakes.gitlab.scenario import BOT, Scenario, push, push_to
from tests.fakes.gitlab.server import Simulator, serve
from tests.fakes.gitlab.world import World
from tests.git_builder import Content
from tests.program import PROGRAM, TIMEOUT_S, program_environment
from tests.unit.cli.ci.gitlab_runner import messages, read_dotenv

Json = dict[str, object]

_SHOWN = re.compile(r" \(shown [^)]*\)")


@dataclass(frozen=True, slots=True)
class Ran(github_run.Ran):
    """What one run left."""

    @property
    def annotations(self) -> list[tuple[str, str]]:
        """Our own messages in the log; GitLab obeys none."""
        return [(line.partition(":")[0].lower(), line) for line in messages(self.log)]


@dataclass
class Runner:
    """Jobs about one merge request.

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
    account: str = BOT
    variables: dict[str, str] = field(default_factory=dict)
    has_process: bool = False
    started: Callable[[int], object] = lambda _pid: None
    merge_request: MergeRequest = field(init=False)
    slept: float = field(default=0.0, init=False)
    _jobs: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.merge_request = self.scenario.merge_request

    @property
    def by_process(self) -> Runner:
        """The same with a process for each job."""
        self._jobs += 1
        runner = replace(self, has_process=True, folder=self.folder / f"process-{self._jobs}")
        runner.merge_request = self.merge_request
        return runner

    @property
    def user(self) -> User:
        """The account that the token of the jobs belongs to."""
        return self.scenario.person(self.account)

    # --- Webhooks, which start a pipeline on the default branch -----------------------------------------------------

    def review(
        self,
        action: str = "open",
        *,
        sender: str = "author",
        oldrev: str | None = None,
        changes: Mapping[str, object] | None = None,
    ) -> Ran:
        """A webhook about the merge request; see `payloads.merge_request_hook`."""
        return self.trigger(self.change_payload(action, sender=sender, oldrev=oldrev, changes=changes))

    def pushed(self, files: Mapping[str, Content] | None = None) -> Ran:
        """The author pushes, and the webhook about it arrives."""
        before = self.merge_request.version.head
        self.push(files)
        return self.review("update", oldrev=before)

    def command(self, login: str, text: str) -> Ran:
        """Somebody writes a comment, and its webhook arrives."""
        return self.deliver(self.say(login, text))

    def say(self, login: str, text: str) -> Note:
        """Somebody writes a comment; its webhook does not arrive."""
        with self.simulator.lock:
            made = notes.create(self.scenario.world, self.scenario.person(login), self.merge_request, NewNote(text))
        assert made.note is not None, "the text holds nothing but quick actions"
        return made.note

    def deliver(self, note: Note, action: Literal["create", "update"] = "create") -> Ran:
        """The webhook about a comment arrives."""
        return self.trigger(self.note_payload(note, action))

    def trigger(self, payload: object, **variables: str) -> Ran:
        """A webhook starts a pipeline."""
        return self.run("trigger", payload, **variables)

    # --- Other pipelines ---------------------------------------------------------------------------------------------

    def pipeline(self, **variables: str) -> Ran:
        """A pipeline of the merge request; that of a fork runs there, without the project's variables."""
        return self.run("merge_request_event", **variables)

    def commands(self, **variables: str) -> Ran:
        """The manual job of such a pipeline, which looks for commands."""
        return self.pipeline(DRAFTGATE_MODE="commands", **variables)

    def sweep(self) -> Ran:
        """The schedule's pipeline."""
        return self.run("schedule")

    def run(self, source: str, payload: object = None, **variables: str) -> Ran:
        """Run a job in a pipeline of a source."""
        self._jobs += 1
        folder = self.folder / f"job-{self._jobs}"
        folder.mkdir(parents=True)
        environment = {**self._environment(folder, source, payload), **self.variables, **variables}
        before = len(self.simulator.log)
        code, log = self._run_process(environment) if self.has_process else self._run_here(environment)
        print(f"--- {source}: exit {code}\n{log}")  # noqa: T201 - pytest shows it with a failure
        return Ran(
            code=code,
            log=log,
            outputs=_outputs(folder / FOLDER / "draftgate.env"),
            summary=_text(folder / FOLDER / "summary.md"),
            requests=tuple(entry for entry in self.simulator.log[before:] if ".git/" not in entry.path),
        )

    # --- What people do ----------------------------------------------------------------------------------------------

    def configure(self, text: Content, *, branch: str = "main", **files: Content) -> None:
        """The file ``draftgate.yml`` on a branch, which is made if need be, and other files by name."""
        project = self.merge_request.project
        with self.simulator.lock:
            main = project.git.sha(f"refs/heads/{project.default_branch}")
            onto = None if branch == project.default_branch else main
            push_to(self.scenario.world, project, branch, {"draftgate.yml": text, **files}, "Configure", onto=onto)

    def fork(self) -> None:
        """Go on with a merge request that comes from the author's fork."""
        world, project, author = self.scenario.world, self.merge_request.project, self.scenario.person("author")
        fork = world.add_project(author, project.path, project.git, visibility=project.visibility, forked_from=project)
        self.merge_request = world.open_merge_request(
            project,
            author,
            self.merge_request.title,
            source_branch=self.merge_request.source_branch,
            source_project=fork,
        )

    def push(self, files: Mapping[str, Content] | None = None) -> str:
        """The author moves the head, by a change of no matter unless it is given."""
        with self.simulator.lock:
            world = self.scenario.world
            return push(world, self.merge_request, files or {"README.md": f"Rooms {world.new_id()}\n"})

    def close(self, *, merged: bool = False) -> None:
        """The maintainer closes or merges."""
        world, maintainer = self.scenario.world, self.scenario.person("maintainer")
        with self.simulator.lock:
            if merged:
                world.merge(self.merge_request, maintainer)
            else:
                world.set_state(self.merge_request, maintainer, "close")

    def edit(self, note: Note, text: str, login: str = "maintainer") -> None:
        """Somebody changes the text of a comment."""
        with self.simulator.lock:
            notes.edit(self.scenario.world, self.scenario.person(login), note, text)

    def delete(self, note: Note, login: str = "maintainer") -> None:
        """Somebody deletes a comment."""
        with self.simulator.lock:
            notes.delete(self.scenario.world, self.scenario.person(login), note)

    def draft_by_another(self, text: str = "A draft of another program") -> None:
        """Another program under the account of the jobs holds a draft note."""
        draft = DraftNote(id=0, merge_request=self.merge_request, author=self.user, note=text)
        with self.simulator.lock:
            drafts.create(self.scenario.world, self.user, self.merge_request, draft)

    # --- What is there -----------------------------------------------------------------------------------------------

    @property
    def notes(self) -> list[Note]:
        """What people and programs wrote, oldest first."""
        return [note for note in self.merge_request.notes if not note.system]

    @property
    def checkpoints(self) -> list[Note]:
        """The checkpoints by the account of the jobs, oldest first."""
        return self._own(Kind.CHECKPOINT)

    @property
    def checkpoint(self) -> Note:
        """The newest one."""
        return self.checkpoints[-1]

    @property
    def title(self) -> str:
        """The first line of the newest checkpoint."""
        return self.checkpoint.body.split("\n")[0].removeprefix("### Draftgate · ")

    @property
    def continuations(self) -> list[Note]:
        """The notes that the checkpoint spilled into."""
        return self._own(Kind.CONTINUATION)

    def replies(self, note: Note) -> list[str]:
        """What the jobs answered to a comment in words."""
        return [reply.body for reply in self._own(Kind.REPLY) if _facts(reply).get("to") == str(note.id)]

    def reactions(self, note: Note) -> list[str]:
        """What the jobs put on a comment, in its order."""
        return [award.name for award in note.awards if award.user is self.user]

    @property
    def last_comment(self) -> Note:
        """The newest comment that the jobs did not write."""
        return [note for note in self.notes if note.author is not self.user][-1]

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
    def own_drafts(self) -> list[DraftNote]:
        """The draft notes of the account, other programs' among them."""
        return [draft for draft in self.merge_request.drafts if draft.author is self.user]

    @property
    def draft(self) -> Posted | None:
        """The draft notes of the jobs; ``None`` if there are none. A draft has no body of its own on GitLab."""
        own = [draft for draft in self.own_drafts if _kind(draft.note) is Kind.FINDING]
        return Posted("draft", "", tuple(_placed(draft.position, draft.note) for draft in own)) if own else None

    @property
    def reviews(self) -> list[Posted]:
        """The published reviews: each note that sums one up, with the findings that it names the draft of."""
        findings = sorted(self._own(Kind.FINDING), key=lambda note: int(_facts(note).get("number", "0")))
        found = []
        for summary in self._own(Kind.REVIEW):
            drafted = _facts(summary).get("drafted", "").split(",")
            own = [one for one in findings if _facts(one).get("seal") in drafted]
            placed = tuple(_placed(one.original_position, one.body) for one in own)
            found.append(Posted(_facts(summary).get("verdict", ""), seen(summary.body), placed))
        return found

    @property
    def unsummed(self) -> list[Note]:
        """Findings that are public and belong to no review."""
        drafted = {seal for one in self._own(Kind.REVIEW) for seal in _facts(one).get("drafted", "").split(",")}
        return [note for note in self._own(Kind.FINDING) if _facts(note).get("seal") not in drafted]

    @property
    def status(self) -> tuple[str, str]:
        """State and words of the newest commit status on the head; empty if there is none."""
        head = self.merge_request.version.head
        own = [one for one in self.merge_request.project.statuses if one.pipeline.sha == head]
        return (own[-1].state, _SHOWN.sub("", own[-1].description or "")) if own else ("", "")

    @property
    def reviewer_state(self) -> str:
        """What the bot says as a reviewer; "" if it is none."""
        reviewer = self.merge_request.reviewer(self.user)
        return "" if reviewer is None else reviewer.state

    @property
    def has_approved(self) -> bool:
        """Whether the bot's approval stands."""
        return self.merge_request.approved_by(self.user)

    # --- Payloads ----------------------------------------------------------------------------------------------------

    def change_payload(
        self,
        action: str = "open",
        *,
        sender: str = "author",
        oldrev: str | None = None,
        changes: Mapping[str, object] | None = None,
    ) -> Json:
        """A webhook about the merge request."""
        with self.simulator.lock:
            world, one, web = self.scenario.world, self.merge_request, self.simulator.url
            world.head_sha(one)
            return payloads.merge_request_hook(
                world, one, self.scenario.person(sender), action=action, web=web, oldrev=oldrev, changes=changes
            )

    def note_payload(self, note: Note, action: Literal["create", "update"] = "create") -> Json:
        """A webhook about a comment."""
        with self.simulator.lock:
            return payloads.note_hook(self.scenario.world, note, web=self.simulator.url, action=action)

    # --- Running -----------------------------------------------------------------------------------------------------

    def _environment(self, folder: Path, source: str, payload: object) -> dict[str, str]:
        project, one = self.merge_request.project, self.merge_request
        given: dict[str, str] = {}
        if payload is not None:
            (folder / "payload.json").write_text(json.dumps(payload), encoding="utf-8")
            given["TRIGGER_PAYLOAD"] = str(folder / "payload.json")
        if self.simulator.ca_file is not None:
            given["SSL_CERT_FILE"] = str(self.simulator.ca_file)
        runs_in, commit = project, project.git.sha(f"refs/heads/{project.default_branch}")
        token = self.scenario.tokens[self.account]
        if source == "merge_request_event":
            runs_in, commit = one.source_project or project, one.version.head
            token = token if runs_in is project else ""
            given |= {
                "CI_MERGE_REQUEST_EVENT_TYPE": "detached",
                "CI_MERGE_REQUEST_IID": str(one.iid),
                "CI_MERGE_REQUEST_PROJECT_ID": str(project.id),
                "CI_MERGE_REQUEST_PROJECT_PATH": project.full_path,
                "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "",
                "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": str(runs_in.id),
            }
        else:
            given |= {"CI_COMMIT_BRANCH": project.default_branch, "CI_COMMIT_REF_NAME": project.default_branch}
        return program_environment(
            CI_API_GRAPHQL_URL=self.simulator.graphql_url,
            CI_API_V4_URL=self.simulator.api_url,
            CI_COMMIT_SHA=commit,
            CI_DEFAULT_BRANCH=runs_in.default_branch,
            CI_JOB_TOKEN=self.scenario.tokens["job"],
            CI_JOB_URL=f"{self.simulator.url}/{runs_in.full_path}/-/jobs/{1000 + self._jobs}",
            CI_PIPELINE_SOURCE=source,
            CI_PROJECT_DIR=str(folder),
            CI_PROJECT_ID=str(runs_in.id),
            CI_PROJECT_PATH=runs_in.full_path,
            CI_SERVER_URL=self.simulator.url,
            DRAFTGATE_GITLAB_TOKEN=token,
            GITLAB_CI="true",
            GITLAB_USER_LOGIN="author",
            HOME=str(folder),
            **given,
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
        variables, log = GITLAB.variables(environment), io.StringIO()
        secrets = variables.secrets()
        job = make_gitlab_job(
            variables, GuardedStream(log, secrets, as_coloured_lines), lambda text: mask(text, secrets)
        )
        code = run_job(job, variables, partial(handle, clocks=Clocks(self._now, self._sleep)), GITLAB)
        return code, log.getvalue()

    def _now(self) -> float:
        return self.scenario.world.now.timestamp() + self.slept

    def _sleep(self, seconds: float) -> None:
        self.slept += seconds

    def _own(self, kind: Kind) -> list[Note]:
        return [note for note in self.notes if note.author is self.user and _kind(note.body) is kind]


@contextmanager
def open_runner(scenario: Scenario, folder: Path, *, certificates: Certificates | None = None) -> Iterator[Runner]:
    """A runner over a running simulator, which must have found every request as GitLab describes it.

    Nothing that the bot wrote may have been a quick action, told anybody or linked anything.
    """
    with serve(scenario.world, certificates=certificates) as simulator:
        runner = Runner(scenario, simulator, folder)
        yield runner
        assert simulator.violations == []
        assert leaks(scenario.world) == []


def leaks(world: World) -> list[str]:
    """What texts of the bots made GitLab do: quick actions, mentions and references."""
    acted = [f"/{one.name} {one.argument}" for one in world.executed if one.user.bot]
    return acted + [one.text for one in (*world.mentioned, *world.referenced) if one.user.bot]


def _kind(text: str) -> Kind | None:
    marked = read_marked(text)
    return None if marked is None else marked.marker.kind


def _facts(note: Note) -> Mapping[str, str]:
    marked = read_marked(note.body)
    return {} if marked is None else marked.marker.facts


def _placed(position: Position | None, text: str) -> tuple[str, int | None, str]:
    """Path, line (``None`` for the whole file) and visible text; a line that is gone has its old path and number."""
    if position is None:
        return "", None, seen(text)
    path = position.new_path if position.new_line is not None or position.old_path is None else position.old_path
    line = position.new_line if position.new_line is not None else position.old_line
    return path or "", line, seen(text)


def _outputs(path: Path) -> Mapping[str, str]:
    """The outputs under the names that they have on GitHub."""
    if not path.exists():
        return {}
    found = read_dotenv(path.read_bytes())
    return {name.removeprefix("DRAFTGATE_").lower().replace("_", "-"): value for name, value in found.items()}


def _text(path: Path) -> str:
    with contextlib.suppress(FileNotFoundError):
        return path.read_text(encoding="utf-8")
    return ""
