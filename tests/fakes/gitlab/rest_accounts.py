"""REST: who one is, which GitLab it is, groups, and who is a member of what."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.fakes.forge_http.messages import Answer
from tests.fakes.gitlab.access import all_members, direct_members
from tests.fakes.gitlab.entities import Project
from tests.fakes.gitlab.exchange import Call, Route
from tests.fakes.gitlab.people import Edition, Group, Level, User
from tests.fakes.gitlab.refusals import NotFound

Members = Callable[[Project | Group], Mapping[User, Level]]


def _version_text(call: Call) -> str:
    return call.world.version + ("" if call.world.edition is Edition.CE else "-ee")


def _get_version(call: Call) -> Answer:
    return Answer(200, {"version": _version_text(call), "revision": "0123456789a"})


def _get_metadata(call: Call) -> Answer:
    enterprise = call.world.edition is not Edition.CE
    return Answer(
        200,
        {
            "version": _version_text(call),
            "revision": "0123456789a",
            "kas": {"enabled": False, "externalUrl": None, "version": None},
            "enterprise": enterprise,
        },
    )


def _get_user(call: Call) -> Answer:
    return Answer(200, call.answers.profile(call.user))


def _list_users(call: Call) -> Answer:
    name = call.values.get("username")
    found = [user for user in call.world.users.values() if name is None or user.username.lower() == name.lower()]
    return call.page(found, call.answers.user)


def _get_user_by_id(call: Call) -> Answer:
    found = call.world.user_by_id(int(call.parts["user_id"]))
    if found is None:
        raise NotFound("User")
    return Answer(200, call.answers.profile(found))


def _get_token(call: Call) -> Answer:
    caller = call.caller
    return Answer(
        200,
        {
            "id": call.user.id,
            "name": "token",
            "revoked": False,
            "scopes": sorted(caller.scopes),
            "user_id": call.user.id,
            "active": True,
            "expires_at": caller.expires or None,
        },
    )


def _get_group(call: Call) -> Answer:
    return Answer(200, call.answers.group(_group(call)))


def _project(call: Call) -> Project | Group:
    return call.project


def _group(call: Call) -> Group:
    found = call.world.find_group(call.parts["id"])
    if found is None or (call.caller.user is None) or not _knows(found, call.user):
        raise NotFound("Group")
    return found


def _knows(group: Group, user: User) -> bool:
    return user in all_members(group)


def _list(place: Callable[[Call], Project | Group], members: Members) -> Callable[[Call], Answer]:
    def answer(call: Call) -> Answer:
        query = call.values.get("query", "").lower()
        found = [(user, level) for user, level in members(place(call)).items() if query in user.username.lower()]
        return call.page(found, lambda one: call.answers.member(*one))

    return answer


def _get(place: Callable[[Call], Project | Group], members: Members) -> Callable[[Call], Answer]:
    def answer(call: Call) -> Answer:
        for user, level in members(place(call)).items():
            if user.id == int(call.parts["user_id"]):
                return Answer(200, call.answers.member(user, level))
        raise NotFound

    return answer


def _member_routes(root: str, place: Callable[[Call], Project | Group]) -> tuple[Route, ...]:
    return (
        Route("GET", f"{root}/members", _list(place, direct_members)),
        Route("GET", f"{root}/members/all", _list(place, all_members)),
        Route("GET", f"{root}/members/{{user_id}}", _get(place, direct_members)),
        Route("GET", f"{root}/members/all/{{user_id}}", _get(place, all_members)),
    )


ACCOUNT_ROUTES = (
    Route("GET", "/version", _get_version),
    Route("GET", "/metadata", _get_metadata),
    Route("GET", "/user", _get_user),
    Route("GET", "/users", _list_users),
    Route("GET", "/users/{user_id}", _get_user_by_id),
    Route("GET", "/personal_access_tokens/self", _get_token),
    Route("GET", "/groups/{id}", _get_group),
    *_member_routes("/projects/{id}", _project),
    *_member_routes("/groups/{id}", _group),
)
