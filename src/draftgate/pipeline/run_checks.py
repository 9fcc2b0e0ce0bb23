"""Step 3b: run the built-in checks, each isolated, and say which changed files nobody read.

A check that breaks is a failed check, never an empty answer; the others go on.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from draftgate.checks.base import Check
from draftgate.checks.suppress import is_suppressed
from draftgate.domain.agent_run import AgentRun
from draftgate.domain.diff import FileDiff
from draftgate.domain.finding import Finding
from draftgate.domain.paths import matches_any
from draftgate.domain.round import CheckRun, Coverage, Dropped, LeftOut
from draftgate.domain.snapshot import Change
from draftgate.pipeline.deadline import DeadlinePassed


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What the configuration says about one check.

    Attributes:
        enabled: Whether it runs, ``None`` for as it is by default; the impact step cannot be turned off.
        excluded: Path globs whose findings are not reported.
    """

    enabled: bool | None = None
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What was found, what was silenced, and how each check and agent ran."""

    findings: tuple[Finding, ...]
    dropped: tuple[Dropped, ...]
    runs: tuple[CheckRun, ...]
    agents: tuple[AgentRun, ...] = ()


def run_checks(
    checks: Iterable[Check],
    change: Change,
    settings: Mapping[str, CheckSettings],
    *,
    clock: Callable[[], float],
    started: Callable[[str], None],
) -> CheckOutcome:
    """Run every enabled check over the change.

    Args:
        checks: In the order in which they are shown.
        change: The diff and both commits, without what the configuration excludes.
        settings: By check id; a check that is not named runs as it is by default.
        clock: Seconds, monotonic.
        started: Told the id of each check as it begins.

    A check that is stopped by a deadline is a failed one, and the last that ran.
    """
    found: list[Finding] = []
    dropped: list[Dropped] = []
    runs: list[CheckRun] = []
    for check in checks:
        setting = settings.get(check.id, CheckSettings())
        if not is_enabled(check, setting):
            continue
        started(check.id)
        begin = clock()
        try:
            raw, failure = _run_isolated(check, change)
        except DeadlinePassed as late:
            runs.append(CheckRun(check.id, 0, 0, round(clock() - begin, 3), f"stopped: {late}"))
            break  # perhaps in the middle of a read, so nothing may read on
        kept = [finding for finding in raw if _is_wanted(finding, setting, change, dropped)]
        found.extend(kept)
        runs.append(CheckRun(check.id, len(raw), len(kept), round(clock() - begin, 3), failure))
    return CheckOutcome(tuple(found), tuple(dropped), tuple(runs))


def is_enabled(check: Check, setting: CheckSettings) -> bool:
    """Whether a check runs under a configuration."""
    if not check.can_be_disabled:
        return True
    return check.on_by_default if setting.enabled is None else setting.enabled


def _run_isolated(check: Check, change: Change) -> tuple[list[Finding], str]:
    try:
        found = [dataclasses.replace(finding, sources=("builtin",)) for finding in check.run(change)]
    except DeadlinePassed:
        raise
    except Exception as error:  # noqa: BLE001 - one check's fault is that check's result, whatever it is
        return [], f"{type(error).__name__}: {error}"
    return found, ""


def _is_wanted(finding: Finding, setting: CheckSettings, change: Change, dropped: list[Dropped]) -> bool:
    path = finding.anchor.path or ""
    if matches_any(path, setting.excluded):
        dropped.append(Dropped("excluded by configuration", finding.subject, path))
        return False
    if is_suppressed(finding, change):
        dropped.append(Dropped("ignored by a comment", finding.subject, path))
        return False
    return True


def measure_coverage(
    files: Iterable[FileDiff],
    checks: Iterable[Check],
    unread: Mapping[str, str],
    *,
    limits: tuple[str, ...] = (),
    shown: Collection[str] = (),
    hidden: Mapping[str, str] | None = None,
) -> Coverage:
    """Say of every changed file whether a check or an agent read it, and why not.

    Args:
        files: All changed files.
        checks: Those that ran.
        unread: Path to reason, for files that were left out before the checks ran.
        limits: What else could not be looked at, as sentences.
        shown: Files whose whole diff an agent was shown.
        hidden: Path to reason, for files that agents were not shown; it counts where no check reads them either.
    """
    globs = tuple(glob for check in checks for glob in check.covers)
    left_out: list[LeftOut] = []
    total = 0
    for file in files:
        total += 1
        reason = "" if file.path in shown else unread.get(file.path) or _unread_reason(file, globs, hidden or {})
        if reason:
            left_out.append(LeftOut(file.path, reason))
    return Coverage(total, total - len(left_out), tuple(left_out), limits)


def _unread_reason(file: FileDiff, globs: tuple[str, ...], hidden: Mapping[str, str]) -> str:
    if file.is_submodule:
        return "submodule"
    if file.is_symlink:
        return "symbolic link"
    if file.binary:
        return "binary"
    if not matches_any(file.path, globs):
        return hidden.get(file.path, "not covered: no built-in check reads this kind of file")
    return ""


def language_hints(files: Iterable[FileDiff]) -> tuple[str, ...]:
    """File-name endings of the changed files, most frequent first."""
    endings = Counter(
        file.path.rsplit("/", 1)[-1].rsplit(".", 1)[-1].lower() for file in files if "." in file.path.rsplit("/", 1)[-1]
    )
    return tuple(ending for ending, _ in sorted(endings.items(), key=lambda item: (-item[1], item[0])))
