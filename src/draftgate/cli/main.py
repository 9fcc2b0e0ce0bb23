"""The ``draftgate`` program: its subcommands, and the one place where an error becomes a message and an exit code.

Subcommands import what they need when they run, so that help and configuration checks stay fast.
"""

from __future__ import annotations

import contextlib
import logging
import os
import platform
import signal
import sys
import traceback
from types import FrameType
from typing import Annotated, Never

import typer

from draftgate import __version__
from draftgate.cli import checks, config, later
from draftgate.cli.approve import approve
from draftgate.cli.arguments import hoist
from draftgate.cli.demo import demo
from draftgate.cli.do import do
from draftgate.cli.doctor import doctor
from draftgate.cli.finalize import finalize
from draftgate.cli.init import init
from draftgate.cli.options import Program
from draftgate.cli.privileges import MARK, leave_root
from draftgate.cli.review import review
from draftgate.cli.run import run
from draftgate.cli.status import status
from draftgate.cli.streams import finish_streams, make_streams_safe, without_keys
from draftgate.config.key_shapes import hider
from draftgate.errors import ConfigurationError, DraftgateError
from draftgate.render.visible import one_line

INTERRUPTED = 130
BUG = 70
UNAVAILABLE = 4

MAX_MESSAGE = 2_000
"""Characters of one message; longer ones repeat someone's input."""

app = typer.Typer(
    name="draftgate",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Reviews a change, holds what it found as a draft, and publishes exactly what you approve.",
)
app.command("review")(review)
app.command("approve")(approve)
app.command("do")(do)
app.command("status")(status)
app.command("finalize")(finalize)
app.command("init")(init)
app.command("demo")(demo)
app.command("run")(run)
app.command("doctor")(doctor)
app.add_typer(config.app, name="config")
app.add_typer(checks.app, name="checks")
later.register(app)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it with the value of the option
    if wanted:
        typer.echo(f"draftgate {__version__}")
        raise typer.Exit


@app.callback()
def configure(
    context: typer.Context,
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but results and errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log what is done, to stderr.")] = False,
    log_format: Annotated[str, typer.Option("--log-format", help="text or json.", metavar="FORMAT")] = "text",
) -> None:
    """Set up logging before any subcommand runs."""
    del version
    context.obj = Program(quiet=quiet)
    from draftgate.cli.logs import configure_logging  # noqa: PLC0415 - not needed for help

    level = logging.DEBUG if verbose else logging.WARNING
    configure_logging(level=level, style=log_format, hide=hider(os.environ))


def main() -> Never:
    """Run the program and exit with the code of the published interface."""
    signal.signal(signal.SIGINT, _interrupt)
    make_streams_safe()
    code = _run()
    if not finish_streams() and code == 0:
        code = UNAVAILABLE  # what was done is done, and nobody was told
    sys.exit(code)


def _run() -> int:
    try:
        leave_root(os.environ, is_image=MARK.exists())
        app(hoist(sys.argv[1:]), standalone_mode=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except ConfigurationError as error:
        _say(*(str(problem) for problem in error.problems))
        return _explain(error)
    except DraftgateError as error:
        return _explain(error)
    except Interrupted:
        _say("interrupted; the same command goes on from here")
        return INTERRUPTED
    except OSError as error:
        what = f"{error.strerror}: {error.filename}" if error.filename else str(error)
        _say(f"draftgate: {what}", "  → the system refused this; `draftgate status` shows where the review stands")
        return UNAVAILABLE
    except Exception:  # noqa: BLE001 - the last resort turns a bug into a report
        with contextlib.suppress(OSError):
            typer.echo(without_keys(_report()), err=True)
        return BUG
    return 0


def _say(*lines: str) -> None:
    """Lines on stderr, each on one line whatever it repeats; where nobody can be told, the exit code tells."""
    with contextlib.suppress(OSError):
        for line in lines:
            indent = " " * (len(line) - len(line.lstrip(" ")))
            columns = without_keys(line).strip().split("  ", 1)  # of a problem, its place and all the rest
            typer.echo(indent + "  ".join(one_line(column, MAX_MESSAGE) for column in columns), err=True)


class Interrupted(BaseException):
    """The person pressed Ctrl-C. Not a `KeyboardInterrupt`, which typer turns into exit code 1."""


def _interrupt(_signal: int, _frame: FrameType | None) -> Never:
    raise Interrupted


def _explain(error: DraftgateError) -> int:
    _say(f"draftgate: {error}", f"  → {error.hint}")
    return error.exit_code


def _report() -> str:
    return "\n".join(
        (
            "draftgate: this is a bug. `draftgate status` shows where the review stands. Please report these lines:",
            f"  draftgate {__version__} · Python {platform.python_version()} · {platform.platform()}",
            traceback.format_exc(),
        )
    )
