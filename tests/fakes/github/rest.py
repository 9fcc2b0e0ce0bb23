"""The REST API: finds the route of a request and turns refusals into answers.

What the routes do is in the modules named ``rest_…``; what is allowed is in the rules that they call.
"""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer, Request
from tests.fakes.github.answers import Answers
from tests.fakes.github.entities import Caller
from tests.fakes.github.exchange import Call, refuse
from tests.fakes.github.refusals import NotFound, Refusal
from tests.fakes.github.rest_accounts import ACCOUNT_ROUTES
from tests.fakes.github.rest_checks import CHECK_ROUTES
from tests.fakes.github.rest_comments import COMMENT_ROUTES
from tests.fakes.github.rest_git import GIT_ROUTES
from tests.fakes.github.rest_issues import ISSUE_ROUTES
from tests.fakes.github.rest_pulls import PULL_ROUTES
from tests.fakes.github.rest_reviews import REVIEW_ROUTES
from tests.fakes.github.rest_writing import WRITING_ROUTES
from tests.fakes.github.world import World

DOCUMENTATION = "https://docs.github.com/rest"

ROUTES = (
    *ACCOUNT_ROUTES,
    *ISSUE_ROUTES,
    *PULL_ROUTES,
    *REVIEW_ROUTES,
    *COMMENT_ROUTES,
    *CHECK_ROUTES,
    *GIT_ROUTES,
    *WRITING_ROUTES,
)


def answer(world: World, caller: Caller, answers: Answers, request: Request) -> Answer:
    """What GitHub answers; it never raises for what a client does."""
    try:
        for route in ROUTES:
            if (parts := route.match(request)) is not None:
                return route.handler(Call(world, caller, answers, request, parts))
        raise NotFound
    except Refusal as refusal:
        return refuse(refusal, DOCUMENTATION)
