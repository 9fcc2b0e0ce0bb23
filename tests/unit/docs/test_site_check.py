"""The check of a built site finds what would send a reader nowhere, or to another host."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.site.check import problems

FINE = {
    "index.html": '<link rel="stylesheet" href="a.css"><h1 id="top">Home</h1><a href="guide/page.html#step-2">next</a>'
    '<a href="https://example.com">elsewhere</a><img src="data:image/png;base64,AA"><img src="p.png">',
    "guide/page.html": '<a name="step-2"></a><a href="../index.html">home</a><a href="#step-2">here</a>',
    "a.css": "body { background: url('p.png') }",
    "p.png": "",
}


def found_in(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return list(problems(folder.resolve()))


def test_a_site_that_stands_on_its_own(tmp_path: Path) -> None:
    assert found_in(tmp_path, FINE) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('<a href="gone.html">x</a>', "x.html: gone.html leads nowhere"),
        ('<a href="guide/page.html#step-3">x</a>', "x.html: guide/page.html#step-3 leads nowhere"),
        ('<a href="#gone">x</a>', "x.html: #gone leads nowhere"),
        ('<img src="gone.png">', "x.html: gone.png leads nowhere"),
        ('<script src="https://cdn.test/m.js"></script>', "x.html: loads https://cdn.test/m.js from another host"),
        ('<img src="//cdn.test/a.png">', "x.html: loads //cdn.test/a.png from another host"),
        ('<link rel="preconnect" href="https://fonts.test">', "x.html: loads https://fonts.test from another host"),
        ('<p style="background: url(http://a.example/b)">', "x.html: loads http://a.example/b from another host"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, problem: str) -> None:
    assert found_in(tmp_path, {**FINE, "x.html": text}) == [problem]


def test_a_style_sheet_that_loads_from_another_host_is_named(tmp_path: Path) -> None:
    files = {**FINE, "a.css": "@import 'https://fonts.test/a.css';"}

    assert found_in(tmp_path, files) == ["a.css: loads https://fonts.test/a.css from another host"]


def test_an_empty_folder_is_no_site(tmp_path: Path) -> None:
    assert found_in(tmp_path, {}) == [f"{tmp_path.resolve()}: there is no page"]
