"""What a scripted model says in a review: an agent's findings, the critic's verdicts, and who it is that is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from draftgate.agents.prompt import load_prompts
from draftgate.domain.agent_run import CRITIC
from tests.fakes.llm.script import Asked, Call, Json, Reply, Step

AGENT = "correctness"
"""Who is asked where nobody is named."""

Answer = Step | str | Callable[[Asked], Step | str]
"""What somebody says, or how they come to it."""


def a_finding(path: str, line: int, quote: str, subject: str = "It breaks", **more: object) -> Json:
    """A finding as an agent reports it."""
    return {
        "path": path,
        "line": line,
        "start_line": None,
        "side": "RIGHT",
        "label": "issue",
        "decorations": [],
        "subject": subject,
        "body": "For an empty list it raises.",
        "evidence": quote,
        "confidence": 75,
        "category": "logic",
        "suggestion": None,
        **more,
    }


def agent_answers(*findings: Mapping[str, object], **more: object) -> Reply:
    """An agent's answer, with further keys beside the findings."""
    return Reply(calls=(Call("report_findings", {"findings": list(findings), **more}),))


def critic_answers(*verdicts: str | Mapping[str, object], **more: object) -> Reply:
    """The critic's answer: words, numbered from 1, or whole verdicts."""
    return Reply(calls=(Call("report_verdicts", {"verdicts": list(map(_verdict, verdicts, _numbers())), **more}),))


def calls(*made: tuple[str, Mapping[str, object]]) -> Reply:
    """Calls of tools, by name and arguments."""
    return Reply(calls=tuple(Call(name, arguments) for name, arguments in made))


def who_is_asked(asked: Asked) -> str:
    """The name of the agent, or the critic's."""
    if "report_verdicts" in asked.tools:
        return CRITIC
    return next(prompt.name for prompt in load_prompts() if prompt.text in asked.text)


def cast(agent: Answer, critic: Answer | None = None, **others: Answer) -> Callable[[Asked], Step | str]:
    """A script by who is asked: every agent that is not named does what ``agent`` does; the critic confirms."""

    def play(asked: Asked) -> Step | str:
        name = who_is_asked(asked)
        answer = (critic or _confirm) if name == CRITIC else others.get(name, agent)
        return answer(asked) if callable(answer) else answer

    return play


def _confirm(asked: Asked) -> Reply:
    """Confirm every claim that is asked about."""
    count = asked.text.rpartition("## The claims")[2].count('{"number": ')
    return critic_answers(*["confirmed"] * count)


def _verdict(said: str | Mapping[str, object], number: int) -> Mapping[str, object]:
    if isinstance(said, str):
        return {"number": number, "verdict": said, "confidence": 75, "reason": "It was followed."}
    return {"number": number, **said}


def _numbers() -> Iterable[int]:
    return range(1, 1_000)
