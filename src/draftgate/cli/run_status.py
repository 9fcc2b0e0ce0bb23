"""What ``draftgate status`` shows; it changes nothing and takes no lock."""

from __future__ import annotations

import json
import os
from pathlib import Path

from draftgate.bootstrap.workspace import open_workspace
from draftgate.cli.desk import choose_key
from draftgate.cli.streams import Notes, screen, show
from draftgate.commands.replay import amended_round
from draftgate.errors import UsageError
from draftgate.render import terminal
from draftgate.render.visible import one_line
from draftgate.schemas.status import status_json


def run(wanted: str, *, path: str, head: str | None, config: str | None) -> None:
    """Show the session of the change that is meant.

    Raises:
        UsageError: there is no such format.
    """
    if wanted not in {"cards", "json"}:
        raise UsageError(f"there is no format {wanted!r} for status", hint="write cards or json")
    workspace = open_workspace(Path(path), os.environ, config_path=config)
    key = choose_key(workspace, head, Notes(quiet=wanted == "json"))
    session = workspace.forge(key).load_session()
    if wanted == "json":
        amended = None if session is None else amended_round(session)
        show(json.dumps(status_json(key, session, amended), indent=2) + "\n")
    elif session is None:
        show(f"There is no review of {one_line(key)}. Start one with `draftgate review`.")
    else:
        show(terminal.status_page(session, amended_round(session), screen()))
