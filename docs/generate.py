"""Write the reference pages, the examples and the template from the code.

``python -m docs.generate`` writes, ``--check`` fails when one is stale.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from docs.pages.cli import cli
from docs.pages.configuration import configuration, schema
from docs.pages.exit_codes import exit_codes
from docs.pages.permissions import permissions
from draftgate.agents.ask import MOST_CALLS, MOST_TURNS
from draftgate.agents.crew import CLAIMS_AT_ONCE, ROOMS
from draftgate.agents.prompt import TIERS, load_prompts
from draftgate.agents.tools.specs import describe_tools
from draftgate.bootstrap.models import BY_DEFAULT
from draftgate.checks.base import Check
from draftgate.checks.registry import load_checks
from draftgate.commands.base import EVERY_PHASE, CommandSpec
from draftgate.commands.registry import load_commands
from draftgate.config.default_models import DEFAULT_MODELS
from draftgate.doctor.base import Area
from draftgate.doctor.base import Check as DoctorCheck
from draftgate.doctor.facts import github, gitlab
from draftgate.doctor.page import TITLES
from draftgate.doctor.registry import load_checks as load_doctor_checks
from draftgate.domain.finding import title_of
from draftgate.domain.phase import PASSING, TRANSITIONS, Phase
from draftgate.schemas.doctor import json_schema as doctor_schema
from draftgate.schemas.result import json_schema as result_schema
from draftgate.setup.released import read_file

Json = dict[str, Any]

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
COPIES = {
    "examples/github/minimal.yml": "token.yml",
    "examples/github/recommended.yml": "app.yml",
    ".gitlab-ci-template.yml": "gitlab.yml",
    "templates/draftgate/template.yml": "gitlab.yml",
}
"""What people copy or include, by the file that `draftgate init` writes from."""

BAR = r"\|"
_HEADER = "<!-- Written by docs/generate.py from the code; edit that. -->\n\n"
_COMMON_ENDS = frozenset({Phase.FAILED, Phase.ABORTED, Phase.SUPERSEDED, Phase.FINALIZED})


def phases() -> str:
    """The diagram and table of session phases."""
    shown = [phase for phase in Phase if phase not in _COMMON_ENDS]
    edges = [
        f"    {_state(phase)} --> {_state(following)}"
        for phase in shown
        for following in sorted(TRANSITIONS[phase].following - _COMMON_ENDS - {Phase.VALIDATING, phase})
    ]
    rows = [
        f"| `{phase}` | {', '.join(f'`{n}`' for n in sorted(row.following - _COMMON_ENDS)) or '–'} "
        f"| {', '.join(row.sets) or '–'} | {', '.join(row.clears) or '–'} | {'–' if phase in PASSING else 'yes'} "
        f"| {row.recovery} |"
        for phase, row in TRANSITIONS.items()
    ]
    return "\n".join(
        (
            "# Session phases\n",
            "Where the review of one change stands. `draftgate status` says it, and so does the output `phase` of a",
            "job.\n",
            "```mermaid",
            "stateDiagram-v2",
            *(f'    state "{phase}" as {_state(phase)}' for phase in shown if "-" in phase),
            f"    [*] --> {_state(Phase.VALIDATING)}",
            *edges,
            "```\n",
            "Not drawn: a new round begins with `validating` from wherever the table below allows it, and every phase",
            f"may become {_listed(sorted(_COMMON_ENDS))}. What the table does not list is refused.\n",
            "In a terminal every phase is written; on a forge those that are soon over are not.\n",
            "| phase | may become | sets | clears | written on a forge | when a run finds it |",
            "| --- | --- | --- | --- | --- | --- |",
            *rows,
            "",
        )
    )


def _state(phase: Phase) -> str:
    return phase.replace("-", "_")


def _listed(phases: Sequence[Phase]) -> str:
    *first, last = (f"`{phase}`" for phase in phases)
    return f"{', '.join(first)} or {last}"


def checks() -> str:
    """One section per built-in check, from its module's docstring and examples."""
    return "\n".join(("# Built-in checks\n", *(line for check in load_checks() for line in _check(check))))


def _check(check: Check) -> Iterator[str]:
    module = sys.modules[check.run.__module__]
    yield f"## `{check.id}`\n"
    yield f"{check.summary}\n"
    title = title_of(check.label, check.decorations)
    yield f"- reports `{title}` in category `{check.category}`, confidence {check.confidence}"
    yield f"- reads changed files that match {', '.join(f'`{glob}`' for glob in check.covers)}"
    yield f"- {'can be turned off' if check.can_be_disabled else 'cannot be turned off, only limited by path'}\n"
    yield (module.__doc__ or "").strip() + "\n"
    yield "| example | finds |"
    yield "| --- | --- |"
    for example in check.examples:
        yield f"| {example.name} | {', '.join(f'`{place}`' for place in example.findings) or 'nothing'} |"
    yield ""


def commands() -> str:
    """Every comment command with who may give it, when, its forms and examples."""
    specs = load_commands()
    lines = ["# Comment commands\n"]
    lines += [
        "A comment on the pull or merge request, at the beginning of a line. In a terminal the same words go into"
    ]
    lines += [
        "`draftgate do '…'`. What a comment holds besides is left alone; several commands in one comment are done in"
    ]
    lines += ["their order. `/draftgate help` answers with what applies at that moment, and who may.\n"]
    lines += ["| command | does |", "| --- | --- |"]
    lines += [f"| [`{_form(spec)}`](#{spec.name}) | {spec.description} |" for spec in specs if spec.is_available]
    lines += [""]
    for spec in (spec for spec in specs if spec.is_available):
        lines += [f"## `{spec.name}`\n", f"{spec.description}\n"]
        lines += [f"- usage: `{f'{_form(spec)} {spec.usage}'.strip()}`"]
        lines += [f"- short: `/draftgate {spec.short}`"] if spec.short else []
        lines += [f"- who may: {spec.who_may.value}", f"- when: {_when(spec)}"]
        lines += [
            "",
            "Understood:\n",
            "```",
            *(line for text in spec.good[:4] for line in text.splitlines()),
            "```",
            "",
        ]
    later = [spec for spec in specs if not spec.is_available]
    lines += ["## Not in this release\n", "Each is answered with a sentence that says so.\n", "| command | for |"]
    lines += ["| --- | --- |", *(f"| `/draftgate {spec.name}` | {spec.description} |" for spec in later), ""]
    return "\n".join(lines)


def _form(spec: CommandSpec) -> str:
    return f"/{spec.name}" if spec.bare else f"/draftgate {spec.name}"


def _when(spec: CommandSpec) -> str:
    """The phases, by whichever is shorter: those where it applies or those where it does not."""
    elsewhere = EVERY_PHASE - spec.phases
    if not elsewhere:
        phases = "always"
    elif len(elsewhere) < len(spec.phases):
        phases = f"always but while the session is {_listed(sorted(elsewhere))}"
    elif len(spec.phases) == 1:
        phases = f"while the session is `{next(iter(spec.phases))}`"
    else:
        phases = f"while the session is {_listed(sorted(spec.phases))}"
    return phases if spec.needs_session else f"{phases}; also before the first review"


def agents() -> str:
    """Who can be asked, what they can call, and which models are asked where none is configured."""
    prompts = [
        f"| `{prompt.name}` | {prompt.summary} | {prompt.tier} | {prompt.category} "
        f"| [prompt](../../src/draftgate/agents/prompts/{prompt.name}.md) |"
        for prompt in load_prompts()
    ]
    tools = [f"| `{tool.name}` | {tool.description.replace('|', BAR)} |" for tool in describe_tools(may_fetch=True)]
    seats = [
        f"| {maker} | {' | '.join(f'`{seats[tier]}`' for tier in TIERS)} |" for maker, seats in DEFAULT_MODELS.items()
    ]
    return "\n".join(
        (
            "# Agents\n",
            "Each is one Markdown file. `critic` is no agent: it judges what they report, and answers to its name in",
            "`/retry-agent` and `/proceed-without`. [What is sent](../explanation/what-leaves.md) and",
            "[how to set up models](../how-to/models.md).\n",
            "| agent | looks for | seat | category where a finding names none | |",
            "| --- | --- | --- | --- | --- |",
            *prompts,
            f"\nWithout `agents`, if a key is there or a server and its model: {', '.join(BY_DEFAULT)}.\n",
            "## Tools\n",
            "All of them read, from the two commits that are compared; `fetch_url` is offered only if",
            "`network.fetch_allow` lists a host.\n",
            "| tool | what a model is told of it |",
            "| --- | --- |",
            *tools,
            "\n## Models that are asked where none is configured\n",
            f"| key | {' | '.join(TIERS)} |",
            f"| --- |{' --- |' * len(TIERS)}",
            *seats,
            "\nThe names are those of the price list that comes with this release. Whether a provider still serves",
            "one, only the provider knows; `models` in the configuration chooses others.\n",
            "## Bounds of one conversation\n",
            f"- {MOST_TURNS} turns, {MOST_CALLS} calls in one of them; the last turns only take the answer",
            f"- at most {ROOMS[0]:,} characters of diffs, less where `budgets.tokens` has to do for several agents; a",
            f"  model that cannot read so much is asked again with {' and '.join(f'{room:,}' for room in ROOMS[1:])}",
            f"- {CLAIMS_AT_ONCE} findings in one conversation of the critic",
            "- what `budgets` says, over all conversations of a review together",
            "",
        )
    )


def doctor() -> str:
    """Every check of ``draftgate doctor`` by area, with the exit code of what it calls wrong."""
    asked = {
        Area.LOCAL: "Asks nobody.",
        Area.WORKFLOW: "The files of the checkout, or of the default branch where there is none.",
        Area.GITHUB: f"Asks GitHub: {github.MOST_REQUESTS} requests at most, these for the workflows included.",
        Area.PIPELINE: "The file of the checkout, or of the default branch where there is none.",
        Area.GITLAB: f"Asks GitLab: {gitlab.MOST_REQUESTS} requests at most, the one for the pipeline file included.",
        Area.MODEL: "Asks each server for its list of models once: no prompt, no token, no cost.",
    }
    lines = [
        "# Checks of `draftgate doctor`\n",
        "Each is one file below `src/draftgate/doctor/checks/`. Only what is wrong has an exit code, and the highest",
        "one is that of the program. What could not be seen is said, and is neither.",
        "[How to use it](../how-to/doctor.md). [The schema of its JSON](doctor.schema.json).",
    ]
    for area in Area:
        lines += [f"\n## {TITLES[area]}\n", f"{asked[area]}\n", "| check | looks at | wrong if | exit | a warning if |"]
        lines += ["| --- | --- | --- | --- | --- |", *map(_doctor_row, load_doctor_checks(area))]
    return "\n".join((*lines, ""))


def _doctor_row(check: DoctorCheck[Any]) -> str:
    code = check.exit_code or "–"
    return f"| `{check.id}` | {check.title} | {check.wrong_if or '–'} | {code} | {check.warns_if or '–'} |"


PAGES: dict[str, Callable[[], str]] = {
    "result.schema.json": lambda: json.dumps(result_schema(), indent=2) + "\n",
    "phases.md": phases,
    "checks.md": checks,
    "commands.md": commands,
    "configuration.md": configuration,
    "configuration.schema.json": lambda: json.dumps(schema(), indent=2) + "\n",
    "cli.md": cli,
    "exit-codes.md": exit_codes,
    "permissions.md": permissions,
    "agents.md": agents,
    "doctor.md": doctor,
    "doctor.schema.json": lambda: json.dumps(doctor_schema(), indent=2) + "\n",
}


def written() -> dict[Path, str]:
    """Every file that is made from the code, with its text."""
    pages = {REFERENCE / name: page() if name.endswith(".json") else _HEADER + page() for name, page in PAGES.items()}
    return pages | {ROOT / path: read_file(name) for path, name in COPIES.items()}


def main() -> int:
    """Write the files, or with ``--check`` name those that are not what the code says."""
    stale = []
    for path, text in written().items():
        if "--check" in sys.argv:
            stale += [] if path.exists() and path.read_text(encoding="utf-8") == text else [path.relative_to(ROOT)]
        else:
            path.write_text(text, encoding="utf-8")
    for path in stale:
        sys.stderr.write(f"{path} is stale: run `make docs`\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
