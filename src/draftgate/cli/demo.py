"""``draftgate demo``: the main job, from review to submitted review, on a small repository made for it."""

from __future__ import annotations

from typing import Annotated

import typer


def demo(
    folder: Annotated[
        str | None,
        typer.Argument(metavar="[FOLDER]", help="A new or empty folder for the repository; else a temporary one."),
    ] = None,
    *,
    llm: Annotated[
        bool, typer.Option("--llm", help="Ask an agent and a critic too, of a scripted model on this machine.")
    ] = False,
) -> None:
    """Make a small repository with a flawed change, review it, approve a part, show what was submitted."""
    from draftgate.cli import run_demo  # noqa: PLC0415 - help must not load the flows

    run_demo.run(folder, asks_model=llm)
