"""The page of exit codes: what each means, which errors end with it, and how a job ends with what."""

from __future__ import annotations

from draftgate import errors
from draftgate.domain.outcome import RunPhase
from draftgate.domain.phase import Phase

MEANINGS = {
    0: ("fine; findings are no failure unless `--fail-on` or `fail-on` says so", "–"),
    1: ("findings at or above `fail-on`", "fix them, or approve the review"),
    2: ("configuration or usage", "the message names the place and what to write instead"),
    3: ("credentials or permissions", "[permissions](permissions.md); a verdict that was refused: `--as comment`"),
    4: ("something outside is unavailable", "run it again; nothing is posted twice"),
    5: ("integrity or a stale head: refused", "nothing was published; a new round: `/draftgate review --force`"),
    6: ("a person must decide", "`/retry-agent`, `/proceed-without NAME` or `/draftgate abort`"),
    70: ("a bug, with a report to paste", "paste it into an issue"),
    130: ("interrupted", "the same command goes on from there"),
}

_SAME, _ANSWERED, _REFUSED = "as it is", "👀 🚀", "👀 😕 and a reply"
_OUTCOMES: tuple[tuple[str, str, str, str], ...] = (
    ("reviewed, findings wait", "0, or 1 by `fail-on`", "", f"`{Phase.AWAITING_APPROVAL}`"),
    ("reviewed, nothing to say", "0", "", f"`{RunPhase.NOTHING_FOUND}`"),
    (
        "an agent or a check failed, so nothing is shown",
        str(errors.AgentFailed.exit_code),
        "",
        f"`{Phase.AGENTS_FAILED}`",
    ),
    ("the head moved meanwhile, or a newer round is there", "0", "", f"`{Phase.SUPERSEDED}`"),
    ("skipped: a draft, closed, by label or author, not for Draftgate", "0", "", f"`{RunPhase.SKIPPED}`"),
    ("the token can only read", "0, with a warning", "", f"`{RunPhase.READ_ONLY}`"),
    ("command done", "0", _ANSWERED, "as it is then"),
    ("command already answered (a re-run, an event that came twice)", "0", "", _SAME),
    ("by somebody who may not command, or a bot", "0", "😕", _SAME),
    ("wrong argument or phase, or not allowed", "0", _REFUSED, _SAME),
    (
        "command under a broken configuration file; the draft stays",
        str(errors.ConfigurationError.exit_code),
        _REFUSED,
        _SAME,
    ),
    (
        "a verdict that the forge refuses",
        str(errors.VerdictRefused.exit_code),
        _REFUSED,
        f"`{Phase.AWAITING_APPROVAL}`",
    ),
    (
        "head moved, closed, a foreign draft in the way, or state and seal do not match",
        str(errors.IntegrityError.exit_code),
        _REFUSED,
        f"`{Phase.SUPERSEDED}`, or as it is",
    ),
)


def exit_codes() -> str:
    """The codes with the errors that lead to each, and the outcomes of jobs."""
    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.DraftgateError)
    ]
    rows = [
        f"| {code} | {meaning} | {', '.join(sorted(f'`{k.reference}`' for k in kinds if k.exit_code == code)) or '–'} "
        f"| {then} |"
        for code, (meaning, then) in MEANINGS.items()
    ]
    outcomes = [f"| {' | '.join(row)} |" for row in _OUTCOMES]
    return "\n".join(
        (
            "# Exit codes\n",
            "The same in a terminal and in jobs. Every error says what is wrong, where, and after `→` what to do.\n",
            "| code | meaning | errors | what to do |",
            "| --- | --- | --- | --- |",
            *rows,
            "\n## How a job ends\n",
            "`draftgate run`, on GitHub and GitLab alike. Several commands in one comment: the highest code.",
            "`phase` is an output of the action, and on GitLab the variable `DRAFTGATE_PHASE`.\n",
            "| outcome | exit | on the command | output `phase` |",
            "| --- | --- | --- | --- |",
            *outcomes,
            "",
        )
    )
