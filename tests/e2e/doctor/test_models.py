"""What `draftgate doctor` says of models: servers are asked for their lists alone, and no prompt leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.llm.server import FakeModel
from tests.git_builder import Repo
from tests.program import Done, draftgate, program_environment

KEY = "sk-test-0123456789abcdef"
AGENTS = "code_review: {agents: [correctness]}\nmodels: {standard: openai:small, capable: openai:large}\n"


@pytest.fixture
def work(source: Repo, tmp_path: Path) -> Path:
    return source.clone(tmp_path / "work").path


def look(work: Path, *arguments: str, text: str = AGENTS, **variables: str) -> tuple[Done, list[dict[str, object]]]:
    """The rows about models."""
    (work / "draftgate.yml").write_text(text, encoding="utf-8")
    environment = program_environment(**variables)
    done = draftgate("doctor", "--format", "json", *arguments, cwd=work, environment=environment)
    assert done.code != 70, done.stderr
    assert KEY not in done.stdout + done.stderr
    return done, [row for row in done.document["rows"] if row["area"] == "model"]


def test_models_that_a_server_lists(work: Path) -> None:
    with FakeModel([], key=KEY, models=["small", "large", "other"]) as model:
        done, rows = look(work, DRAFTGATE_LLM_API_KEY=KEY, DRAFTGATE_LLM_BASE_URL=model.base_url)

    assert done.code == 0
    assert [row["outcome"] for row in rows] == ["ok", "ok", "ok"]
    assert "correctness, critic" in str(rows[0]["says"])
    assert "costs nothing" in str(rows[1]["says"])
    assert [(request.path, request.payload) for request in model.requests] == [("/v1/models", b"")]
    assert done.document["requests"] == {"forge": 0, "model": 1}


def test_a_model_that_a_server_does_not_list(work: Path) -> None:
    with FakeModel([], key=KEY, models=["small", "larger", "other"]) as model:
        done, rows = look(work, DRAFTGATE_LLM_API_KEY=KEY, DRAFTGATE_LLM_BASE_URL=model.base_url)

    assert done.code == 2
    wrong = [row for row in rows if row["outcome"] == "wrong"]
    assert len(wrong) == 1
    assert "large is not among the 3 models" in str(wrong[0]["says"])
    assert "did you mean larger" in str(wrong[0]["change"])


def test_a_key_that_a_server_does_not_take(work: Path) -> None:
    with FakeModel([], key="sk-another-0123456789", models=["small"]) as model:
        done, rows = look(work, DRAFTGATE_LLM_API_KEY=KEY, DRAFTGATE_LLM_BASE_URL=model.base_url)

    assert (done.code, rows[-1]["exit_code"]) == (3, 3)
    assert "does not take the key" in str(rows[-1]["says"])


def test_a_server_that_has_no_list_may_serve_the_model_all_the_same(work: Path) -> None:
    with FakeModel([], key=KEY) as model:
        done, rows = look(work, DRAFTGATE_LLM_API_KEY=KEY, DRAFTGATE_LLM_BASE_URL=model.base_url)

    assert (done.code, rows[-1]["outcome"]) == (0, "could-not-look")


def test_a_server_that_is_not_there_or_slow(work: Path) -> None:
    gone, _ = look(work, DRAFTGATE_LLM_API_KEY=KEY, DRAFTGATE_LLM_BASE_URL="http://127.0.0.1:9/v1")
    with FakeModel([], key=KEY, models=["small"], latency_s=3) as model:
        slow, rows = look(work, "--timeout", "1", DRAFTGATE_LLM_API_KEY=KEY, DRAFTGATE_LLM_BASE_URL=model.base_url)

    assert (gone.code, slow.code) == (4, 4)
    assert "did not answer within 1 s" in str(rows[-1]["says"])


def test_anthropics_list_is_asked_for_in_its_own_way(work: Path) -> None:
    text = "code_review: {agents: [correctness]}\nmodels: {standard: anthropic:claude-small}\n"
    with FakeModel([], key=KEY, models=["claude-small"]) as model:
        done, rows = look(work, text=text, DRAFTGATE_LLM_API_KEY=KEY, DRAFTGATE_LLM_BASE_URL=model.base_url)

    assert done.code == 0, rows
    assert model.requests[0].path == "/v1/models?limit=1000"
    assert model.requests[0].headers["x-api-key"] == KEY


def test_no_server_is_asked_if_it_is_not_to_be(work: Path) -> None:
    with FakeModel([], key=KEY, models=["small"]) as model:
        done, rows = look(work, "--no-model", DRAFTGATE_LLM_API_KEY=KEY, DRAFTGATE_LLM_BASE_URL=model.base_url)

    assert (done.code, model.requests) == (0, [])
    assert "--no-model" in str(rows[-1]["says"])
    assert rows[-1]["outcome"] == "could-not-look"


def test_without_a_key_the_checks_review_alone_or_the_agents_are_missing_one(work: Path) -> None:
    alone, rows = look(work, text="version: 1\n")
    missing, missing_rows = look(work)

    assert alone.code == 0
    assert rows[0]["says"] == "there is no key: the built-in checks review alone"
    assert missing.code == 3
    assert "there is no key for openai:small" in str([row["says"] for row in missing_rows])


def test_a_key_that_can_be_none(work: Path) -> None:
    done, rows = look(work, DRAFTGATE_LLM_API_KEY="two words of it")

    assert done.code == 3
    assert "two words" not in done.stdout
    assert "DRAFTGATE_LLM_API_KEY" in str(rows[0]["says"])
