"""List prices: whose they are, and that looking them up costs nothing until it is done."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal

import pytest

from draftgate.llm.base import Usage
from draftgate.llm.prices import price

USAGE = Usage(input=100_000, output=1_000, cached=60_000, written=20_000)


def test_cached_and_written_tokens_have_their_own_prices() -> None:
    assert price("claude-sonnet-4-5", "https://api.anthropic.com", USAGE) == Decimal("0.168")


def test_nothing_costs_nothing() -> None:
    assert price("claude-sonnet-4-5", "https://api.anthropic.com", Usage()) == 0


@pytest.mark.parametrize(
    ("model", "base_url"),
    [
        ("claude-sonnet-4-5", "http://127.0.0.1:8000/v1"),
        ("gpt-5", "https://llm.example.com/v1"),
        ("gpt-5", "https://api.anthropic.com"),
        ("a-model-nobody-knows", "https://api.openai.com/v1"),
        ("", "https://api.openai.com/v1"),
    ],
)
def test_what_is_not_known_has_no_price(model: str, base_url: str) -> None:
    assert price(model, base_url, USAGE) is None


def test_counts_that_do_not_fit_have_no_price() -> None:
    assert price("claude-sonnet-4-5", "https://api.anthropic.com", Usage(input=1, cached=2)) is None


def test_the_prices_are_loaded_when_they_are_wanted() -> None:
    program = "import draftgate.llm.prices, sys; sys.exit('genai_prices' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
