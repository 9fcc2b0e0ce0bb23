"""Which configuration applies in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftgate.bootstrap.configuration import load_configuration
from draftgate.errors import ConfigurationError, UsageError


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
