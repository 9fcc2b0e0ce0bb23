"""The agents there are: each is one Markdown file in `prompts`, front matter and what the model is asked.

The rules that hold for all of them are in `rules`, and come before the change in what a model reads; what one agent is
asked comes after it, so that a provider's cache serves them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from draftgate.domain.finding import Category

TIERS = ("standard", "capable", "frontier")
"""The seats of `models` in the configuration, from the cheapest to the best."""

_FENCE = "---\n"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What an agent is.

    Attributes:
        name: The name of its file, and what configuration and commands call it.
        summary: One line of what it looks for.
        tier: The seat of the model that is asked.
        category: Of a finding that names none.
        text: Markdown: what the model is asked, after the change.
    """

    name: str
    summary: str
    tier: str
    category: Category
    text: str


@cache
def load_prompts() -> tuple[Prompt, ...]:
    """Every agent that ships with the program, by name."""
    folder = files("draftgate.agents") / "prompts"
    found = [entry for entry in folder.iterdir() if entry.name.endswith(".md")]
    return tuple(
        parse_prompt(entry.name.removesuffix(".md"), entry.read_text(encoding="utf-8"))
        for entry in sorted(found, key=lambda entry: entry.name)
    )


@cache
def load_rules(name: str) -> str:
    """The rules of a role, ``reviewer`` or ``critic``, as Markdown."""
    return (files("draftgate.agents") / "rules" / f"{name}.md").read_text(encoding="utf-8")


def parse_prompt(name: str, text: str) -> Prompt:
    """Read a prompt file.

    Raises:
        ValueError: it is not front matter with exactly these keys, and text.
    """
    before, front, body = [*text.split(_FENCE, 2), "", ""][:3]
    keys = yaml.safe_load(front) if not before else None
    if not isinstance(keys, dict) or set(keys) != {"summary", "tier", "category"} or not body.strip():
        raise ValueError(f"{name} needs front matter with summary, tier and category, and a text")
    if keys["tier"] not in TIERS:
        raise ValueError(f"{name}: there is no tier {keys['tier']!r}")
    return Prompt(name, str(keys["summary"]), keys["tier"], Category(keys["category"]), body.strip())
