"""The demo with a model: everything is real but what the model says, and the page shows what became of it."""

from __future__ import annotations

from pathlib import Path

from tests.program import draftgate, program_environment


def test_the_demo_shows_what_becomes_of_what_a_model_says(tmp_path: Path) -> None:
    done = draftgate("demo", "--llm", str(tmp_path / "rooms"), cwd=tmp_path, expect=0)

    assert "correctness, critic ask openai:scripted at 127.0.0.1:" in done.stderr
    assert "found by correctness" in done.stdout
    assert "- unsupported: The password is logged" in done.stdout
    assert "- refuted: Existing teams have no number of seats" in done.stdout
    assert "`rooms/views.py lines 1–5 at head`; `grep send" in done.stdout
    [review] = (tmp_path / "rooms" / ".draftgate").glob("review-*.md")
    assert "Whoever sends the form chooses their own role" in review.read_text(encoding="utf-8")


def test_the_demo_without_a_model_asks_none_whatever_keys_are_there(tmp_path: Path) -> None:
    environment = program_environment(OPENAI_API_KEY="a-key-that-must-not-be-used")

    done = draftgate("demo", str(tmp_path / "rooms"), cwd=tmp_path, environment=environment, expect=0)

    assert " asks " not in done.stderr
    assert "Asked:" not in done.stdout
