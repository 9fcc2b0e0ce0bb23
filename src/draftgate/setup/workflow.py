"""The workflow that runs Draftgate on GitHub: the file that would be written, or why the one that is there stays."""

from __future__ import annotations

import re

from draftgate.setup.planned import Choices, Kept, Part, PlannedFile, unified_diff
from draftgate.setup.released import PLACE_OF_ACTION, read_file, without_header
from draftgate.setup.shown import WORKFLOW, Shown
from draftgate.setup.survey import Survey

_USES = re.compile(r"(?P<before>\buses:[ \t]*)(?P<quote>['\"]?)(?P<action>[\w.-]+/draftgate@[^\s'\"#]+)['\"]?[^\n]*")
_MARK = "# the commit of a release"
_HEADERS = {
    "token.yml": (
        "# Draftgate with the workflow token: no App, no secret. It reviews pull requests from branches of the",
        "# repository; from a fork the token can only read, and the result stands in the summary of the job.",
    ),
    "app.yml": (
        "# Draftgate with the account of an App, whose key is in the environment `draftgate`. The environment must be",
        "# limited to the default branch: that alone keeps the key. `pull_request_target` runs this file as it stands",
        "# on the default branch, for forks too. Nothing of the change is checked out, built or run here.",
    ),
}


def workflow(choices: Choices) -> str:
    """The text of the workflow for an App or for the workflow token, with the release that was named."""
    name = "app.yml" if choices.has_app else "token.yml"
    body, header = without_header(read_file(name)), "\n".join(_HEADERS[name])
    return f"{header}\n{body.replace(f'{PLACE_OF_ACTION} {_MARK}', f'{choices.action} {_MARK}')}"


def plan_workflow(survey: Survey, choices: Choices) -> Part:
    """What becomes of the workflow.

    One that runs Draftgate already stays, wherever it is: a second one would review each push twice.
    """
    wanted = workflow(choices)
    running = _running(survey.shown)
    if running is None and WORKFLOW in survey.shown.contents:
        return Part(kept=(Kept(WORKFLOW, "it runs something else; move it away and give the command again"),))
    if running is None:
        return Part(files=(PlannedFile(WORKFLOW, None, wanted.encode()),))
    there = survey.shown.text(running) or ""
    if _essence(there) == _essence(wanted):
        others = {found["action"] for found in _USES.finditer(there)} - {choices.action, PLACE_OF_ACTION}
        if choices.action == PLACE_OF_ACTION or not others:
            return Part(in_place=(running,))
        renamed = _USES.sub(rf"\g<before>{choices.action} {_MARK}", there)
        why = "it names another release of Draftgate, and a file that is there stays as it is"
        return Part(kept=(Kept(running, why, unified_diff(running, there, renamed)),))
    why = "it runs Draftgate already and is not quite what would be written; it stays as it is"
    return Part(kept=(Kept(running, why, unified_diff(running, there, _as_released(wanted, there))),))


def takes_an_app(shown: Shown) -> bool:
    """Whether the workflow that runs Draftgate takes the token of an App."""
    running = _running(shown)
    return running is not None and "actions/create-github-app-token" in (shown.text(running) or "")


def _running(shown: Shown) -> str | None:
    """The workflow that runs Draftgate; ours first."""
    found = [path for path, text in shown.texts(".github/workflows/*") if _USES.search(text)]
    return WORKFLOW if WORKFLOW in found else next(iter(found), None)


def _essence(text: str) -> str:
    """A workflow without the release that it names, the comment before it, and the kind of its line ends."""
    return _USES.sub(r"\g<before>DRAFTGATE", without_header(text.replace("\r\n", "\n"))).strip()


def _as_released(wanted: str, there: str) -> str:
    """What would be written, with the release that is there, so that a comparison shows the rest alone."""
    found = _USES.search(there)
    return wanted if found is None else _USES.sub(lambda _: found[0], wanted)
