"""Rules of the house that no linter knows.

Documents name real paths, packages say why they exist, modules are named for what they hold, a start
imports only what it needs, and tests stay on this machine. Import direction is import-linter's part.
"""

from __future__ import annotations

import ast
import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "draftgate"
DOCUMENTS = sorted(page for place in (".", "benchmarks", "docs/**", "tests/**") for page in ROOT.glob(f"{place}/*.md"))
PACKAGES = sorted({module.parent for module in SOURCE.rglob("*.py")})

CODE_SPAN = re.compile(r"`([^`\s]+)`")
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
TOP_FOLDERS = (".ci", ".github", "benchmarks", "docs", "requirements", "scripts", "src", "tests")

NAMES_THAT_SAY_NOTHING = {
    "common",
    "core",
    "handler",
    "handlers",
    "helper",
    "helpers",
    "manager",
    "managers",
    "service",
    "services",
    "util",
    "utils",
}

# Each costs a start 20 ms to 2 s, and none is needed to print help or to read a configuration.
SLOW_TO_IMPORT = {
    "anthropic",
    "ast_grep_py",
    "github",
    "gitlab",
    "jinja2",
    "openai",
    "pydantic_ai",
    "rich",
    "sqlglot",
}
RUN_AND_LIST_MODULES = """
import json, sys
from draftgate.__main__ import main
try:
    code = main()
except SystemExit as exit:
    code = exit.code
print(json.dumps({"code": code or 0, "modules": sorted(sys.modules)}), file=sys.stderr)
"""


def _relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _names_a_missing_path(span: str) -> bool:
    """`<name>` in a path stands for any name."""
    if span.partition("/")[0] not in TOP_FOLDERS or "/" not in span:
        return False
    pattern = re.sub(r"<[^>]*>", "*", span).rstrip("/")
    return not any(ROOT.glob(pattern))


@pytest.mark.parametrize("document", DOCUMENTS, ids=_relative)
def test_a_document_names_only_paths_that_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")

    missing_paths = [span for span in CODE_SPAN.findall(text) if _names_a_missing_path(span)]
    missing_links = [link for link in LINK.findall(text) if ":" not in link and not (document.parent / link).exists()]

    assert (missing_paths, missing_links) == ([], [])


@pytest.mark.parametrize("package", PACKAGES, ids=_relative)
def test_a_package_says_why_it_exists(package: Path) -> None:
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))

    assert docstring


def test_a_module_is_named_for_what_it_holds() -> None:
    vague = [_relative(module) for module in SOURCE.rglob("*") if module.stem in NAMES_THAT_SAY_NOTHING]

    assert vague == []


@pytest.mark.parametrize("arguments", [["--help"], ["config", "check"]], ids=" ".join)
def test_a_start_imports_nothing_that_it_does_not_need(arguments: list[str], tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / "draftgate.yml").write_text("version: 1\n", encoding="utf-8")

    program = [sys.executable, "-c", RUN_AND_LIST_MODULES, *arguments]
    run = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stderr
    report = json.loads(run.stderr.splitlines()[-1])
    assert report["code"] == 0, run.stdout + run.stderr
    assert SLOW_TO_IMPORT.intersection(report["modules"]) == set()


def test_tests_cannot_reach_another_machine() -> None:
    with pytest.raises(RuntimeError, match="loopback only"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    with pytest.raises(RuntimeError, match="loopback only"):
        socket.getaddrinfo("example.invalid", 80)


def test_tests_can_reach_this_machine() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname(), timeout=1)

    client.close()
