"""Every language says everything, with the same values in it, and nothing that acts once it is posted."""

from __future__ import annotations

import dataclasses
import re

import pytest

from draftgate.render import neutralize
from draftgate.render.language import LANGUAGES, Sentences, language_of, sentences

FIELDS = [field.name for field in dataclasses.fields(Sentences)]


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_language_says_everything_with_the_same_values(language: str) -> None:
    for name in FIELDS:
        said, english = getattr(LANGUAGES[language], name), getattr(LANGUAGES["en"], name)

        assert said.strip() == said != ""
        assert re.findall(r"{\w*}", said) == re.findall(r"{\w*}", english)
        assert neutralize.inline(said) == said
        assert language == "en" or said != english


@pytest.mark.parametrize(
    ("written", "meant"), [("de", "de"), ("DE", "de"), ("pt-BR", "pt"), ("zh_Hans", "zh"), ("tlh", None), ("", None)]
)
def test_a_language_is_known_by_its_primary_subtag(written: str, meant: str | None) -> None:
    assert language_of(written) == meant
    assert sentences(written) is LANGUAGES[meant or "en"]
