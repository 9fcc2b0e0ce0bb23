"""Judgements that several checks share, so that both forges say them alike."""

from __future__ import annotations

from collections.abc import Sequence

from draftgate.doctor.base import CREDENTIALS, Verdict, could_not_look, ok, warning, wrong
from draftgate.doctor.facts.github import WORKFLOW_ACCOUNT, GitHubFacts, Reading, TokenForm

_MOST_SKEW_S = 60
_SOON_DAYS = 14
_MOST_LISTED = 5


def judge_clock(skew_s: float | None, forge: str) -> Verdict:
    """How far this machine's clock is off."""
    if skew_s is None:
        return could_not_look(f"{forge} did not say what time it is")
    if abs(skew_s) <= _MOST_SKEW_S:
        return ok(f"this clock is {forge}'s to within a minute")
    way = "ahead of" if skew_s > 0 else "behind"
    return warning(f"this clock is {abs(skew_s):.0f} s {way} {forge}'s", "set it by NTP")


def judge_expiry(days_left: int, day: str, page: str) -> Verdict:
    """How long a token still lasts."""
    if days_left < 0:
        return wrong(f"the token ended on {day}", "make a new one", where=page, exit_code=CREDENTIALS)
    if days_left <= _SOON_DAYS:
        return warning(f"the token ends on {day}, in {days_left} days", "make a new one before", where=page)
    return ok(f"the token lasts until {day}")


def judge_permission(facts: GitHubFacts, reading: Reading, wanted: str, what: str) -> Verdict:
    """Whether something may be read, and who has to let it be."""
    name = wanted.partition(":")[0]
    if not reading.refusal:
        return ok(f"may be read ({what})")
    says = f"the token may not read what it needs for {what}: {reading.refusal}"
    if facts.account.was_seen and facts.account.value.login == WORKFLOW_ACCOUNT:
        return wrong(says, "add to the job's permissions", lines=("permissions:", f"  {wanted}"))
    if facts.form is TokenForm.INSTALLATION:
        return wrong(says, f"add `{wanted}` to the App, or to the job's `permissions:` if it is the workflow's token")
    return wrong(says, f"give the token the permission {name}")


def listed(urls: Sequence[str]) -> str:
    """The first of some addresses."""
    more = len(urls) - _MOST_LISTED
    return ", ".join(urls[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
