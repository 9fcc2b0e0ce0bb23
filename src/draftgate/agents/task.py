"""What one agent is asked, after the change: its prompt, and what people already decided about earlier findings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from draftgate.agents.brief import between_marks, spell_path
from draftgate.agents.prompt import Prompt
from draftgate.domain.finding import Finding, title_of
from draftgate.domain.session import Decision, Outcome

_MOST_DECISIONS = 100
_LONGEST_CLAIM = 4_000


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for every agent of a review.

    Attributes:
        language: The language that findings are written in, as configured (``en``, ``pt-BR``).
        praise: One sincere good thing is wanted.
        decisions: What people decided about findings of earlier rounds.
        undecided: What earlier rounds showed and nobody decided.
    """

    language: str = "en"
    praise: bool = False
    decisions: tuple[Decision, ...] = ()
    undecided: tuple[Finding, ...] = ()


def task_of(prompt: Prompt, terms: Terms, hide: Callable[[str], str]) -> str:
    """The task of an agent, as Markdown."""
    return "\n\n".join(("## Your task", prompt.text, *_terms(terms), *_decided(terms, hide)))


def claims_task(findings: Sequence[Finding], terms: Terms, hide: Callable[[str], str]) -> str:
    """The task of the critic: what is claimed, by number from 1."""
    claims = (json.dumps(_claim(number, each), ensure_ascii=False) for number, each in enumerate(findings, start=1))
    count = f"Judge each of the {len(findings)} claims." if len(findings) > 1 else "Judge this one claim."
    return "\n\n".join(("## The claims", hide(between_marks(claims)), f"{count} {_language(terms.language)}"))


def _claim(number: int, finding: Finding) -> dict[str, object]:
    """A claim without its confidence and its author: neither is evidence."""
    anchor, evidence = finding.anchor, finding.evidence
    return {
        "number": number,
        "path": anchor.path,
        "line": anchor.line,
        "side": anchor.side,
        "label": title_of(finding.label, finding.decorations),
        "subject": finding.subject,
        "body": finding.body[:_LONGEST_CLAIM],
        "quoted": [] if evidence is None else list(evidence.lines),
        "suggestion": finding.suggestion,
    }


def _terms(terms: Terms) -> Iterator[str]:
    yield _language(terms.language)
    if terms.praise:
        yield "Beside the rest, report one finding with the label `praise` for something that is sincerely good here."


def _language(language: str) -> str:
    return f"Write subjects, bodies and reasons in the language with the code `{language}`."


def _decided(terms: Terms, hide: Callable[[str], str]) -> Iterator[str]:
    latest = {decision.fingerprint: decision for decision in terms.decisions}.values()
    raised = [_line(each.path, each.line, each.subject) for each in latest if each.outcome is not Outcome.REJECTED]
    raised += [_line(each.anchor.path, each.anchor.line, each.subject) for each in terms.undecided]
    rejected = [each for each in latest if each.outcome is Outcome.REJECTED]
    if raised:
        yield "These were raised in an earlier round. Do not raise them again:"
        yield hide(between_marks(raised[-_MOST_DECISIONS:]))
    if rejected:
        yield (
            "A person rejected these, for the reason given. Raise one again only if a fact in the change is new, not "
            "because you would put it differently:"
        )
        yield hide(
            between_marks(
                f"{_line(each.path, each.line, each.subject)} — rejected: {' '.join(each.reason.split())}"
                for each in rejected[-_MOST_DECISIONS:]
            )
        )


def _line(path: str | None, line: int | None, subject: str) -> str:
    place = spell_path(path) if path else "(general)"
    return f"- {place}{f':{line}' if line else ''} {' '.join(subject.split())}"
