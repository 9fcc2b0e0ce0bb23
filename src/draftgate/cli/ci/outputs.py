"""The outputs of a step: their values from a run's outcome, and the file by which the runner reads them.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#setting-an-output-parameter
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from draftgate.cli.ci.shown import Shown
from draftgate.domain.finding import Severity
from draftgate.domain.outcome import RunOutcome
from draftgate.domain.session import spent_on_round

SARIF_NAME = "findings.sarif"
REPORT_NAME = "report.json"


@dataclass(frozen=True, slots=True)
class ResultPlace:
    """Where a result's files are written.

    Attributes:
        folder: It exists.
        is_shared_root: A later step knows the folder under another path and starts in it, so that paths are given
            from there.
    """

    folder: Path
    is_shared_root: bool = False


@dataclass(frozen=True, slots=True)
class ResultFiles:
    """The paths of a result's files as a later step can use them; "" for one that is not there."""

    sarif: str = ""
    report: str = ""


def outputs_of(outcome: RunOutcome, shown: Shown | None, files: ResultFiles) -> dict[str, str]:
    """A value for every output that `action.yml` declares, "" where there is nothing to say."""
    spent = spent_on_round(outcome.session)
    blockers = () if shown is None else [each for each in shown.findings if each.severity is Severity.BLOCKER]
    return {
        "phase": outcome.phase,
        "findings": "" if shown is None else str(len(shown.findings)),
        "blockers": "" if shown is None else str(len(blockers)),
        "recommended-verdict": "" if shown is None else shown.recommended.value,
        "checkpoint-url": outcome.checkpoint_url,
        "review-url": outcome.review_url,
        "head-sha": "" if shown is None else shown.head,
        "sarif-file": files.sarif,
        "report-file": files.report,
        "cost-usd": "unknown" if spent.usd is None else f"{spent.usd:.6f}".rstrip("0").rstrip("."),
        "tokens": str(spent.tokens),
        "gate-status": "",
        "gate-head": "",
        "gate-evidence": "",
    }


def write_outputs(path: Path, values: Mapping[str, str], make_delimiter: Callable[[], str]) -> None:
    """Append the values to the runner's file, each between delimiters that do not occur in it.

    Raises:
        OSError: the file cannot be written.
    """
    entries = [_entry(name, value, make_delimiter) for name, value in values.items()]
    with path.open("a", encoding="utf-8", errors="replace", newline="\n") as file:
        file.writelines(entries)


def _entry(name: str, value: str, make_delimiter: Callable[[], str]) -> str:
    delimiter = make_delimiter()
    while delimiter in value:
        delimiter = make_delimiter()
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"
