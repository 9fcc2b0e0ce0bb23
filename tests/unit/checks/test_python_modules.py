"""Which file an import reads, in layouts that real projects have."""

from __future__ import annotations

import pytest

from draftgate.checks.python.modules import Codebase, Entity, EntityKind
from tests.unit.checks.changes import Tree

FILES = {
    "README.md": "",
    "tool.py": "",
    "types.py": "",
    "app/__init__.py": "from .core import run\nfrom .shapes import *\n",
    "app/core.py": "def run(): ...\n",
    "app/shapes.py": "class Box: ...\n\n\ndef _hidden(): ...\n",
    "app/types.py": "",
    "app/sub/__init__.py": "",
    "app/sub/core.py": "from ..core import run as start\n",
    "src/lib/__init__.py": "",
    "src/lib/io.py": "",
    "site/projects/__init__.py": "",
    "site/projects/views.py": "",
    "site/builds/models.py": "",
    "one/shared/util.py": "",
    "two/shared/util.py": "",
    "scripts/helper.py": "",
    "loop/__init__.py": "from .a import x\n",
    "loop/a.py": "from . import x\n",
}


@pytest.fixture(name="codebase")
def make_codebase() -> Codebase:
    return Codebase(Tree(FILES), {})


@pytest.mark.parametrize(
    ("importer", "module", "level", "path"),
    [
        pytest.param("tool.py", "app.core", 0, "app/core.py", id="from the top"),
        pytest.param("tool.py", "app", 0, "app/__init__.py", id="package"),
        pytest.param("tool.py", "lib.io", 0, "src/lib/io.py", id="below src"),
        pytest.param("app/sub/core.py", "core", 2, "app/core.py", id="relative"),
        pytest.param("app/sub/core.py", "", 1, "app/sub/__init__.py", id="own package"),
        pytest.param("site/builds/models.py", "projects.views", 0, "site/projects/views.py", id="own import root"),
        pytest.param("tool.py", "projects.views", 0, "site/projects/views.py", id="the only one of two parts"),
        pytest.param("two/run.py", "shared.util", 0, "two/shared/util.py", id="two, one of them near"),
        pytest.param("tool.py", "shared.util", 0, None, id="two, none of them near"),
        pytest.param("scripts/run.py", "helper", 0, "scripts/helper.py", id="beside a script"),
        pytest.param("app/shapes.py", "core", 0, None, id="inside a package no neighbour is meant"),
        pytest.param("tool.py", "helper", 0, None, id="one part alone in another folder"),
        pytest.param("tool.py", "django.db", 0, None, id="outside"),
    ],
)
def test_an_import_reads_a_file(codebase: Codebase, importer: str, module: str, level: int, path: str | None) -> None:
    assert codebase.module(importer, module, level) == path


@pytest.mark.parametrize(
    ("path", "name", "entity"),
    [
        pytest.param("app/__init__.py", "run", Entity(EntityKind.FUNCTION, "app/core.py", "run"), id="re-export"),
        pytest.param("app/__init__.py", "Box", Entity(EntityKind.CLASS, "app/shapes.py", "Box"), id="star"),
        pytest.param("app/__init__.py", "_hidden", None, id="a star leaves private names out"),
        pytest.param("app/__init__.py", "sub", Entity(EntityKind.MODULE, "app/sub/__init__.py"), id="submodule"),
        pytest.param("app/sub/core.py", "start", Entity(EntityKind.FUNCTION, "app/core.py", "run"), id="alias"),
        pytest.param("loop/__init__.py", "x", None, id="a circle"),
        pytest.param("app/core.py", "walk", None, id="no such name"),
    ],
)
def test_a_name_is_followed_to_its_definition(codebase: Codebase, path: str, name: str, entity: Entity | None) -> None:
    assert codebase.find(path, name) == entity
