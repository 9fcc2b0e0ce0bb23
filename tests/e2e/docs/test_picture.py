"""The picture on the front page is of what the program writes today."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from docs.pictures.checkpoint import PAGE, written_today

MOST_BYTES = 300_000


def without_figures(text: str) -> str:
    """Times differ from run to run, and digests with every configuration key; neither is what is shown for."""
    return re.sub(r"`?\b[0-9a-f]{12}\b`?", "DIGEST", re.sub(r"\b\d+\.\d s\b", "TIME", text))


def test_the_picture_is_of_what_is_written_today() -> None:
    kept = PAGE.read_text(encoding="utf-8")

    assert without_figures(kept) == without_figures(written_today()), "it has changed: make pictures"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_there_is_a_picture_for_each_theme_that_a_page_can_load(theme: str) -> None:
    picture = Path(PAGE.with_name(f"checkpoint-{theme}.png")).read_bytes()

    assert picture.startswith(b"\x89PNG")
    assert len(picture) < MOST_BYTES
    assert struct.unpack(">II", picture[16:24])[0] == 2 * 880
