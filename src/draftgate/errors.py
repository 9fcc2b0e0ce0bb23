"""The errors a caller can act on, each with its exit code and a hint.

One subclass per *thing the caller can do*; this module imports nothing of ours, so every layer may
raise and catch them. Exit codes are those of the published interface: 2 configuration or usage,
3 credentials or permissions, 4 forge or model unavailable, 5 integrity or stale refusal, 6 a person
must decide, 70 a bug.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar


class DraftgateError(Exception):
    """A failure that is explained to the reader: what happened, where, and what to do.

    Args:
        message: One sentence that says what is wrong.
        context: Where it was seen (a path, a ref, a command), or "".
        hint: What to do or write instead. Every error has one.
    """

    exit_code: ClassVar[int] = 70
    reference: ClassVar[str] = "error"

    def __init__(self, message: str, *, hint: str, context: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.context = context
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.context}: {self.message}" if self.context else self.message


class UsageError(DraftgateError):
    """The command line, a command or a repository is not what the caller meant: write it differently."""

    exit_code = 2
    reference = "usage"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a configuration: where it stands, what is wrong, what to write instead."""

    file: str
    line: int | None
    column: int | None
    key: str
    wrong: str
    write: str

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        key = f"  {self.key}" if self.key else ""
        if place.endswith(f" {self.key}"):  # an input is named by its key
            key = ""
        return f"{place}{key}: {self.wrong} — {self.write}"


class ConfigurationError(DraftgateError):
    """The configuration is broken; every problem is listed, so that one edit can mend them all."""

    exit_code = 2
    reference = "configuration"

    what: ClassVar[str] = "in the configuration"
    mend: ClassVar[str] = "mend the lines named above; `draftgate config check` shows them again"

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        super().__init__(f"{count} {self.what}", hint=self.mend)
        self.problems = problems


class CredentialsMissing(ConfigurationError):
    """The configuration asks for something that needs a key, and none was given; every missing one is listed."""

    exit_code = 3
    reference = "credentials"
    what = "with the keys for models"
    mend = "give the run what is named above; no new review begins without it"


class PermissionDenied(DraftgateError):
    """The forge does not let the bot's token do this."""

    exit_code = 3
    reference = "permission-denied"


class VerdictRefused(PermissionDenied):
    """The forge does not take this verdict from the bot; the review can be submitted under another one."""

    reference = "verdict-refused"


class ForgeRefused(DraftgateError):
    """The forge understood a request of ours and declined it; its own words say why."""

    exit_code = 3
    reference = "forge-refused"


class Unavailable(DraftgateError):
    """Something outside did not answer: try again later."""

    exit_code = 4
    reference = "unavailable"


class IntegrityError(DraftgateError):
    """What is there is not what was shown: nothing is published from it."""

    exit_code = 5
    reference = "integrity"


class SealMismatch(IntegrityError):
    """The state does not match the seal in the draft."""

    reference = "seal-mismatch"


class AnotherRelease(IntegrityError):
    """Another release wrote the state, in a form that this one does not read or would not write.

    Attributes:
        is_newer: That release is newer than this one, which must not put its own state in place of it.
    """

    reference = "another-release"

    def __init__(self, message: str, *, hint: str, context: str = "", is_newer: bool = False) -> None:
        super().__init__(message, hint=hint, context=context)
        self.is_newer = is_newer


class HeadMoved(IntegrityError):
    """The change has a newer head than the one that was reviewed."""

    reference = "head-moved"


class ChangeClosed(HeadMoved):
    """The change is closed or merged, so nothing is submitted to it and no new round of it is made."""

    reference = "change-closed"


class IllegalTransition(IntegrityError):
    """A session phase may not follow another one."""

    reference = "illegal-transition"


class EvidenceError(IntegrityError):
    """The range of the change cannot be proved, so nothing is reviewed from it."""

    reference = "scope-evidence"


class Overtaken(IntegrityError):
    """Another run works on this change; this one steps back and writes nothing more."""

    reference = "overtaken"


class ForeignDraft(IntegrityError):
    """The bot's account holds a draft review on this change that another program made; it is never touched."""

    reference = "foreign-draft"


class AgentFailed(DraftgateError):
    """An agent or check failed; a person decides whether to go on without it."""

    exit_code = 6
    reference = "agent-failed"


class CommandRefused(DraftgateError):
    """A comment command that was understood, but not accepted; the reply says why."""

    exit_code = 2
    reference = "command-refused"


class PlacesRefused(CommandRefused):
    """The forge does not take the places of some approved findings; the others can be approved without them."""

    reference = "places-refused"


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound on hostile or huge input: its name as the reader sees it, and its value with the unit."""

    name: str
    value: int
    unit: str = field(default="")
