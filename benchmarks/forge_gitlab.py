"""What a run costs on the simulated GitLab; `benchmarks.forge` prints it below GitHub's.

One request more for each draft note that is made, changed, published or removed is GitLab's price: it has no call for
several of ours alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.measuring import Bar, Cost, make_source, measure, rows
from tests.fakes.forge_http.log import LogEntry
from tests.fakes.gitlab.scenario import make_scenario
from tests.fakes.gitlab.server import serve
from tests.fakes.gitlab_run import Runner
from tests.git_builder import Repo

FEW, MANY = 5, 20
"""Files, and findings, of a change on which commands are given."""

Scene = Callable[[Runner], Cost]


@dataclass(frozen=True)
class Split:
    """The requests of the last run of a scene, apart from those for single draft notes."""

    reads: int
    writes: int
    notes: int


def measure_reviews(size: int, runs: int, model_url: str) -> list[Bar]:
    """Reviews of so many files."""
    scenes: dict[str, Scene] = {
        "GitLab: review, agent and critic": lambda runner: _review_with_agent(runner, model_url),
        "GitLab: review, built-in checks": _review,
        "GitLab: review, built-in checks, checked out": _review_with_clone,
        "GitLab: the same head again": lambda runner: (_review(runner), _review(runner))[1],
    }
    costs, split = _rows(size, runs, scenes)
    cloned = split["GitLab: review, built-in checks, checked out"]
    again = costs["GitLab: the same head again"]
    return [
        Bar(f"GitLab: reads of a review, {size} files", cloned.reads, 6),
        Bar(f"GitLab: requests beside draft notes, {size} files", cloned.reads + cloned.writes, 10),
        Bar(f"GitLab: writes on the same head again, {size} files", again.writes, 0),
    ]


def measure_commands(runs: int) -> list[Bar]:
    """Submissions, and what is not for us."""
    few: dict[str, Scene] = {
        "GitLab: approval of all, as comment": lambda runner: _command(runner, "/approve-findings all --as comment"),
        "GitLab: approval of 2, as comment": lambda runner: _command(runner, "/approve-findings 1,3 --as comment"),
        "GitLab: all, as approval": lambda runner: _command(runner, "/approve-findings all --as approve"),
        "GitLab: all, changes requested": lambda runner: _command(runner, "/approve-findings all --as request-changes"),
        "GitLab: a comment that is not for us": lambda runner: _command(runner, "Looks fine.", first=False),
    }
    many: dict[str, Scene] = {name: scene for name, scene in few.items() if "approval of all" in name}
    costs, split = _rows(FEW, runs, few)
    _, larger = _rows(MANY, runs, many)
    nothing = costs["GitLab: a comment that is not for us"]
    named = {f"{name}, {FEW}": one for name, one in split.items() if "not for us" not in name}
    named |= {f"{name}, {MANY}": one for name, one in larger.items()}
    return [
        *(Bar(f"reads, {name}", one.reads, 6) for name, one in named.items()),
        *(Bar(f"writes beside draft notes, {name}", one.writes, 8) for name, one in named.items()),
        Bar("GitLab: requests of a comment that is not for us", nothing.requests + nothing.git, 0),
        Bar("GitLab: seconds of a comment that is not for us", nothing.wall_s, 0.5),
    ]


def _rows(size: int, runs: int, scenes: Mapping[str, Scene]) -> tuple[dict[str, Cost], dict[str, Split]]:
    split: dict[str, Split] = {}
    plays = {name: partial(_play, size, name, scene, split) for name, scene in scenes.items()}
    return rows(size, runs, plays), split


def _play(size: int, name: str, scene: Scene, split: dict[str, Split]) -> Cost:
    with tempfile.TemporaryDirectory(prefix="draftgate-benchmark-") as folder:
        root = Path(folder)
        source = make_source(root / "source", size)
        scenario = make_scenario(root, source, branch="change", title="One more argument")
        with serve(scenario.world) as simulator:
            runner = Runner(scenario, simulator, root / "jobs")
            cost = scene(runner)
            api = [entry for entry in simulator.log if ".git/" not in entry.path]
            notes = sum(map(_is_for_one_note, api[len(api) - cost.requests :]))
        split[name] = Split(cost.reads, cost.writes - notes, notes)
        return cost


def _is_for_one_note(entry: LogEntry) -> bool:
    return entry.is_write and "/draft_notes" in entry.path and not entry.path.endswith("bulk_publish")


# --- Scenes --------------------------------------------------------------------------------------


def _review(runner: Runner) -> Cost:
    return _run(runner, runner.change_payload())


def _review_with_agent(runner: Runner, model_url: str) -> Cost:
    return _run(
        runner, runner.change_payload(), DRAFTGATE_LLM_API_KEY="made-up-for-this", DRAFTGATE_LLM_BASE_URL=model_url
    )


def _review_with_clone(runner: Runner) -> Cost:
    workspace = runner.folder / "workspace"
    project, head = runner.merge_request.project, runner.merge_request.version.head
    project.git.clone(workspace)
    Repo(workspace).git("checkout", "--quiet", head)
    return _run(runner, runner.change_payload(), CI_PROJECT_DIR=str(workspace))


def _command(runner: Runner, text: str, *, first: bool = True) -> Cost:
    if first:
        _review(runner)
    return _run(runner, runner.note_payload(runner.say("maintainer", text)))


def _run(runner: Runner, payload: Mapping[str, object], **variables: str) -> Cost:
    """A webhook's pipeline in a process of its own."""
    runner.folder.mkdir(parents=True, exist_ok=True)
    project = runner.merge_request.project
    with tempfile.TemporaryDirectory(dir=runner.folder) as folder:
        place = Path(folder)
        (place / "payload.json").write_text(json.dumps(payload), encoding="utf-8")
        environment = {
            "CI_API_GRAPHQL_URL": runner.simulator.graphql_url,
            "CI_API_V4_URL": runner.simulator.api_url,
            "CI_COMMIT_BRANCH": project.default_branch,
            "CI_COMMIT_SHA": project.git.sha(f"refs/heads/{project.default_branch}"),
            "CI_DEFAULT_BRANCH": project.default_branch,
            "CI_JOB_TOKEN": runner.scenario.tokens["job"],
            "CI_JOB_URL": f"{runner.simulator.url}/{project.full_path}/-/jobs/1",
            "CI_PIPELINE_SOURCE": "trigger",
            "CI_PROJECT_DIR": str(place),
            "CI_PROJECT_ID": str(project.id),
            "CI_PROJECT_PATH": project.full_path,
            "CI_SERVER_URL": runner.simulator.url,
            "DRAFTGATE_GITLAB_TOKEN": runner.scenario.tokens[runner.account],
            "GITLAB_CI": "true",
            "GITLAB_USER_LOGIN": "author",
            "TRIGGER_PAYLOAD": str(place / "payload.json"),
            **variables,
        }
        return measure(runner.simulator.log, (sys.executable, "-m", "draftgate", "run"), environment, place)
