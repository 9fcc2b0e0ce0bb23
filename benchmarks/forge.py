"""Draftgate beside PR-Agent on the same simulated GitHub and the same pull request, and what else a run costs there.

    python -m benchmarks.forge [--runs 3] [--forge github|gitlab] [--pr-agent-python PYTHON]

After that the same of Draftgate on the simulated GitLab.

Every row is a real process of the installed program: wall time (the least of the runs), peak memory of the largest
single process, and requests as the simulator counted them, git's own apart. With ``--pr-agent-python`` (3.12 or newer)
PR-Agent is installed from PyPI into ``.venv-pr-agent``, once. Both are given a model that answers at once: Draftgate's
agent reports a finding in every file and its critic confirms them, beside what the built-in checks find. It clones for
itself where nothing else is said. The bars are printed with what was missed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks import forge_gitlab
from benchmarks.measuring import Bar, Cost, make_source, measure, rows
from tests.fakes.github import comments
from tests.fakes.github.scenario import ACTIONS, make_scenario
from tests.fakes.github.server import serve
from tests.fakes.github_run import Runner
from tests.fakes.llm.reviewing import a_finding, agent_answers, calls, cast
from tests.fakes.llm.script import Asked, Step
from tests.fakes.llm.server import FakeModel
from tests.git_builder import Repo

ROOT = Path(__file__).parents[1]
PR_AGENT = "pr-agent[github]==0.49.0"
PR_AGENT_HOME = ROOT / ".venv-pr-agent"
SIZES = (3, 20)

MODEL_ANSWER = """```yaml
review:
  estimated_effort_to_review_[1-5]: 2
  relevant_tests: |
    No
  key_issues_to_review:
    - relevant_file: |
        app/module_0.py
      issue_header: |
        A caller was left behind
      issue_content: |
        `work` takes one more argument.
      start_line: 1
      end_line: 1
  security_concerns: |
    No
```"""


@dataclass(frozen=True)
class Models:
    """Base URLs of models that answer at once, each in the words of whoever asks."""

    ours: str
    theirs: str


Scene = Callable[[Runner], Cost]
"""What is done on a new simulator; returns the cost of the process that the row is about."""


def main() -> int:
    """Print one row per figure, then the bars; 1 if one was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--forge", choices=("github", "gitlab"))
    parser.add_argument("--pr-agent-python", type=Path)
    options = parser.parse_args()
    print(f"{'figure':56} {'wall s':>7} {'cpu s':>7} {'peak MB':>8} {'reads':>6} {'writes':>7} {'git':>4}")
    bars: list[Bar] = []
    with _model() as model_url, FakeModel(cast(_agent)) as model:
        if options.forge != "gitlab":
            models = Models(model.base_url, model_url)
            for size in SIZES:
                bars += _measure_reviews(size, options.runs, options.pr_agent_python, models)
            bars += _measure_commands(options.runs) + _measure_nothing(options.runs)
        if options.forge != "github":
            for size in SIZES:
                bars += forge_gitlab.measure_reviews(size, options.runs, model.base_url)
            bars += forge_gitlab.measure_commands(options.runs)
    print(f"\n{'bar':70} {'is':>8} {'at most':>8}")
    for bar in bars:
        print(f"{bar.name:70} {bar.figure:8.2f} {bar.most:8.2f}{'' if bar.is_held else '  MISSED'}")
    return 0 if all(bar.is_held for bar in bars) else 1


# --- What is measured ----------------------------------------------------------------------------


def _measure_reviews(size: int, runs: int, python: Path | None, models: Models) -> list[Bar]:
    scenes: dict[str, Scene] = {
        "review, agent and critic": lambda runner: _review_with_agent(runner, models.ours),
        "review, built-in checks": _review,
        "review, built-in checks, checked out": _review_with_clone,
    }
    if python is not None:
        program = _install_pr_agent(python)
        scenes["review by PR-Agent"] = lambda runner: _ask_pr_agent(runner, program, models.theirs)
    costs = _rows(size, runs, scenes)
    ours, theirs = costs["review, agent and critic"], costs.get("review by PR-Agent")
    cloned = costs["review, built-in checks, checked out"]
    bars = [
        Bar(f"reads of a review, {size} files, checked out", cloned.reads, 6),
        Bar(f"requests of a review, {size} files, checked out", cloned.requests, 10),
    ]
    if theirs is None:
        return bars
    return [
        *bars,
        Bar(f"wall time of PR-Agent's, {size} files", ours.wall_s / theirs.wall_s, 1 / 4),
        Bar(f"peak memory of PR-Agent's, {size} files", ours.peak_mb / theirs.peak_mb, 1 / 2),
        Bar(f"requests of PR-Agent's, {size} files", ours.requests / theirs.requests, 1 / 3),
    ]


def _measure_commands(runs: int) -> list[Bar]:
    scenes: dict[str, Scene] = {
        "approval of all": lambda runner: _command(runner, "/approve-findings all"),
        "approval of two": lambda runner: _command(runner, "/approve-findings 1,3"),
        "the same head again": lambda runner: (_review(runner), _review(runner))[1],
    }
    costs = _rows(SIZES[-1], runs, scenes)
    approvals = {name: cost for name, cost in costs.items() if name.startswith("approval")}
    return [
        *(Bar(f"reads of an {name}", cost.reads, 6) for name, cost in approvals.items()),
        *(Bar(f"writes of an {name}", cost.writes, 8) for name, cost in approvals.items()),
        Bar("writes on the same head again", costs["the same head again"].writes, 0),
    ]


def _measure_nothing(runs: int) -> list[Bar]:
    scenes: dict[str, Scene] = {
        "a comment that is not for us": lambda runner: _command(runner, "Looks fine.", first=False),
        "an event that is not for us": lambda runner: _run(runner, "push", {}),
    }
    costs = _rows(SIZES[0], runs, scenes)
    return [
        *(Bar(f"requests of {name}", cost.requests + cost.git, 0) for name, cost in costs.items()),
        *(Bar(f"seconds of {name}", cost.wall_s, 0.5) for name, cost in costs.items()),
    ]


def _rows(size: int, runs: int, scenes: Mapping[str, Scene]) -> dict[str, Cost]:
    return rows(size, runs, {name: partial(_play, size, scene) for name, scene in scenes.items()})


def _play(size: int, scene: Scene) -> Cost:
    with tempfile.TemporaryDirectory(prefix="draftgate-benchmark-") as folder:
        root = Path(folder)
        scenario = make_scenario(root, make_source(root / "source", size), branch="change", title="One more argument")
        with serve(scenario.world) as simulator:
            return scene(Runner(scenario, simulator, root / "jobs", account=ACTIONS))


# --- Draftgate -----------------------------------------------------------------------------------


def _review(runner: Runner) -> Cost:
    return _run(runner, "pull_request", runner.pull_payload("opened"))


def _review_with_agent(runner: Runner, model_url: str) -> Cost:
    variables = {"INPUT_LLM-API-KEY": "made-up-for-this", "INPUT_LLM-BASE-URL": model_url}
    return _run(runner, "pull_request", runner.pull_payload("opened"), **variables)


def _agent(asked: Asked) -> Step | str:
    """A finding in the changed line of every file of the change, after a look at one of them."""
    if asked.number == 1:
        reads = {"path": "app/module_0.py", "start_line": None, "end_line": None, "commit": "head"}
        return calls(("read_file", reads))
    paths = sorted(set(re.findall(r"^### (app/module_\d+\.py) ", asked.text, re.MULTILINE)))
    return agent_answers(*(a_finding(path, 61, "def work(a, b, extra):", f"{path} takes more") for path in paths))


def _review_with_clone(runner: Runner) -> Cost:
    workspace = runner.folder / "workspace"
    repository = runner.scenario.repository
    repository.git.clone(workspace)
    Repo(workspace).git("checkout", "--quiet", runner.scenario.world.head_sha(runner.pull))
    return _run(runner, "pull_request", runner.pull_payload("opened"), GITHUB_WORKSPACE=str(workspace))


def _command(runner: Runner, text: str, *, first: bool = True) -> Cost:
    if first:
        _review(runner)
    written = comments.create(runner.scenario.world, runner.scenario.caller("maintainer"), runner.pull, text)
    return _run(runner, "issue_comment", runner.comment_payload(written))


def _run(runner: Runner, event: str, payload: Mapping[str, object], **variables: str) -> Cost:
    runner.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=runner.folder) as folder:
        place = Path(folder)
        (place / "event.json").write_text(json.dumps(payload), encoding="utf-8")
        environment = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTOR": "author",
            "GITHUB_API_URL": runner.simulator.url,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(place / "event.json"),
            "GITHUB_GRAPHQL_URL": runner.simulator.graphql_url,
            "GITHUB_OUTPUT": str(place / "output"),
            "GITHUB_REPOSITORY": runner.scenario.repository.full_name,
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": "1",
            "GITHUB_SERVER_URL": runner.simulator.git_url,
            "GITHUB_STEP_SUMMARY": str(place / "summary.md"),
            "GITHUB_TRIGGERING_ACTOR": "author",
            "GITHUB_WORKSPACE": str(place),
            "INPUT_GITHUB-TOKEN": runner.scenario.tokens[runner.account],
            "RUNNER_TEMP": str(place),
            **variables,
        }
        return measure(runner.simulator.log, (sys.executable, "-m", "draftgate", "run"), environment, place)


# --- PR-Agent ------------------------------------------------------------------------------------


def _install_pr_agent(python: Path) -> Path:
    program = PR_AGENT_HOME / "bin" / "pr-agent"
    if not program.exists():
        subprocess.run([python, "-m", "venv", "--clear", PR_AGENT_HOME], check=True)
        subprocess.run([PR_AGENT_HOME / "bin" / "pip", "install", "--quiet", PR_AGENT], check=True)
    return program


def _ask_pr_agent(runner: Runner, program: Path, model_url: str) -> Cost:
    tokens = next(PR_AGENT_HOME.glob("lib/python3*/site-packages/litellm/litellm_core_utils/tokenizers"))
    # PyGithub wants the host of its address in every answer, and litellm would download both of its tables.
    web = runner.simulator.web.replace("127.0.0.1", "localhost")
    environment = {
        "CONFIG__GIT_PROVIDER": "github",
        "GITHUB__BASE_URL": f"{web}/api/v3",
        "GITHUB__USER_TOKEN": runner.scenario.tokens[runner.account],
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "OPENAI__API_BASE": model_url,
        "OPENAI__KEY": "made-up",
        "TIKTOKEN_CACHE_DIR": str(tokens),
    }
    runner.folder.mkdir(parents=True, exist_ok=True)
    url = f"{web}/{runner.scenario.repository.full_name}/pull/{runner.pull.number}"
    cost = measure(runner.simulator.log, (str(program), f"--pr_url={url}", "review"), environment, runner.folder)
    if not any("PR Reviewer Guide" in comment.body for comment in runner.pull.comments):
        sys.exit("PR-Agent posted no review")
    return cost


@contextmanager
def _model() -> Iterator[str]:
    """A model server that answers every question with the same review, at once."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _ModelHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/v1"
        server.shutdown()


class _ModelHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": MODEL_ANSWER}
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing."""


if __name__ == "__main__":
    sys.exit(main())
