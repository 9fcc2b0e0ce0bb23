"""The outputs of a job as the dotenv report of GitLab, which hands them to later jobs as variables.

GitLab refuses a whole report for one line too many, so what does not fit its rules is left out: one line a value,
without blanks, less than 5 KB and 20 variables in all where the limits are the smallest.
https://docs.gitlab.com/ci/yaml/artifacts_reports/#artifactsreportsdotenv
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from draftgate.errors import Limit

DOTENV_LIMIT = Limit("a dotenv report", 5 * 1024 - 1, "bytes")
VARIABLES_LIMIT = Limit("a dotenv report", 20, "variables")

_NAME_PREFIX = "DRAFTGATE_"
_VALUE = re.compile(r"[A-Za-z0-9._~:/?#\[\]@!&'()*+,;=%-]{1,1024}")
"""What an address is made of. A dollar sign is not: a later job would put a variable in its place."""


def variable_of(output: str) -> str:
    """The variable that holds an output: ``head-sha`` is ``DRAFTGATE_HEAD_SHA``."""
    return _NAME_PREFIX + output.upper().replace("-", "_")


def dotenv(values: Mapping[str, str]) -> str:
    """The report for some outputs; one without a value has no line."""
    lines = (f"{variable_of(name)}={value}\n" for name, value in values.items() if _VALUE.fullmatch(value))
    return "".join(_fitting(lines))


def _fitting(lines: Iterable[str]) -> Iterable[str]:
    room, left = DOTENV_LIMIT.value, VARIABLES_LIMIT.value
    for line in lines:
        if len(line) <= room and left:
            room, left = room - len(line), left - 1
            yield line
