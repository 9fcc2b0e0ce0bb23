"""What is made of the facts: the forge, what is left out, other bots, and how far the checks see."""

from __future__ import annotations

import pytest

from draftgate.domain.paths import matches_any
from draftgate.errors import UsageError
from draftgate.setup.address import ForgeName
from draftgate.setup.survey import survey
from tests.unit.setup.places import COVERS, GITHUB, GITLAB, shown, surveyed


@pytest.mark.parametrize(
    ("url", "files", "forge"),
    [
        (GITHUB, {".gitlab-ci.yml": ""}, "github"),
        (GITLAB, {".github/CODEOWNERS": ""}, "gitlab"),
        ("https://git.acme.example/a/b", {".github/CODEOWNERS": ""}, "github"),
        ("https://git.acme.example/a/b", {".gitlab-ci.yml": ""}, "gitlab"),
        ("/srv/git/shop.git", {".gitlab-ci.yml": ""}, "gitlab"),
    ],
)
def test_the_host_decides_and_then_the_files(url: str, files: dict[str, str], forge: str) -> None:
    assert surveyed(files, url=url).forge == forge


@pytest.mark.parametrize(
    ("url", "files", "words"),
    [
        ("https://git.acme.example/a/b", {}, "git.acme.example does not say"),
        ("https://git.acme.example/a/b", {".gitlab-ci.yml": "", ".github/x": ""}, "files of both"),
        ("/srv/git/shop.git", {}, "no remote with an address"),
        ("https://bitbucket.org/a/b", {".github/x": ""}, "GitHub and GitLab alone"),
    ],
)
def test_where_nothing_decides_the_person_is_asked_to_name_it(url: str, files: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words) as refused:
        surveyed(files, url=url)

    assert "--forge github" in refused.value.hint
    assert surveyed(files, url=url, forge="gitlab").forge == "gitlab"


def test_remotes_on_different_forges_of_which_none_stands_out_are_refused() -> None:
    remotes = {"hub": GITHUB, "lab": GITLAB}

    with pytest.raises(UsageError, match="several remotes") as refused:
        survey(shown(remotes=remotes), COVERS)

    assert refused.value.hint == "name one, as in `--remote hub`"
    assert survey(shown(remotes=remotes), COVERS, remote="lab").forge is ForgeName.GITLAB
    assert survey(shown(remotes=remotes, followed="lab"), COVERS).forge is ForgeName.GITLAB
    assert survey(shown(remotes=remotes), COVERS, forge=ForgeName.GITLAB).address is not None


def test_a_remote_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError, match="no remote 'upstream'") as refused:
        survey(shown(), COVERS, remote="upstream")

    assert refused.value.hint == "there are origin"


def test_folders_of_others_and_built_files_are_left_out_if_they_are_there() -> None:
    files = dict.fromkeys(
        [
            "app/a.rb",
            "vendor/a.rb",
            "Gemfile.lock",
            "web/dist/a.js",
            "web/src/distance.js",
            "web/package-lock.json",
            "api/a_pb2.py",
            "public/assets/a.js",
        ],
        "",
    )

    globs = [proposal.glob for proposal in surveyed(files).left_out]

    assert globs == ["web/dist/**", "public/assets/**", "**/*_pb2.py", "**/package-lock.json"]
    assert [path for path in files if not matches_any(path, [*globs, "vendor/**", "**/*.lock"])] == [
        "app/a.rb",
        "web/src/distance.js",
    ]


def test_many_folders_of_one_name_are_one_glob() -> None:
    files = {f"p{number}/dist/a.js": "" for number in range(9)} | {"a.py": ""}

    assert [proposal.glob for proposal in surveyed(files).left_out] == ["**/dist/**"]


def test_what_gitattributes_marks_is_left_out() -> None:
    attributes = "# x linguist-generated\n/api/** linguist-generated=true\n*.gen.ts linguist-generated\nlib/ -diff\n"
    files = {".gitattributes": attributes, "api/a.py": "", "x/y.gen.ts": "", "lib/a.py": ""}

    assert [proposal.glob for proposal in surveyed(files).left_out] == ["api/**", "**/*.gen.ts"]


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("PR-Agent", {".pr_agent.toml": '[ignore]\nglob = ["gen/**", 7]\n'}),
        ("CodeRabbit", {".coderabbit.yaml": 'reviews:\n  path_filters: ["!gen/**", "src/**"]\n'}),
        ("Sourcery", {".sourcery.yaml": "ignore:\n  - gen/**\n"}),
    ],
)
def test_what_another_bot_leaves_out_is_left_out_here(name: str, files: dict[str, str]) -> None:
    known = surveyed({**files, "gen/a.py": "", "src/a.py": ""})

    assert [bot.name for bot in known.bots] == [name]
    assert [(proposal.glob, proposal.why) for proposal in known.left_out] == [("gen/**", f"as {name} leaves it out")]


@pytest.mark.parametrize(
    "text", ["[ignore", "ignore = 3", "[ignore]\nglob = 3", '[ignore]\nglob = ["**", "/", "[z-a]", "a\\"b", "*"]']
)
def test_a_setting_of_another_bot_that_makes_no_sense_proposes_nothing(text: str) -> None:
    known = surveyed({".pr_agent.toml": text, "a.py": "", "b.py": ""})

    assert known.left_out == ()


def test_a_bot_that_a_workflow_starts_shares_the_account_and_one_with_an_app_does_not() -> None:
    files = {
        ".github/workflows/lint.yml": "steps:\n- uses: reviewdog/action-eslint@v1\n# uses: qodo-ai/pr-agent@main\n",
        ".github/workflows/claude.yml": "steps:\n- uses: anthropics/claude-code-action@v1\n",
        "Dangerfile": "",
    }

    bots = {bot.name: bot.shares_account for bot in surveyed(files).bots}

    assert bots == {"Danger": False, "reviewdog": True, "Claude Code": False}
    assert surveyed(files).shares_account
    assert not surveyed(files, url=GITLAB).shares_account


def test_rule_files_and_ci_systems_are_named() -> None:
    files = dict.fromkeys(
        "AGENTS.md pkg/AGENTS.md CONTRIBUTING.md .cursorrules src/x.py .circleci/config.yml Jenkinsfile".split(), ""
    )

    known = surveyed(files)

    assert known.rules == (".cursorrules", "AGENTS.md", "CONTRIBUTING.md", "pkg/AGENTS.md")
    assert known.ci == {"CircleCI": (".circleci/config.yml",), "Jenkins": ("Jenkinsfile",)}


def test_files_that_no_check_reads_are_counted_by_language() -> None:
    known = surveyed(dict.fromkeys(["a.py", "b.py", "c.rb", "d.go", "e.go", "f.ts", "README.md", "vendor/g.py"], ""))

    assert known.reach.source_files == 6
    assert known.reach.by_check == {"impact.callers": 2, "db.unique-validation": 3}
    assert known.reach.unread == (("Go", 2), ("TypeScript", 1))
