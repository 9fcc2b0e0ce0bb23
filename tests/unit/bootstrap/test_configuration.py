"""Which configuration applies in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftgate.bootstrap.configuration import ALWAYS_ON, Branch, file_of, load_configuration, top_of
from draftgate.checks.registry import load_checks
from draftgate.errors import ConfigurationError, UsageError
from draftgate.forge.hosted.standing import UnreadText


def test_the_file_of_the_repository_applies(tmp_path: Path) -> None:
    (tmp_path / "draftgate.yml").write_text("version: 1\ndraft: just-in-time\n", encoding="utf-8")

    assert load_configuration(tmp_path, {}).config.draft == "just-in-time"


def test_without_a_file_the_defaults_apply(tmp_path: Path) -> None:
    assert load_configuration(tmp_path, {}).config.draft == "held"


def test_a_file_that_is_named_applies_instead(tmp_path: Path) -> None:
    (tmp_path / "draftgate.yml").write_text("version: 1\nfrobnicate: 1\n", encoding="utf-8")
    (tmp_path / "other.yml").write_text("version: 1\ndraft: just-in-time\n", encoding="utf-8")

    loaded = load_configuration(tmp_path, {}, path=str(tmp_path / "other.yml"))

    assert loaded.config.draft == "just-in-time"


def test_a_named_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not there"):
        load_configuration(tmp_path, {}, path=str(tmp_path / "missing.yml"))


@pytest.mark.parametrize("name", ["draftgate.yml", "named.yml"])
def test_a_link_is_not_followed(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("version: 1\n", encoding="utf-8")
    (tmp_path / name).symlink_to(tmp_path / "secret")

    with pytest.raises(UsageError, match="symbolic link"):
        load_configuration(tmp_path, {}, path=str(tmp_path / name) if name == "named.yml" else None)


def test_a_folder_in_the_files_place_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "draftgate.yml").mkdir()

    assert load_configuration(tmp_path, {}).config.draft == "held"


def test_a_huge_file_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "draftgate.yml").write_bytes(b"version: 1\n#" + b"x" * 5_000_000)

    with pytest.raises(ConfigurationError):
        load_configuration(tmp_path, {})


@pytest.mark.parametrize(("make_folder", "says"), [(True, "is a folder"), (False, "is not there")])
def test_what_is_named_and_no_file_is_called_what_it_is(tmp_path: Path, says: str, *, make_folder: bool) -> None:
    path = tmp_path / "named"
    if make_folder:
        path.mkdir()

    with pytest.raises(UsageError, match=says):
        load_configuration(tmp_path, {}, path=str(path))


def test_a_name_that_no_file_can_have_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_configuration(tmp_path, {}, path="x" * 5_000)


def test_the_top_of_a_repository_is_found_from_any_folder_in_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a" / "b").mkdir(parents=True)

    assert top_of(tmp_path / "a" / "b") == tmp_path.resolve()


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        top_of(tmp_path / "nowhere")


# --- On a forge ------------------------------------------------------------------------------------------------------


def test_a_file_whose_text_the_forge_does_not_give_is_an_error_and_not_absent() -> None:
    branch = Branch("main", {"draftgate.yml": UnreadText("it is no text"), ".github/draftgate.yml": None})

    with pytest.raises(ConfigurationError) as caught:
        file_of(branch, None)

    assert [str(problem) for problem in caught.value.problems] == [
        "draftgate.yml: it is no text — keep the configuration a small text file"
    ]


def test_a_branch_without_a_file_has_none() -> None:
    assert file_of(Branch("main", {"draftgate.yml": None}), None) is None


def test_a_named_file_that_the_branch_lacks_is_an_error() -> None:
    with pytest.raises(ConfigurationError) as caught:
        file_of(Branch("release", {"ci/a.yml": None}), "ci/a.yml")

    assert str(caught.value.problems[0]).startswith("ci/a.yml: there is no such file on the branch release")


def test_the_checks_that_are_always_on_are_those_that_say_so() -> None:
    assert {check.id for check in load_checks() if not check.can_be_disabled} == ALWAYS_ON
