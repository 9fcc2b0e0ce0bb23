"""Where a repository is hosted, by the addresses that people and forges write."""

from __future__ import annotations

import pytest

from draftgate.setup.address import ForgeName, addresses, read_address
from draftgate.setup.shown import Remote
from tests.unit.setup.places import shown


@pytest.mark.parametrize(
    ("url", "label", "page", "forge"),
    [
        ("git@github.com:acme/shop.git", "github.com/acme/shop", "https://github.com/acme/shop", "github"),
        ("https://github.com/acme/shop", "github.com/acme/shop", "https://github.com/acme/shop", "github"),
        ("ssh://git@github.com/acme/shop.git", "github.com/acme/shop", "https://github.com/acme/shop", "github"),
        ("https://GitHub.com/acme/shop/", "github.com/acme/shop", "https://github.com/acme/shop", "github"),
        ("git@acme.ghe.com:a/b.git", "acme.ghe.com/a/b", "https://acme.ghe.com/a/b", "github"),
        ("git@github.acme.example:a/b", "github.acme.example/a/b", "https://github.acme.example/a/b", "github"),
        ("https://gitlab.com/a/b/c.git", "gitlab.com/a/b/c", "https://gitlab.com/a/b/c", "gitlab"),
        ("ssh://git@gitlab.acme.example:2222/a/b.git", "gitlab.acme.example/a/b",
         "https://gitlab.acme.example/a/b", "gitlab"),
        ("https://git.acme.example:8443/gitlab/a/b.git", "git.acme.example/gitlab/a/b",
         "https://git.acme.example:8443/gitlab/a/b", "gitlab"),
        ("https://git.acme.example/gitlab/b.git",
         "git.acme.example/gitlab/b", "https://git.acme.example/gitlab/b", None),
        ("git@github-work:acme/shop.git", "github-work/acme/shop", None, "github"),
        ("https://git.acme.example/a/b.git", "git.acme.example/a/b", "https://git.acme.example/a/b", None),
        ("http://gitlab.acme.example/a/b", "gitlab.acme.example/a/b", "http://gitlab.acme.example/a/b", "gitlab"),
    ],
)  # fmt: skip
def test_an_address_says_host_project_and_forge(url: str, label: str, page: str | None, forge: str | None) -> None:
    address = read_address(Remote("origin", url))

    assert address is not None
    assert (address.label, address.page, address.forge) == (label, page, forge)


@pytest.mark.parametrize("url", ["/srv/git/shop.git", "../shop", "file:///srv/shop.git", "", "https://", "C:\\shop",
                                 "https://github.com/a/b\x1b[31m", "git@github.com:", "https://h:99999999/a/b",
                                 "ext::sh -c evil"])  # fmt: skip
def test_a_folder_or_nonsense_is_no_address(url: str) -> None:
    assert read_address(Remote("origin", url)) is None


def test_a_password_in_an_address_is_dropped() -> None:
    address = read_address(Remote("origin", "https://user:hunter2@github.com/acme/shop.git"))

    assert address is not None
    assert "hunter2" not in repr((address, address.page, Remote("origin", "https://user:hunter2@github.com/a/b")))


def test_the_remote_that_the_branch_follows_comes_before_origin() -> None:
    urls = {"origin": "git@github.com:me/shop", "upstream": "git@github.com:acme/shop", "a": "git@gitlab.com:a/b"}

    assert [a.remote for a in addresses(shown(remotes=urls, followed="upstream"))] == ["upstream", "origin", "a"]
    assert [a.remote for a in addresses(shown(remotes=urls))] == ["origin", "a", "upstream"]


@pytest.mark.parametrize("host", ["bitbucket.org", "codeberg.org", "dev.azure.com", "gitea.example.com"])
def test_hosts_of_other_forges_are_known_as_such(host: str) -> None:
    address = read_address(Remote("origin", f"https://{host}/a/b.git"))

    assert address is not None
    assert (address.forge, address.is_other) == (None, True)
    assert ForgeName.GITHUB.as_written == "GitHub"
