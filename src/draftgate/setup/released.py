"""The files that are written for a forge, as they come with the release; the published examples are copies of them."""

from __future__ import annotations

import re
from importlib.resources import files

PLACE_OF_ACTION = "OWNER/draftgate@" + "0" * 40
PLACE_OF_SCHEMA = PLACE_OF_ACTION.replace("@", "/") + "/"
PLACE_OF_IMAGE = "registry.example.com/draftgate@sha256:" + "0" * 64
PLACE_OF_TEMPLATE = "https://HOST/OWNER/draftgate/RELEASE/.gitlab-ci-template.yml"

_HEADER = re.compile(r"\A(?:#[^\n]*\n)+")


def read_file(name: str) -> str:
    """The text of one of them: ``token.yml``, ``app.yml`` or ``gitlab.yml``."""
    return (files("draftgate.setup") / "files" / name).read_text(encoding="utf-8")


def without_header(text: str) -> str:
    """A file without the comment that it begins with."""
    return _HEADER.sub("", text)


def fill_in(text: str, action: str, image: str) -> str:
    """A text with what was named in place of what stands for it; the same text if nothing was, or nothing does."""
    schema = action.replace("@", "/") + "/"
    return text.replace(PLACE_OF_ACTION, action).replace(PLACE_OF_SCHEMA, schema).replace(PLACE_OF_IMAGE, image)
