"""What the critic said of each claim; what it did not say, or said in two ways, is uncertain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from draftgate.agents.answers.claim import UnusableAnswer
from draftgate.agents.answers.fields import one_line, read_confidence, read_line, read_text
from draftgate.agents.answers.json_text import read_items

LONGEST_REASON = 500


class Ruling(StrEnum):
    """What the critic makes of a claim."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A ruling with its reason; ``confidence`` is ``None`` where the critic leaves it as it is."""

    ruling: Ruling
    confidence: int | None
    reason: str


Verdicts: TypeAlias = tuple[Judgement, ...]
"""One for each claim, in the order of the claims."""

_NOT_SAID = Judgement(Ruling.UNCERTAIN, None, "the critic did not say")
_TWO_WAYS = Judgement(Ruling.UNCERTAIN, None, "the critic said different things")


def read_verdicts(text: str, count: int) -> Verdicts:
    """The judgements of claims that were numbered from 1 to ``count``.

    Raises:
        UnusableAnswer: It is no answer: no list of verdicts, or none that is about a claim.
    """
    said: dict[int, list[Judgement]] = defaultdict(list)
    items = (item for item in read_items(text, "verdicts") if isinstance(item, dict))
    for item in items:
        number = read_line(item.get("number"))
        if number is not None and number <= count:
            said[number].append(_read_judgement(item))
    if count and not said:
        raise UnusableAnswer(f"No verdict is about a claim. Send one for each of the numbers 1 to {count}.")
    return tuple(_settle(said.get(number, [])) for number in range(1, count + 1))


def unsaid(verdicts: Verdicts) -> tuple[int, ...]:
    """The numbers of the claims that the critic said nothing of."""
    return tuple(number for number, each in enumerate(verdicts, start=1) if each is _NOT_SAID)


def fill(verdicts: Verdicts, earlier: Verdicts) -> Verdicts:
    """The verdicts, and in place of those that are not there the ones of an earlier answer about the same claims."""
    return tuple(old if new is _NOT_SAID else new for new, old in zip(verdicts, earlier or verdicts, strict=True))


def _read_judgement(item: Mapping[str, object]) -> Judgement:
    word = item.get("verdict")
    known = word.strip().lower() if isinstance(word, str) else ""
    ruling = Ruling(known) if known in set(Ruling) else Ruling.UNCERTAIN
    return Judgement(
        ruling, read_confidence(item.get("confidence")), one_line(read_text(item.get("reason")), LONGEST_REASON)
    )


def _settle(said: list[Judgement]) -> Judgement:
    if not said:
        return _NOT_SAID
    return said[0] if len({each.ruling for each in said}) == 1 else _TWO_WAYS
