"""How many tokens a text is, about and at most."""

from __future__ import annotations

from draftgate.agents.estimate import PromptTokens, estimate_tokens


def test_an_estimate_is_rather_more_than_less() -> None:
    assert [estimate_tokens(characters) for characters in (0, 1, 7, 8)] == [0, 1, 2, 3]


def test_the_most_of_a_prompt_is_more_than_its_estimate() -> None:
    tokens = PromptTokens()

    assert (tokens.about(7_000), tokens.at_most(7_000)) == (2_000, 3_500)


def test_what_the_provider_counted_takes_the_place_of_what_was_estimated() -> None:
    tokens = PromptTokens()
    tokens.learn(7_000, 1_800)

    assert (tokens.about(7_700), tokens.at_most(7_700)) == (2_000, 2_150)


def test_a_provider_that_does_not_count_teaches_nothing() -> None:
    tokens = PromptTokens()
    tokens.learn(7_000, 1_800)
    tokens.learn(7_700, 0)

    assert tokens.about(7_000) == 1_800
