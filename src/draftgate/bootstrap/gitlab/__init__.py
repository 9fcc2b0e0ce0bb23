"""The composition for GitLab.

Importing this package loads the forge and the pipeline, so it happens once an event is known to be for us.
"""

from __future__ import annotations

from draftgate.bootstrap import hosting
from draftgate.bootstrap.gitlab.read_only import review_without_token
from draftgate.bootstrap.gitlab.site import GitLabSite
from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.domain.event import ReviewAsked
from draftgate.domain.outcome import RunOutcome


def handle(run: HostedRun, clocks: Clocks) -> RunOutcome:
    """Do what the event of a run asks for; see `hosting.handle`."""
    if not run.token and isinstance(run.event, ReviewAsked):
        return review_without_token(run, run.event, clocks, GitLabSite.read_only)
    return hosting.handle(run, clocks, GitLabSite(run, clocks))
