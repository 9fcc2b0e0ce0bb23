"""Which GitLab this is: the template has inputs, which came with 17.0; the state of a reviewer with 16.9."""

from __future__ import annotations

import re
from collections.abc import Iterator

from draftgate.doctor.base import Check, Verdict, ok, warning
from draftgate.doctor.facts.gitlab import GitLabFacts

_OLDEST = (17, 0)


def _judge(facts: GitLabFacts) -> Iterator[Verdict]:
    server = facts.server.value
    found = re.match(r"(\d{1,4})\.(\d{1,4})", server.version)
    edition = {True: "Enterprise Edition", False: "Community Edition", None: "an edition that it does not tell"}
    says = f"GitLab {server.version}, {edition[server.is_enterprise]}"
    if found is not None and (int(found[1]), int(found[2])) < _OLDEST:
        yield warning(f"{says}: the template has inputs, which need 17.0", "upgrade, or write the jobs by hand")
    else:
        yield ok(says)


CHECK = Check(
    "gitlab.version",
    "version",
    _judge,
    warns_if="GitLab is older than 17.0",
)
