"""All places where somebody could see what a review was told, by name, for tests that look for one thing in all.

What must not stand there is each test's affair.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.fakes.github_forgery import stored_session
from tests.fakes.github_run import Ran, Runner
from tests.fakes.llm.server import FakeModel
from tests.program import Done, program_environment

Texts = dict[str, str]

KEY = "sk-test-0123456789abcdef"
"""What the program gives a scripted model; it has the form of a key."""


def asking(model: FakeModel, **more: str) -> dict[str, str]:
    """The environment of a program that asks a scripted model."""
    return program_environment(DRAFTGATE_LLM_API_KEY=KEY, DRAFTGATE_LLM_BASE_URL=model.base_url, **more)


def ask_in_jobs(runner: Runner, model: FakeModel) -> None:
    """Let the jobs of a runner ask a scripted model."""
    runner.variables |= {"INPUT_LLM-API-KEY": KEY, "INPUT_LLM-BASE-URL": model.base_url}


def prompts(model: FakeModel) -> Texts:
    """Every request to a model: its bytes, and what they say."""
    bodies = {f"request {n}": each.payload.decode("utf-8", "replace") for n, each in enumerate(model.requests)}
    said = {f"request {n}, read": _strings(each.body) for n, each in enumerate(model.requests)}
    return bodies | said


def streams(*runs: Done) -> Texts:
    """Both streams of runs in a terminal."""
    return {f"run {n} {name}": getattr(done, name) for n, done in enumerate(runs) for name in ("stdout", "stderr")}


def state_files(repository: Path) -> Texts:
    """Every file in the state folder of a repository, and what is written in it."""
    files = [path for path in (repository / ".draftgate").rglob("*") if path.is_file()]
    texts = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in files}
    return texts | {f"{name}, read": _strings(json.loads(text)) for name, text in texts.items() if text[:1] == "{"}


def jobs(runner: Runner, *runs: Ran) -> Texts:
    """What jobs on GitHub left: logs, summaries, outputs, files, and everything they sent."""
    texts: Texts = {}
    for number, ran in enumerate(runs):
        texts |= {f"job {number} log": ran.log, f"job {number} summary": ran.summary}
        texts |= {f"job {number} outputs": json.dumps(dict(ran.outputs), ensure_ascii=False)}
        texts |= {f"job {number} sent {entry.line}": _strings(entry.body) for entry in ran.writes}
    for path in runner.folder.rglob("*"):
        if path.is_file() and path.name in {"findings.sarif", "report.json"}:
            text = path.read_text(encoding="utf-8")
            texts |= {str(path): text, f"{path}, read": _strings(json.loads(text))}
    return texts


def conversation(runner: Runner) -> Texts:
    """What stands on the pull request by the account of the jobs, the hidden state read out."""
    texts = {f"comment {each.id}": each.body for each in runner.pull.comments if each.author.login == runner.account}
    for review in runner.pull.reviews:
        texts[f"review {review.id} {review.state}"] = review.body
        texts |= {f"review comment {each.id}": each.body for each in review.comments}
    texts |= {
        f"check {run.id}": _strings([run.output, run.external_id]) for run in runner.scenario.repository.check_runs
    }
    if runner.checkpoints:
        texts["hidden state"] = _strings(stored_session(runner))
    return texts


def where(needle: str, *seen: Mapping[str, str]) -> list[str]:
    """The places that hold a text."""
    return [place for texts in seen for place, text in texts.items() if needle in text]


def _strings(value: object) -> str:
    """Every string in a JSON value, one a line, names of fields too."""
    return "\n".join(_walk(value))


def _walk(value: object) -> Iterable[str]:
    match value:
        case str():
            yield value
        case dict():
            for name, inner in value.items():
                yield from (str(name), *_walk(inner))
        case list() | tuple():
            for inner in value:
                yield from _walk(inner)
