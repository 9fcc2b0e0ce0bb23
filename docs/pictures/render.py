"""Pictures of ``checkpoint.md`` as GitHub shows a comment, in light and in dark: ``make pictures``.

GitHub's own Markdown parser (cmark-gfm) and the style sheet that is taken from its pages; Chromium draws. The frame
around the comment is ours. Only the beginning is shown, as much as a front page has room for; where it is cut it fades
out.

Needs Chromium and its fonts (Debian: chromium fonts-liberation fonts-noto-color-emoji).
"""

from __future__ import annotations

import argparse
import html
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options
from PIL import Image
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

HERE = Path(__file__).parent
WIDTH, HEIGHT = 880, 720
"""Pixels of the page; pictures have twice as many, for screens that show them."""

COLOURS = {
    "light": {"page": "#ffffff", "text": "#1f2328", "line": "#d1d9e0", "head": "#f6f8fa", "code": "default"},
    "dark": {"page": "#0d1117", "text": "#f0f6fc", "line": "#3d444d", "head": "#151b23", "code": "github-dark"},
}


def to_html(text: str) -> str:
    """A comment as HTML; line breaks are kept, as GitHub does in comments."""
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG | Options.CMARK_OPT_HARDBREAKS
    extensions = ["table", "strikethrough", "autolink", "tagfilter", "tasklist"]
    body: str = cmarkgfm.markdown_to_html_with_extensions(text, options=options, extensions=extensions)
    return re.sub(r'<pre lang="(\w+)"><code>(.*?)</code></pre>', _highlighted, body, flags=re.DOTALL)


def _highlighted(block: re.Match[str]) -> str:
    code = highlight(html.unescape(block[2]), get_lexer_by_name(block[1]), HtmlFormatter(nowrap=True))
    return f'<div class="highlight"><pre>{code}</pre></div>'


def page(text: str, theme: str, sheet: str) -> str:
    """The whole document that is drawn."""
    colours = COLOURS[theme]
    code = HtmlFormatter(style=colours["code"]).get_style_defs(".highlight")
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><style>
{sheet}
{code}
html, body {{ margin: 0; height: {HEIGHT}px; overflow: hidden; background: {colours["page"]} }}
.box {{ margin: 2px 2px 0; border: 1px solid {colours["line"]}; border-bottom: 0; border-radius: 6px 6px 0 0 }}
.head {{ background: {colours["head"]}; border-bottom: 1px solid {colours["line"]}; border-radius: 6px 6px 0 0;
  padding: 9px 16px; color: {colours["text"]}; font: 14px/1.5 "Liberation Sans", sans-serif }}
.bot {{ border: 1px solid {colours["line"]}; border-radius: 1em; font-size: 12px; margin-left: 4px; padding: 0 7px }}
.markdown-body {{ background: {colours["page"]}; font: 14px/1.5 "Liberation Sans", "Noto Color Emoji", sans-serif;
  padding: 16px }}
.markdown-body pre, .markdown-body code {{ font-family: "Liberation Mono", monospace }}
.markdown-body .task-list-item, .markdown-body li:has(> input) {{ list-style: none }}
.highlight {{ background: transparent !important }}
.fade {{ position: fixed; bottom: 0; height: 90px; width: 100%;
  background: linear-gradient(transparent, {colours["page"]}) }}
</style><div class="box"><div class="head"><b>draftgate</b><span class="bot">bot</span> commented</div>
<div class="markdown-body">{to_html(text)}</div></div><div class="fade"></div></html>"""


def draw(document: str, picture: Path) -> None:
    """Let Chromium draw a document."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(document, encoding="utf-8")
        shot = Path(folder) / "shot.png"
        chromium = shutil.which("chromium") or shutil.which("chromium-browser") or "google-chrome"
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=2"]
        options += ["--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile"]
        options += [f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={shot}", source.as_uri()]
        subprocess.run([chromium, *options], check=True, capture_output=True, timeout=120)
        with Image.open(shot) as drawn:  # 256 colours are enough for text, and a quarter of the size
            drawn.convert("RGB").quantize(256).save(picture, optimize=True)


def main() -> None:
    """Draw both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sheets", type=Path, help="the folder of the npm package github-markdown-css")
    sheets: Path = parser.parse_args().sheets
    text = (HERE / "checkpoint.md").read_text(encoding="utf-8")
    for theme in COLOURS:
        sheet = (sheets / f"github-markdown-{theme}.css").read_text(encoding="utf-8")
        draw(page(text, theme, sheet), HERE / f"checkpoint-{theme}.png")


if __name__ == "__main__":
    main()
