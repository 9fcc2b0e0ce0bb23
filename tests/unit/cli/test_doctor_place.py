"""Which repository is meant, and that a token goes to no server that nobody named."""

from __future__ import annotations

import pytest

from draftgate.bootstrap.doctor.wanted import Place
from draftgate.cli.doctor_place import Address, NoPlace, parse_address, parse_remote, place_of_job, place_of_terminal
from draftgate.errors import UsageError

BOTH = {"GITHUB_TOKEN": "ghp_x", "DRAFTGATE_GITLAB_TOKEN": "glpat-x"}


@pytest.mark.parametrize(
    ("written", "server", "path"),
    [
        ("git@github.com:acme/rooms.git", "https://github.com", "acme/rooms"),
        ("ssh://git@gitlab.example.org:2222/acme/tools/rooms.git", "https://gitlab.example.org", "acme/tools/rooms"),
        ("https://github.com/acme/rooms", "https://github.com", "acme/rooms"),
        ("https://gitlab.com/acme/tools/rooms/-/merge_requests/7", "https://gitlab.com", "acme/tools/rooms"),
        ("https://me:secret@git.example.org:8443/acme/rooms.git/", "https://git.example.org:8443", "acme/rooms"),
        ("http://[::1]:8080/acme/rooms", "http://[::1]:8080", "acme/rooms"),
        ("acme/rooms", "", "acme/rooms"),
        ("github.com:acme/rooms", "https://github.com", "acme/rooms"),
    ],
)
def test_an_address(written: str, server: str, path: str) -> None:
    found = parse_address(written)

    assert found is not None
    assert (found.server_url, found.path) == (server, path)
    assert found.has_password is ("secret" in written)
    assert "secret" not in repr(found)


NO_ADDRESSES = """
rooms|/srv/git/rooms.git|file:///srv/git/rooms.git|../acme/rooms|~/acme/rooms|https://github.com|acme/../rooms
https://[::1/acme/rooms|acme/ro oms|ftp://github.com/acme/rooms|C:\\git\\rooms
"""


@pytest.mark.parametrize("written", ["", *NO_ADDRESSES.strip().replace("\n", "|").split("|")])
def test_no_address(written: str) -> None:
    assert parse_address(written) is None


def test_a_remote_on_this_machine_is_on_no_server() -> None:
    assert parse_remote("acme/rooms") is None
    assert parse_remote("git@github.com:acme/rooms.git") is not None


@pytest.mark.parametrize(
    ("host", "forge", "api"),
    [
        ("https://github.com", "github", "https://api.github.com"),
        ("https://gitlab.com", "gitlab", "https://gitlab.com/api/v4"),
    ],
)
def test_the_public_forges_get_their_own_token(host: str, forge: str, api: str) -> None:
    place = place_of_terminal(BOTH, named=None, forge=None, origin=Address(host, "acme/rooms"))

    assert isinstance(place, Place)
    assert (place.forge, place.api_url, place.is_https) == (forge, api, True)
    assert place.token == {"github": "ghp_x", "gitlab": "glpat-x"}[forge]
    assert place.token not in repr(place)


@pytest.mark.parametrize("named", [None, "acme/halls"], ids=["by the clone", "with a name"])
@pytest.mark.parametrize("forge", [None, "github", "gitlab"])
@pytest.mark.parametrize(
    "host", ["https://gitlab.evil.example", "https://github.com.evil.example", "https://git.example"]
)
@pytest.mark.parametrize("token", ["GITHUB_TOKEN", "DRAFTGATE_GITLAB_TOKEN"])
def test_a_server_that_only_the_clone_names_gets_none(
    token: str, host: str, forge: str | None, named: str | None
) -> None:
    place = place_of_terminal({token: "x"}, named=named, forge=forge, origin=Address(host, "acme/rooms"))

    assert isinstance(place, NoPlace)
    assert host.removeprefix("https://") in place.why
    assert f"--repository {host}/acme/" in place.hint


def test_github_com_gets_no_token_of_gitlab() -> None:
    place = place_of_terminal(BOTH, named=None, forge="gitlab", origin=Address("https://github.com", "acme/rooms"))

    assert isinstance(place, NoPlace)


def test_a_server_that_the_variables_of_its_jobs_name() -> None:
    variables = {"GITHUB_TOKEN": "x", "GITHUB_SERVER_URL": "https://ghe.example"}
    place = place_of_terminal(variables, named=None, forge=None, origin=Address("https://ghe.example", "acme/rooms"))

    assert isinstance(place, Place)
    assert place.api_url == "https://ghe.example/api/v3"
    assert place.graphql_url == "https://ghe.example/api/graphql"


def test_a_server_that_the_person_names() -> None:
    place = place_of_terminal(BOTH, named="http://git.example/acme/rooms", forge="gitlab", origin=None)

    assert isinstance(place, Place)
    assert (place.api_url, place.token, place.is_https) == ("http://git.example/api/v4", "glpat-x", False)


def test_one_token_says_which_forge_a_name_is_on() -> None:
    one = place_of_terminal({"DRAFTGATE_GITLAB_TOKEN": "x"}, named="acme/rooms", forge=None, origin=None)
    two = place_of_terminal(BOTH, named="acme/rooms", forge=None, origin=None)

    assert isinstance(one, Place)
    assert one.server_url == "https://gitlab.com"
    assert isinstance(two, NoPlace)


def test_a_job_is_about_its_own_repository() -> None:
    fork = {
        "CI_PROJECT_PATH": "me/rooms",
        "CI_MERGE_REQUEST_PROJECT_PATH": "acme/rooms",
        "CI_SERVER_URL": "https://x.y",
    }
    place = place_of_job(fork, "gitlab", "GitLab CI")

    assert isinstance(place, Place)
    assert (place.repository, place.api_url) == ("acme/rooms", "https://x.y/api/v4")
    with pytest.raises(UsageError, match="GITHUB_REPOSITORY"):
        place_of_job({}, "github", "GitHub Actions")
