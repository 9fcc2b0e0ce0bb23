"""``draftgate init`` as a person meets it: several kinds of repositories, the question, a second run."""

from __future__ import annotations

import itertools
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from draftgate.setup.released import PLACE_OF_ACTION, PLACE_OF_IMAGE
from tests.git_builder import Content, Link, Repo
from tests.program import PROGRAM, draftgate, program_environment

GITHUB = "git@github.com:acme/shop.git"
GITLAB = "https://gitlab.com/acme/shop.git"
WORKFLOW = ".github/workflows/draftgate.yml"
TEMPLATE = ".gitlab/draftgate-template.yml"
ACTION = ("--action", "tools/draftgate@" + "1" * 40)
IMAGE = ("--image", "r.example.com/draftgate@sha256:" + "2" * 64)

RAILS: Mapping[str, Content] = {
    "Gemfile": "source 'https://rubygems.org'\n",
    "Gemfile.lock": "GEM\n",
    "app/models/team.rb": "class Team < ApplicationRecord\n  validates :name, uniqueness: true\nend\n",
    "db/migrate/1_teams.rb": "class Teams < ActiveRecord::Migration[7.1]\nend\n",
    "app/javascript/a.js": "1\n",
    "public/assets/a.js": "1\n",
    "AGENTS.md": "Write tests.\n",
    "Dangerfile": "warn 'x'\n",
    ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    steps:\n      - run: bundle exec danger\n",
    ".github/dependabot.yml": "version: 2\n",
}
DJANGO: Mapping[str, Content] = {
    "manage.py": "import os\n",
    "shop/models.py": "from django.db import models\n",
    "shop/migrations/0001_initial.py": "from django.db import migrations\n",
    "CONTRIBUTING.md": "",
    ".gitlab-ci.yml": "# ours\nstages: [lint, deploy]\n\ninclude:\n  - template: Jobs/SAST.gitlab-ci.yml  # keep\n\n"
    ".base: &base\n  image: python:3.12\n\nlint:\n  <<: *base\n  stage: lint\n  script: !reference [.base, script]\n",
}
MONOREPO: Mapping[str, Content] = {
    **{f"packages/p{number}/dist/index.js": "1\n" for number in range(6)},
    "services/api/go.sum": "x\n",
    "services/api/main.go": "package main\n",
    "packages/p1/src/index.ts": "1\n",
    "tools/x.py": "1\n",
    "pnpm-lock.yaml": "x\n",
}
KINDS = {
    "Rails on GitHub": (RAILS, GITHUB),
    "Django on GitLab": (DJANGO, GITLAB),
    "a monorepo": (MONOREPO, GITHUB),
    "next to nothing": ({"README": "x\n"}, GITLAB),
}


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def repo(request: pytest.FixtureRequest, tmp_path: Path) -> Repo:
    files, url = request.param
    return made(tmp_path, files, url)


def made(path: Path, files: Mapping[str, Content], url: str | None) -> Repo:
    repo = Repo.create(path)
    if url:
        repo.git("remote", "add", "origin", url)
    repo.commit(files)
    return repo


def files_of(root: Path) -> dict[str, bytes]:
    """Every file of a checkout, ours and hidden ones among them."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }


def test_it_writes_what_it_shows_the_settings_are_valid_and_a_second_run_writes_nothing(repo: Repo) -> None:
    shown = draftgate("init", "--dry-run", cwd=repo.path, expect=0).stdout
    before = files_of(repo.path)
    done = draftgate("init", "--yes", cwd=repo.path, expect=0)
    after = files_of(repo.path)
    repo.commit(message="draftgate")
    again = draftgate("init", "--yes", cwd=repo.path, expect=0)

    checked = draftgate("config", "check", cwd=repo.path, expect=0)
    assert checked.stdout.endswith("draftgate.yml is fine.\n")
    assert checked.stderr == ""
    assert files_of(repo.path) == after
    assert "Nothing is to be written." in again.stdout
    assert set(re.findall(r"^wrote (.+)$", done.stdout, re.MULTILINE)) == {
        path for path in after if after[path] != before.get(path)
    }
    assert draftgate("review", "--agents", "builtin", cwd=repo.path).code == 0
    repo.git("checkout", "--quiet", "HEAD~1")
    repo.git("apply", stdin=shown.encode())
    assert files_of(repo.path) == after, "the diff that was shown is what was written"


def test_what_it_sees_of_a_rails_application(tmp_path: Path) -> None:
    made(tmp_path, RAILS, GITHUB)

    seen = draftgate("init", "--dry-run", cwd=tmp_path, expect=0).stdout

    assert "GitHub, github.com/acme/shop (remote origin)" in seen
    assert "Danger (Dangerfile, .github/workflows/ci.yml)" in seen
    assert "rule files      AGENTS.md" in seen
    assert "no check reads JavaScript 1" in seen
    assert "+++ b/.github/draftgate.yml" in seen
    assert '+      - "public/assets/**" # built' in seen
    assert "note: Danger may write as `github-actions[bot]` too" in seen


def test_an_entry_in_a_pipeline_leaves_every_other_byte(tmp_path: Path) -> None:
    made(tmp_path, DJANGO, GITLAB)
    old = str(DJANGO[".gitlab-ci.yml"])

    draftgate("init", "--yes", *IMAGE, "--route", "webhook", cwd=tmp_path, expect=0)

    new = (tmp_path / ".gitlab-ci.yml").read_text(encoding="utf-8")
    entry = (
        f"  - local: /{TEMPLATE}\n    inputs:\n      image: {IMAGE[1]}\n      route: webhook\n      sweep: false\n"
        "      stage: lint\n"
    )
    assert new.replace(entry, "", 1) == old
    assert entry in new


def test_a_release_that_is_named_later_is_filled_in(tmp_path: Path) -> None:
    made(tmp_path, {"a": ""}, GITHUB)
    first = draftgate("init", "--yes", cwd=tmp_path, expect=0)
    draftgate("init", "--yes", *ACTION, cwd=tmp_path, expect=0)
    last = draftgate("init", "--yes", cwd=tmp_path, expect=0)

    assert "where `OWNER` and the zeros stand" in first.stdout
    assert "where `OWNER` and the zeros stand" not in last.stdout
    assert PLACE_OF_ACTION not in (tmp_path / WORKFLOW).read_text(encoding="utf-8")
    assert "/tools/draftgate/1111" in (tmp_path / "draftgate.yml").read_text(encoding="utf-8").splitlines()[0]


def test_an_app_is_remembered_by_the_workflow_that_takes_it(tmp_path: Path) -> None:
    made(tmp_path, {"a": ""}, GITHUB)
    draftgate("init", "--yes", "--auth", "app", *ACTION, cwd=tmp_path, expect=0)

    again = draftgate("init", cwd=tmp_path, expect=0).stdout

    assert "Nothing is to be written." in again
    assert "https://github.com/acme/shop/settings/environments/new" in again
    assert f"{WORKFLOW} is there" in again


def test_edits_stay(tmp_path: Path) -> None:
    made(tmp_path, {"a": ""}, GITHUB)
    draftgate("init", "--yes", *ACTION, cwd=tmp_path, expect=0)
    for path in ("draftgate.yml", WORKFLOW):
        text = (tmp_path / path).read_text(encoding="utf-8")
        (tmp_path / path).write_text(
            text.replace("timeout-minutes: 20", "timeout-minutes:   9") + "# mine\n", encoding="utf-8"
        )
    edited = files_of(tmp_path)

    done = draftgate("init", "--yes", "--auth", "app", cwd=tmp_path, expect=0)

    assert files_of(tmp_path) == edited
    assert "it stays as it is" in done.stdout
    assert "-    timeout-minutes:   9" in done.stdout


class Terminal:
    """``draftgate init`` at a terminal of its own."""

    def __init__(self, root: Path, *arguments: str) -> None:
        self._ours, theirs = os.openpty()
        self.process = subprocess.Popen(
            [*PROGRAM, "init", *arguments],
            cwd=root,
            env=program_environment(TERM="xterm"),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = b""

    def read_until(self, words: bytes) -> None:
        while words not in self.seen:
            ready, _, _ = select.select([self._ours], [], [], 30)
            assert ready, self.seen
            self.seen += os.read(self._ours, 65536)

    def type(self, text: bytes) -> None:
        os.write(self._ours, text)

    def end(self) -> tuple[int, str]:
        try:
            while chunk := os.read(self._ours, 65536):
                self.seen += chunk
        except OSError:  # the program closed the terminal
            pass
        code = self.process.wait(30)
        os.close(self._ours)
        return code, self.seen.decode()


@pytest.mark.parametrize(
    ("answer", "code", "words", "is_written"),
    [
        pytest.param(b"y\n", 0, "wrote draftgate.yml", True, id="yes"),
        pytest.param(b"n\n", 0, "Nothing was written.", False, id="no"),
        pytest.param(b"\n", 0, "Nothing was written.", False, id="return alone"),
        pytest.param(b"\x04", 0, "Nothing was written.", False, id="end of input"),
        pytest.param(None, 130, "interrupted", False, id="ctrl-c"),
    ],
)
def test_at_a_terminal_it_asks(
    answer: bytes | None, code: int, words: str, tmp_path: Path, *, is_written: bool
) -> None:
    made(tmp_path, {"a": ""}, GITHUB)
    terminal = Terminal(tmp_path)

    terminal.read_until(b"Write these 2 files? [y/N]")
    assert not (tmp_path / "draftgate.yml").exists()
    if answer is None:
        terminal.process.send_signal(signal.SIGINT)
    else:
        terminal.type(answer)
    ended, seen = terminal.end()

    assert ended == code, seen
    assert words in seen
    assert "\x1b[32m+" in seen
    assert [(tmp_path / path).exists() for path in ("draftgate.yml", WORKFLOW)] == [is_written] * 2


def test_without_a_terminal_it_shows_the_diff_and_says_how_to_apply_it(tmp_path: Path) -> None:
    made(tmp_path, {"a": ""}, GITHUB)

    done = draftgate("init", cwd=tmp_path, expect=2)

    assert "+++ b/draftgate.yml" in done.stdout
    assert "`--yes`" in done.stderr
    assert not (tmp_path / "draftgate.yml").exists()


def test_a_run_that_is_killed_at_any_write_leaves_whole_files_and_the_next_one_finishes(tmp_path: Path) -> None:
    whole = files_of(_set_up(tmp_path / "whole").path)
    stopped = 0
    for number in itertools.count():
        root = tmp_path / str(number)
        made(root, {"a": ""}, GITLAB)
        ended = subprocess.run(
            [sys.executable, "-c", KILLED_AT_A_WRITE, str(number)],
            cwd=root,
            env=program_environment(),
            capture_output=True,
            timeout=60,
            check=False,
        )
        left = {path: content for path, content in files_of(root).items() if not path.endswith(".draftgate-new")}

        assert ended.returncode in {0, -signal.SIGKILL}, ended.stderr
        assert left.items() <= whole.items()
        assert files_of(_set_up(root, is_new=False).path) == whole
        if ended.returncode == 0:
            break
        stopped += 1

    assert stopped >= 3 * 2, "each of three files is opened and renamed"


def _set_up(root: Path, *, is_new: bool = True) -> Repo:
    repo = made(root, {"a": ""}, GITLAB) if is_new else Repo(root)
    draftgate("init", "--yes", cwd=root, expect=0)
    return repo


KILLED_AT_A_WRITE = """
import os, signal, sys
left = int(sys.argv.pop(1))
sys.argv[1:] = ["init", "--yes"]
NAMES = (".draftgate-new", ".gitlab")

def watch(event, arguments):
    global left
    is_write = event in {"os.mkdir", "os.rename", "os.remove"} or (
        event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT
    )
    if is_write and str(arguments[0]).endswith(NAMES):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

from draftgate.__main__ import main
sys.addaudithook(watch)
main()
"""


@pytest.mark.parametrize("link", [".github", WORKFLOW, "draftgate.yml"])
def test_nothing_is_written_through_a_link(link: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    repo = made(tmp_path / "repo", {"a": ""}, GITHUB)
    (repo.path / link).parent.mkdir(parents=True, exist_ok=True)
    (repo.path / link).symlink_to(outside)

    done = draftgate("init", "--yes", cwd=repo.path, expect=2)

    assert "symbolic link" in done.stderr
    assert list(outside.iterdir()) == []
    assert set(files_of(repo.path)) == {"a"}


def test_from_a_subfolder_it_writes_at_the_top_and_says_where(tmp_path: Path) -> None:
    made(tmp_path, {"src/a.py": ""}, GITHUB)

    done = draftgate("init", "--yes", "src", cwd=tmp_path, expect=0)

    assert str(tmp_path) in done.stdout
    assert (tmp_path / "draftgate.yml").exists()
    assert not (tmp_path / "src/draftgate.yml").exists()


def test_a_repository_without_commits_a_detached_head_and_a_dirty_work_tree_are_no_obstacle(tmp_path: Path) -> None:
    fresh = Repo.create(tmp_path / "fresh")
    fresh.git("remote", "add", "origin", GITHUB)
    detached = made(tmp_path / "detached", DJANGO, GITLAB)
    detached.git("checkout", "--quiet", "--detach")
    detached.write({".gitlab-ci.yml": str(DJANGO[".gitlab-ci.yml"]) + "# not committed\n"})

    draftgate("init", "--yes", cwd=fresh.path, expect=0)
    done = draftgate("init", "--yes", cwd=detached.path, expect=0)

    assert (fresh.path / WORKFLOW).exists()
    assert "note: .gitlab-ci.yml has changes that are not committed; they stay" in done.stdout
    assert (detached.path / ".gitlab-ci.yml").read_text(encoding="utf-8").endswith("# not committed\n")


def refusals() -> Iterator[tuple[str, tuple[str, ...], str]]:
    yield "no remote", (), "write `--forge github` or `--forge gitlab`"
    yield "remote", ("--forge", "bitbucket"), "there is no forge 'bitbucket'"
    yield "remote", ("--auth", "key"), "write app or token"
    yield "remote", ("--remote", "upstream"), "there is no remote 'upstream'"
    yield "remote", ("--route", "webhook"), "`--route` is not for GitHub"
    yield "remote", ("--forge", "gitlab", "--auth", "app"), "`--auth` is not for GitLab"
    yield "remote", ("--forge", "gitlab", "--route", "cron"), "merge-request, manual, webhook or sweep"
    yield "remote", ("--forge", "gitlab", "--include", "file"), "local, remote, project or component"
    yield "remote", ("--action", "tools/draftgate@v1"), "all 40 characters"
    yield "remote", ("--forge", "gitlab", "--image", "a b"), "is no image"
    yield "remote", ("--dry-run", "--yes"), "leave one of them out"
    yield "two configurations", (), "keep one of them"
    yield "a broken configuration", (), "did you mean `language`"
    yield "bare", (), "a bare repository has no files"
    yield "none", (), "not in a git repository"


@pytest.mark.parametrize(("kind", "arguments", "words"), list(refusals()), ids=lambda value: str(value)[:40])
def test_what_cannot_be_done_is_refused_with_what_to_write(
    kind: str, arguments: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    root = tmp_path / "repo"
    files: dict[str, Content] = {"a": ""}
    files |= {"draftgate.yml": "langauge: en\n"} if kind == "a broken configuration" else {}
    files |= {"draftgate.yml": "version: 1\n", ".github/draftgate.yml": ""} if kind == "two configurations" else {}
    if kind == "none":
        root.mkdir()
    else:
        repo = made(root, files, None if kind == "no remote" else GITHUB)
        root = repo.clone(tmp_path / "bare", "--bare").path if kind == "bare" else root
    before = files_of(root)

    done = draftgate("init", "--yes", *arguments, cwd=root, expect=2)

    assert words in done.stderr
    assert "→" in done.stderr
    assert files_of(root) == before


def test_names_and_lines_of_the_repository_do_not_act_on_the_terminal(tmp_path: Path) -> None:
    made(tmp_path, {".gitlab-ci.yml": "# \u202e\u001b[31m\na: {script: x}\n".replace("\u001b", ""),
                    "x\x1b]0;t\x07/AGENTS.md": ""}, GITLAB)  # fmt: skip

    done = draftgate("init", "--dry-run", cwd=tmp_path, expect=0)

    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", done.stdout)
    assert "⟨U+202E⟩" in done.stdout


def test_an_ignored_file_is_said_with_what_to_do(tmp_path: Path) -> None:
    made(tmp_path, {".gitignore": "*.yml\n"}, GITHUB)

    done = draftgate("init", "--dry-run", cwd=tmp_path, expect=0)

    assert "`git add --force draftgate.yml`" in done.stdout


def test_a_password_in_a_remote_is_shown_nowhere(tmp_path: Path) -> None:
    made(tmp_path, {"a": ""}, "https://user:hunter2@gitlab.com/acme/shop.git")

    done = draftgate("--verbose", "init", "--dry-run", cwd=tmp_path, expect=0)

    assert "gitlab.com/acme/shop" in done.stdout
    assert "hunter2" not in done.stdout + done.stderr


def test_a_short_form_of_the_persons_own_is_spelt_out(tmp_path: Path) -> None:
    made(tmp_path / "repo", {"a": ""}, "work:shop")
    (tmp_path / "config").write_text('[url "git@github.acme.example:team/"]\n\tinsteadOf = work:\n', encoding="utf-8")
    environment = {**program_environment(), "GIT_CONFIG_GLOBAL": str(tmp_path / "config")}

    done = draftgate("init", "--dry-run", cwd=tmp_path / "repo", environment=environment, expect=0)

    assert "github.acme.example/team/shop" in done.stdout


def test_a_link_that_people_keep_for_their_tools_is_no_obstacle(tmp_path: Path) -> None:
    made(tmp_path, {"AGENTS.md": "x\n", "CLAUDE.md": Link("AGENTS.md")}, GITHUB)

    draftgate("init", "--yes", cwd=tmp_path, expect=0)

    assert (tmp_path / "CLAUDE.md").is_symlink()


def test_an_image_of_the_projects_own_registry_may_be_named(tmp_path: Path) -> None:
    made(tmp_path, {"a": ""}, GITLAB)

    draftgate("init", "--yes", "--image", "$CI_REGISTRY/tools/draftgate:1.2", cwd=tmp_path, expect=0)

    assert "image: $CI_REGISTRY/tools/draftgate:1.2\n" in (tmp_path / ".gitlab-ci.yml").read_text(encoding="utf-8")


def test_a_pipeline_without_an_image_says_so_first(tmp_path: Path) -> None:
    made(tmp_path, {"a": ""}, GITLAB)

    done = draftgate("init", "--yes", cwd=tmp_path, expect=0)

    assert PLACE_OF_IMAGE in (tmp_path / ".gitlab-ci.yml").read_text(encoding="utf-8")
    assert "`draftgate init --image IMAGE@sha256:…` does it" in done.stdout
