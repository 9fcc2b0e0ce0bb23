"""Agents that ask a model, from the command line: what they find is held to the code, and one that fails is said.

A failed agent is never a clean review: the round stops, shows nothing, and goes on when a person says how.
"""

from __future__ import annotations

import json
import shutil
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from draftgate.agents.prompt import load_prompts
from draftgate.llm.base import Stop
from tests.fakes.llm.reviewing import a_finding, agent_answers, calls, cast, critic_answers, who_is_asked
from tests.fakes.llm.script import Asked, Call, Cut, Drip, Fault, Hang, NotJson, Raw, Reply, Step
from tests.fakes.llm.seen import asking
from tests.fakes.llm.server import FakeModel
from tests.git_builder import Repo
from tests.program import Done, draftgate, finish, program_environment, start

BEFORE = "def first(rooms):\n    return rooms\n\n\ndef last(rooms):\n    return rooms\n"
AFTER = "def first(rooms):\n    return rooms[0]\n\n\ndef last(rooms):\n    return rooms[-1]\n"
FOUND = a_finding("rooms.py", 2, "    return rooms[0]", "An empty list raises")
FOUND_TOO = a_finding("rooms.py", 6, "    return rooms[-1]", "Nothing is last of nothing")
FINE = agent_answers()

WIRES = {"chat": "openai:small", "responses": "openai-responses:small", "messages": "anthropic:small"}
TWO = "code_review:\n  agents: [correctness, security]\n"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.create(tmp_path_factory.mktemp("template") / "rooms")
    repo.commit({"rooms.py": BEFORE}, "Rooms")
    repo.branch("work")
    repo.commit({"rooms.py": AFTER}, "First and last")
    return repo


@pytest.fixture
def repo(template: Repo, tmp_path: Path) -> Repo:
    """A change of two lines, of which no built-in check has anything to say."""
    shutil.copytree(template.path, tmp_path / "rooms", symlinks=True)
    return Repo(tmp_path / "rooms", template.commits)


def review(repo: Repo, model: FakeModel, *arguments: str, expect: int = 0, **variables: str) -> Done:
    return draftgate("review", *arguments, cwd=repo.path, environment=asking(model, **variables), expect=expect)


def status(repo: Repo) -> dict[str, Any]:
    return draftgate("status", "--format", "json", cwd=repo.path, expect=0).document


Failed = dict[str, tuple[str, int]]
"""By case: why the agent failed, and how often it was asked."""


def fail_each(template: Repo, folder: Path, cases: dict[str, Step | str]) -> Failed:
    """Let an agent fail in each way, as many as there are at once; nothing of any such review is shown."""
    failed: Failed = {}
    names = [prompt.name for prompt in load_prompts()]
    for number, chunk in enumerate(_batched(cases, len(names))):
        shutil.copytree(template.path, folder / str(number), symlinks=True)
        repo = Repo(folder / str(number))
        roles = dict(zip(names, chunk, strict=False))
        with FakeModel(lambda asked, roles=roles: cases[roles[who_is_asked(asked)]]) as model:
            done = review(repo, model, "--agents", ",".join(roles), expect=6)
            host = model.host
        assert (done.stdout, phase(repo)) == ("", "agents-failed")
        assert "/retry-agent" in done.stderr
        [state] = (repo.path / ".draftgate").glob("session-*")
        outcomes = json.loads(state.read_text())["content"]["kept"]["outcomes"]
        asked = Counter(who_is_asked(each.asked) for each in model.requests if each.asked)
        for run in (outcome["run"] for outcome in outcomes):
            assert f"{run['name']} failed: {run['failure']}" in done.stderr
            failed[roles[run["name"]]] = (run["failure"].replace(host, "HOST"), asked[run["name"]])
    return failed


def _batched(values: Iterable[str], count: int) -> Iterator[tuple[str, ...]]:
    rest = iter(values)
    while batch := tuple(islice(rest, count)):
        yield batch


def phase(repo: Repo) -> str:
    """As it is stored, which is quicker than to ask for it."""
    [state] = (repo.path / ".draftgate").glob("session-*")
    return str(json.loads(state.read_text())["content"]["phase"])


def asked_by(model: FakeModel) -> list[str]:
    """Who was asked, in order, each once."""
    return list(dict.fromkeys(who_is_asked(each.asked) for each in model.requests if each.asked))


# --- Answers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_found_is_held_to_the_code_and_to_the_critic(wire: str, repo: Repo) -> None:
    """Over every wire: a tool is called, the first answer is broken, and the second one is read with care."""

    def find(asked: Asked) -> Step:
        if asked.number == 1:
            return calls(("read_file", {"path": "rooms.py", "start_line": 1, "end_line": 6, "commit": "head"}))
        if asked.number == 2:
            return agent_answers({"path": 7})
        return agent_answers(
            a_finding("rooms.py", 5, "    return rooms[0]", "A wrong line"),
            a_finding("rooms.py", 6, "    return rooms[-1]", "One that the critic refutes"),
            a_finding("rooms.py", 1, "def first(rooms):", "One that the critic doubts"),
            a_finding("rooms.py", 2, "    return rooms[1]", "A line that is not there"),
            a_finding("room.py", 2, "    return rooms[0]", "A file that is not there"),
        )

    judged = critic_answers("confirmed", "refuted", "uncertain")
    with FakeModel(cast(find, judged)) as model:
        done = review(repo, model, "--format", "json", DRAFTGATE_MODELS__STANDARD=WIRES[wire])

    assert model.violations == []
    assert {each.asked.wire for each in model.requests if each.asked} == {wire}
    [finding] = done.document["findings"]
    assert (finding["subject"], finding["anchor"]["line"], finding["evidence"]["lines"]) == (
        *("A wrong line", 2),
        ["    return rooms[0]"],
    )
    assert (finding["source"], finding["check"], finding["caught_by"]) == (["correctness"], None, "review/1/standard")
    assert sorted((each["reason"], each["subject"]) for each in done.document["dropped"]) == [
        ("below min_confidence", "One that the critic doubts"),
        ("refuted", "One that the critic refutes"),
        ("unsupported", "A file that is not there"),
        ("unsupported", "A line that is not there"),
    ]
    assert done.document["usage"]["requests"]["llm"] == 4


def test_a_clean_answer_is_a_clean_review(repo: Repo) -> None:
    with FakeModel(cast(FINE)) as model:
        done = review(repo, model, "--format", "json")

    assert (done.document["findings"], done.document["dropped"]) == ([], [])
    assert asked_by(model) == ["correctness"]  # the critic has nothing to judge
    assert phase(repo) == "awaiting-approval"


def test_an_answer_in_a_fence_is_read(repo: Repo) -> None:
    said = 'Here it is:\n```json\n{"findings": [{"path": "rooms.py", "line": 2, "label": "issue", "confidence": "90%",'
    said += ' "title": "An empty list raises", "evidence": "    return rooms[0]", }]}\n```\nThat is all.'

    with FakeModel(cast(said)) as model:
        done = review(repo, model, "--format", "json")

    assert [each["subject"] for each in done.document["findings"]] == ["An empty list raises"]


UNUSABLE: dict[str, Step | str] = {
    "prose": "Looks good to me, nothing to report.",
    "empty": "",
    "no-arguments": Reply(calls=(Call("report_findings", ""),)),
    "an-empty-object": Reply(calls=(Call("report_findings", {}),)),
    "a-list-of-nothing-readable": agent_answers({"verdict": "approve"}),
    "cut-off": Reply('{"findings": []}', stop=Stop.LENGTH),
    "cut-off-json": Reply(calls=(Call("report_findings", '{"findings": ['),)),
    "refused": Reply(refusal="I cannot help with that."),
    "refused-by-a-filter": Reply(stop=Stop.REFUSED),
    "said-twice": Reply(calls=(Call("report_findings", {"findings": []}),) * 2),
    "not-a-list": Reply(calls=(Call("report_findings", {"findings": "none"}),)),
}


@pytest.fixture(scope="module")
def unusable(template: Repo, tmp_path_factory: pytest.TempPathFactory) -> Failed:
    return fail_each(template, tmp_path_factory.mktemp("unusable"), UNUSABLE)


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_answer_that_cannot_be_used_is_asked_for_once_more_and_then_failed(name: str, unusable: Failed) -> None:
    reason, requests = unusable[name]

    assert reason.startswith("no usable answer, asked twice: ")
    assert requests == 2


def test_a_usable_second_answer_is_a_review(repo: Repo) -> None:
    """Each agent begins with another answer that cannot be used."""
    roles = dict(zip((prompt.name for prompt in load_prompts()), list(UNUSABLE.values())[:6], strict=True))

    def answer(asked: Asked) -> Step | str:
        return roles[who_is_asked(asked)] if asked.number == 1 else agent_answers(FOUND)

    with FakeModel(cast(answer)) as model:
        done = review(repo, model, "--agents", ",".join(roles), "--format", "json")

    assert model.violations == []
    [finding] = done.document["findings"]
    assert sorted(finding["source"]) == sorted(roles)


def test_a_critic_that_says_nothing_usable_fails_the_round(repo: Repo) -> None:
    elsewhere = critic_answers({"number": 9, "verdict": "refuted"})
    with FakeModel(cast(agent_answers(FOUND), elsewhere)) as model:
        done = review(repo, model, expect=6)

        assert done.stdout == ""
        assert "critic failed" in done.stderr
        without = draftgate("do", "/proceed-without critic", cwd=repo.path, environment=asking(model), expect=0)

    assert "An empty list raises" in without.stdout
    assert "critic failed, and a person chose to go on without it" in " ".join(without.stdout.split())


def test_a_verdict_is_never_taken_from_a_model(repo: Repo) -> None:
    with FakeModel(
        cast(agent_answers(FOUND, verdict="approve", event="APPROVE"), critic_answers("confirmed"))
    ) as model:
        review(repo, model)
        done = draftgate("approve", cwd=repo.path, environment=asking(model), expect=0)

    assert done.stdout.startswith("Submitted as comment")


# --- After a failure -------------------------------------------------------------------------------------------------


def _fail_security(asked: Asked) -> Step | str:
    return "" if who_is_asked(asked) == "security" else agent_answers(FOUND)


@pytest.fixture(scope="module")
def model() -> Iterator[FakeModel]:
    """One server for all rounds that failed: who is asked where is a part of what was asked."""
    with FakeModel(cast(_fail_security)) as model:
        yield model


@pytest.fixture(scope="module")
def failed_template(template: Repo, model: FakeModel, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    folder = tmp_path_factory.mktemp("failed") / "rooms"
    shutil.copytree(template.path, folder, symlinks=True)
    repo = Repo(folder, template.commits)
    repo.write({"draftgate.yml": TWO})
    done = review(repo, model, expect=6)
    assert "security failed" in done.stderr
    assert "correctness failed" not in done.stderr
    return repo


@pytest.fixture
def failed(failed_template: Repo, model: FakeModel, tmp_path: Path) -> Repo:
    """Two agents were asked, and one of them failed."""
    shutil.copytree(failed_template.path, tmp_path / "failed", symlinks=True)
    model.requests.clear()
    return Repo(tmp_path / "failed", failed_template.commits)


def test_nothing_is_shown_while_an_agent_has_failed(failed: Repo) -> None:
    told = status(failed)
    preview = draftgate("do", "/preview-findings", cwd=failed.path)
    approved = draftgate("approve", cwd=failed.path)
    [page] = [path.read_text() for path in (failed.path / ".draftgate").glob("checkpoint-*.md")]

    assert (told["phase"], told["findings"]) == ("agents-failed", [])
    assert (preview.code, approved.code) == (2, 2)
    assert [text for text in (preview.stdout, preview.stderr, approved.stdout, page) if "An empty list" in text] == []
    assert "security failed" in page
    assert "What correctness found is kept" in page
    assert list((failed.path / ".draftgate").glob("draft-*")) == []


@pytest.mark.parametrize("command", ["/retry-agent", "/draftgate retry security"])
def test_a_retry_asks_only_what_failed(command: str, failed: Repo, model: FakeModel) -> None:
    model.script = cast(agent_answers(FOUND_TOO))

    done = draftgate("do", command, cwd=failed.path, environment=asking(model), expect=0)

    assert asked_by(model) == ["security", "critic"]
    assert phase(failed) == "awaiting-approval"
    assert "An empty list raises" in done.stdout
    assert "Nothing is last of nothing" in done.stdout


def test_a_review_is_a_retry_too(failed: Repo, model: FakeModel) -> None:
    model.script = cast(FINE)

    done = review(failed, model, "--format", "json")

    assert asked_by(model) == ["security", "critic"]
    assert [each["subject"] for each in done.document["findings"]] == ["An empty list raises"]
    assert done.document["round"] == 1


def test_a_retry_that_fails_again_stays_failed(failed: Repo, model: FakeModel) -> None:
    model.script = cast("")

    done = draftgate("do", "/retry-agent", cwd=failed.path, environment=asking(model), expect=6)

    assert asked_by(model) == ["security"]
    assert "security failed" in done.stderr
    assert phase(failed) == "agents-failed"


def test_one_goes_on_without_what_failed(failed: Repo, model: FakeModel) -> None:
    model.script = cast(FINE)

    done = draftgate("do", "/proceed-without security", cwd=failed.path, environment=asking(model), expect=0)

    assert asked_by(model) == ["critic"]
    assert "An empty list raises" in done.stdout
    assert "limited: security failed, and a person chose to go on without it" in " ".join(done.stdout.split())
    assert "Asked: correctness, critic, security; " in done.stdout


@pytest.mark.parametrize("command", ["/proceed-without correctness", "/retry-agent nobody"])
def test_what_did_not_fail_is_refused_by_name(command: str, failed: Repo, model: FakeModel) -> None:
    done = draftgate("do", command, cwd=failed.path, environment=asking(model), expect=2)

    assert model.requests == []
    assert "did not fail" in done.stderr
    assert "security" in done.stderr


def test_an_aborted_round_is_over_and_the_next_one_asks_everybody(failed: Repo, model: FakeModel) -> None:
    draftgate("do", "/draftgate abort", cwd=failed.path, expect=0)
    assert phase(failed) == "aborted"
    model.script = cast(agent_answers(FOUND))

    review(failed, model)

    assert sorted(asked_by(model)) == ["correctness", "critic", "security"]


def test_a_new_head_is_asked_about_anew(failed: Repo, model: FakeModel) -> None:
    failed.write({"rooms.py": f"{AFTER}\n\n"})
    failed.git("commit", "--quiet", "--all", "-m", "Again")
    model.script = cast(FINE)

    review(failed, model)

    assert sorted(asked_by(model)) == ["correctness", "security"]


# --- Servers ---------------------------------------------------------------------------------------------------------


def test_a_server_that_comes_round_is_waited_for(repo: Repo) -> None:
    """429 with a time, 500, and a connection that is cut are tried again."""
    troubles = {1: Fault(429, headers={"retry-after": "0"}), 2: Fault(500)}

    def answer(asked: Asked) -> Step:
        return troubles.get(asked.attempt, agent_answers(FOUND))

    with FakeModel(cast(answer)) as model:
        done = review(repo, model, "--format", "json")

    assert len(done.document["findings"]) == 1
    assert [each.asked.attempt for each in model.requests if each.asked][:3] == [1, 2, 3]


def test_a_slow_answer_is_read_to_its_end(repo: Repo) -> None:
    with FakeModel(cast(Drip(4_000, agent_answers(FOUND), all_of_it=True))) as model:
        done = review(repo, model, "--format", "json")

    assert len(done.document["findings"]) == 1


DOWN: dict[str, tuple[Step, str]] = {
    "patience": (Fault(429, headers={"retry-after": "3600"}), "and asks to wait 3600 s, until "),
    "overloaded": (Fault(529, headers={"retry-after": "0"}, message="Overloaded"), "it answered 529: Overloaded"),
    "broken": (Fault(500, headers={"retry-after": "0"}), "it answered 500: scripted; 3 requests were sent"),
    "cut": (Cut(FINE), "or the connection was cut"),
    "silent": (Hang(0.1), "or the connection was cut"),
    "a-page": (NotJson(), "it sent no JSON object for an answer"),
    "another-api": (Raw({"hello": "world"}), "with no message in it"),
    "refused-key": (Fault(401, message="Incorrect API key"), "it does not take the key (401: Incorrect API key)"),
    "no-such-model": (Fault(404, message="no such model"), "it declines the request (404: no such model)"),
    "moved": (Fault(307, headers={"location": "https://evil.example/"}), "redirect (307), which is not followed"),
}


@pytest.fixture(scope="module")
def down(template: Repo, tmp_path_factory: pytest.TempPathFactory) -> Failed:
    return fail_each(template, tmp_path_factory.mktemp("down"), {name: step for name, (step, _) in DOWN.items()})


@pytest.mark.parametrize("name", DOWN)
def test_a_server_that_gives_no_answer_fails_the_agent_by_its_host(name: str, down: Failed) -> None:
    reason, _ = down[name]

    assert reason.startswith("HOST: ")
    assert DOWN[name][1] in reason


def test_a_server_that_is_not_there_is_named(repo: Repo) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{taken.getsockname()[1]}"
        environment = program_environment(DRAFTGATE_LLM_API_KEY="sk-x", DRAFTGATE_LLM_BASE_URL=f"http://{host}/v1")
        done = draftgate("review", cwd=repo.path, environment=environment, expect=6)

    assert f"correctness failed: {host}: it could not be reached" in done.stderr
    assert (done.stdout, phase(repo)) == ("", "agents-failed")


def test_usage_that_no_server_could_mean_breaks_nothing(repo: Repo) -> None:
    usage = {"prompt_tokens": 10**30, "completion_tokens": -5, "total_tokens": "many", "prompt_tokens_details": []}
    call = {"id": "1", "type": "function", "function": {"name": "report_findings", "arguments": '{"findings": []}'}}
    choice = {"message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "tool_calls"}

    with FakeModel(cast(Raw({"choices": [choice], "usage": usage, "model": "m" * 100_000}))) as model:
        done = review(repo, model)

    assert "1 request" in done.stdout
    assert "m" * 1_000 not in "".join(path.read_text() for path in (repo.path / ".draftgate").glob("*.json"))
    assert phase(repo) == "awaiting-approval"


# --- Stopped ---------------------------------------------------------------------------------------------------------


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("slow", [Hang(60), Drip(2, FINE, all_of_it=True)], ids=["silent", "drips"])
def test_an_interrupt_ends_a_review_that_waits_for_a_model(slow: Step, repo: Repo) -> None:
    with FakeModel(cast(slow)) as model:
        process = start("review", cwd=repo.path, environment=asking(model))
        _until(lambda: bool(model.requests))
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        done = finish(process)
        took_s = time.monotonic() - begun

    assert done.code == 130
    assert took_s < 3
    assert "interrupted; the same command goes on from here" in done.stderr
    assert done.stdout == ""


def test_a_killed_review_is_simply_run_again(repo: Repo) -> None:
    with FakeModel(cast(Hang(60))) as model:
        process = start("review", cwd=repo.path, environment=asking(model))
        _until(lambda: bool(model.requests))
        process.kill()
        finish(process)
        told = phase(repo)
        model.script = cast(agent_answers(FOUND))
        done = review(repo, model, "--format", "json")

    assert told == "running-agents"
    assert done.document["round"] == 1
    assert len(done.document["findings"]) == 1


# --- Who is asked ----------------------------------------------------------------------------------------------------


def test_the_built_in_checks_alone_ask_nobody(repo: Repo) -> None:
    with FakeModel(cast(FINE)) as model:
        done = review(repo, model, "--agents", "builtin", "--format", "json")

    assert model.requests == []
    assert done.stderr == ""
    assert done.document["usage"] == {
        "requests": {"forge": 0, "llm": 0},
        "tokens": {"input": 0, "output": 0},
        "usd": 0.0,
    }


def test_without_a_key_and_without_agents_nobody_is_asked_and_a_base_url_is_not_passed_over(repo: Repo) -> None:
    with FakeModel(cast(FINE)) as model:
        environment = program_environment(DRAFTGATE_LLM_BASE_URL=model.base_url)
        done = draftgate("review", cwd=repo.path, environment=environment, expect=0)

    assert model.requests == []
    assert done.stderr == ""
    assert "No model was asked: there is a base URL for one, and neither a key nor `models.standard`" in " ".join(
        done.stdout.split()
    )


def test_without_a_key_an_address_and_agents_nothing_is_said_of_models(repo: Repo) -> None:
    done = draftgate("review", cwd=repo.path, expect=0)

    assert done.stderr == ""
    assert "model" not in done.stdout


def test_agents_without_a_key_are_refused_with_what_to_write(repo: Repo) -> None:
    repo.write({"draftgate.yml": TWO})

    done = draftgate("review", cwd=repo.path, expect=3)

    assert "environment" in done.stderr
    assert "models.standard" in done.stderr
    assert "there is no key for openai:" in done.stderr
    assert "DRAFTGATE_LLM_API_KEY" in done.stderr
    assert "`agents: [builtin]`" in done.stderr
    assert not (repo.path / ".draftgate").exists()


def test_a_missing_key_leaves_the_round_that_waits(repo: Repo) -> None:
    repo.write({"draftgate.yml": TWO})
    with FakeModel(cast(agent_answers(FOUND))) as model:
        review(repo, model)

    draftgate("review", "--force", cwd=repo.path, expect=3)
    approved = draftgate("approve", cwd=repo.path, expect=0)

    assert approved.stdout.startswith("Submitted as comment")


def test_agents_are_named_on_the_command_line(repo: Repo) -> None:
    with FakeModel(cast(agent_answers(FOUND))) as model:
        done = review(repo, model, "--agents", "security, tests", "--format", "json")

    assert sorted(asked_by(model)) == ["critic", "security", "tests"]
    [finding] = done.document["findings"]
    assert sorted(finding["source"]) == ["security", "tests"]


@pytest.mark.parametrize("names", ["nobody", "correctness,correctness"])
def test_agents_that_do_not_exist_are_refused(names: str, repo: Repo) -> None:
    with FakeModel(cast(FINE)) as model:
        done = review(repo, model, "--agents", names, expect=2)

    assert model.requests == []
    assert "agents" in done.stderr


def test_whom_it_asks_is_said_before_and_what_it_took_after(repo: Repo) -> None:
    with FakeModel(cast(agent_answers(FOUND))) as model:
        done = review(repo, model)
        document = review(repo, model, "--format", "json").document

    assert f"correctness asks openai:gpt-6.1-terra at {model.host}" in done.stderr
    assert "2 requests" in done.stdout
    assert "cost unknown" in done.stdout
    assert document["usage"]["requests"]["llm"] == 2
    assert document["usage"]["tokens"]["input"] > 500
    assert document["usage"]["tokens"]["output"] > 10
    assert document["usage"]["usd"] is None


def test_the_same_head_is_not_asked_about_again(repo: Repo) -> None:
    with FakeModel(cast(agent_answers(FOUND))) as model:
        review(repo, model)
        before = len(model.requests)
        review(repo, model)

    assert before == 2
    assert len(model.requests) == before


def test_a_file_that_is_too_long_for_an_agent_is_named(repo: Repo) -> None:
    repo.write({"long.txt": "".join(f"line {number}\n" for number in range(30_000))})
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "-m", "Long")

    with FakeModel(cast(FINE)) as model:
        done = review(repo, model, "--format", "json")

    [left_out] = done.document["coverage"]["left_out"]
    assert left_out["path"] == "long.txt"
    assert "too long for an agent" in left_out["reason"]
    assert (
        "- long.txt: added; not shown: its diff is longer than the room that is left"
        in model.requests[0].body["messages"][1]["content"]
    )
