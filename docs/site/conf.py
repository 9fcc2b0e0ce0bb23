"""How Sphinx makes the site out of the Markdown pages of the repository: ``make site``.

The pages are written for GitHub and GitLab first, so nothing in them is Sphinx's own. What the site needs besides is
made here while a page is read: the navigation, the picture in two colours, and diagrams as SVG, so that a built page
asks no other host for anything. ADR 15 says why it is Sphinx.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import mmdr
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
HOME = "README"

NAVIGATION = {
    "Begin": ["docs/tutorial"],
    "Set up": [
        "docs/how-to/init",
        "docs/how-to/github",
        "docs/how-to/gitlab",
        "docs/how-to/configuration",
        "docs/how-to/models",
        "docs/how-to/doctor",
        "docs/how-to/image",
        "docs/how-to/upgrade",
    ],
    "Reference": [
        "docs/reference/commands",
        "docs/reference/configuration",
        "docs/reference/cli",
        "docs/reference/checks",
        "docs/reference/agents",
        "docs/reference/permissions",
        "docs/reference/doctor",
        "docs/reference/exit-codes",
        "docs/reference/phases",
    ],
    "Background": [
        "docs/explanation/what-leaves",
        "docs/explanation/supply-chain",
        "docs/explanation/not-yet-seen",
        "docs/explanation/glossary",
        "docs/explanation/architecture",
        "benchmarks/README",
        "docs/adr/README",
    ],
    "Project": ["CHANGELOG", "CONTRIBUTING", "SECURITY", "docs/how-to/release"],
}
"""In the order of use. A page that is not here (or below, for decisions) fails the build."""

# --- Sphinx ---

project = "Draftgate"
author = "the authors of Draftgate"
root_doc = HOME
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "docs/*.md",
    "docs/adr/*.md",
    "docs/explanation/*.md",
    "docs/how-to/*.md",
    "docs/reference/*.md",
]
exclude_patterns = [".*", "site", "src", "tests"]
highlight_language = "none"

myst_heading_anchors = 4  # named as GitHub names them
myst_links_external_new_tab = False

html_theme = "furo"
html_title = "Draftgate"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_use_index = False
html_permalinks_icon = "#"
html_theme_options = {"top_of_page_buttons": []}
pygments_style = "default"
pygments_dark_style = "github-dark"

_PICTURE = re.compile(r"<picture>.*?<img[^>]* alt=\"([^\"]*)\"[^>]*>\s*</picture>", re.DOTALL)
_OUTSIDE = re.compile(r"\]\((?=(?:\.\./)*(?:src|docs/pictures)/[^)]*\.md\))")
"""Links to Markdown that is no page of the site; a reader gets the file."""
_DIAGRAM = re.compile(r"^```mermaid\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


def setup(app: Sphinx) -> None:
    """Sphinx calls it."""
    app.connect("source-read", _complete)
    app.connect("build-finished", _add_index)


def _complete(_app: Sphinx, page: str, source: list[str]) -> None:
    """Add to a page what only the site has; Sphinx takes the text from ``source[0]``."""
    text = _PICTURE.sub(_as_two_images, source[0])
    if page == HOME:
        trees = (_tree(caption, pages) for caption, pages in NAVIGATION.items())
        text += "".join(trees)
    elif page == "docs/adr/README":
        text += _tree("", sorted(path.stem for path in (ROOT / "docs" / "adr").glob("0*.md")))
    source[0] = _DIAGRAM.sub(_as_svg, _OUTSIDE.sub("](path:", text))


def _tree(caption: str, pages: list[str]) -> str:
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(("\n```{toctree}", *options, "", *pages, "```\n"))


def _as_two_images(picture: re.Match[str]) -> str:
    """The theme shows one of the two, by the colours that the reader chose."""
    images = (
        f"```{{image}} docs/pictures/checkpoint-{theme}.png\n:alt: {picture[1]}\n:class: only-{theme}\n```\n"
        for theme in ("light", "dark")
    )
    return "\n".join(images)


def _as_svg(diagram: re.Match[str]) -> str:
    svg = mmdr.render(diagram[1]).svg()
    return f'```{{raw}} html\n<div class="diagram">{svg}</div>\n```\n'


def _add_index(app: Sphinx, trouble: Exception | None) -> None:
    """What a server shows for the folder itself."""
    if trouble is None:
        shutil.copyfile(Path(app.outdir) / f"{HOME}.html", Path(app.outdir) / "index.html")
