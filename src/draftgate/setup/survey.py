"""What is made of the facts: forge, languages, CI, rule files, other bots, and what a review should leave out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from draftgate.config.load import CANDIDATE_PATHS
from draftgate.domain.paths import matches_any
from draftgate.errors import UsageError
from draftgate.setup.address import Address, ForgeName, addresses
from draftgate.setup.languages import Reach, languages, reach
from draftgate.setup.left_out import BY_DEFAULT, LeftOut, left_out
from draftgate.setup.other_bots import Bot, other_bots
from draftgate.setup.shown import Shown

_CI_SYSTEMS = {
    "GitHub Actions": (".github/workflows/*.yml", ".github/workflows/*.yaml"),
    "GitLab CI": ("/.gitlab-ci.yml",),
    "CircleCI": (".circleci/config.yml",),
    "Jenkins": ("/Jenkinsfile",),
    "Azure Pipelines": ("/azure-pipelines.yml", "/.azure-pipelines/**"),
    "Bitbucket Pipelines": ("/bitbucket-pipelines.yml",),
    "Travis CI": ("/.travis.yml",),
    "Buildkite": (".buildkite/*.yml",),
    "Drone": ("/.drone.yml",),
    "Woodpecker": ("/.woodpecker.yml", ".woodpecker/*"),
    "AppVeyor": ("/appveyor.yml", "/.appveyor.yml"),
    "Cirrus CI": ("/.cirrus.yml",),
}
_RULES = (
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "/CONTRIBUTING.*",
    ".github/CONTRIBUTING.*",
    "docs/CONTRIBUTING.*",
    "/CONVENTIONS.md",
    "/STYLEGUIDE.md",
    "/.cursorrules",
    ".cursor/rules/**",
    "/.windsurfrules",
    ".windsurf/rules/**",
    "/.clinerules",
    ".clinerules/**",
    ".junie/guidelines.md",
    ".github/copilot-instructions.md",
    ".github/instructions/**",
)


@dataclass(frozen=True, slots=True)
class Survey:
    """A repository as `draftgate init` understands it.

    Attributes:
        shown: The facts it is made from.
        forge: For which the files are written.
        address: Where the repository is hosted, if a remote says so.
        other_remotes: Labels of the remotes that were not taken.
        languages: Each with its number of files, most first.
        ci: The CI systems, each with its files.
        rules: The files that tell people or agents how to work here.
        bots: Review bots that are set up already.
        left_out: What a review should leave out beyond the defaults.
        reach: Which files the built-in checks read.
        configuration: The configuration file that is there.
    """

    shown: Shown
    forge: ForgeName
    address: Address | None
    other_remotes: tuple[str, ...]
    languages: tuple[tuple[str, int], ...]
    ci: Mapping[str, tuple[str, ...]]
    rules: tuple[str, ...]
    bots: tuple[Bot, ...]
    left_out: tuple[LeftOut, ...]
    reach: Reach
    configuration: str | None

    @property
    def target_branch(self) -> str:
        """The branch that changes go to, as far as the clone knows; else ``main``."""
        return self.shown.default_branch or self.shown.branch or "main"

    @property
    def shares_account(self) -> bool:
        """Another bot writes with the workflow token here, which is one account for all workflows of a repository."""
        return self.forge is ForgeName.GITHUB and any(bot.shares_account for bot in self.bots)


def survey(
    shown: Shown,
    covers: Mapping[str, tuple[str, ...]],
    *,
    excluded: tuple[str, ...] = BY_DEFAULT,
    forge: ForgeName | None = None,
    remote: str | None = None,
) -> Survey:
    """Understand a repository.

    Args:
        shown: What it shows.
        covers: The globs of the files that each built-in check reads, by its id.
        excluded: What the configuration leaves out already.
        forge: The forge that the person named.
        remote: The remote that the person named.

    Raises:
        UsageError: It cannot be told which forge is meant, or it is one that Draftgate does not know.
    """
    address, others = _choose_address(shown, forge, remote)
    bots = other_bots(shown)
    globs = left_out(shown, bots, excluded)
    all_excluded = (*excluded, *(proposal.glob for proposal in globs))
    reviewed = tuple(path for path in shown.paths if not matches_any(path, all_excluded))
    return Survey(
        shown,
        forge or _choose_forge(shown, address),
        address,
        tuple(other.remote for other in others),
        languages(reviewed),
        {name: found for name, globs in _CI_SYSTEMS.items() if (found := _matching(shown, globs))},
        _matching(shown, _RULES),
        bots,
        globs,
        reach(reviewed, covers),
        next((path for path in CANDIDATE_PATHS if path in shown.contents), None),
    )


def _matching(shown: Shown, globs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in shown.paths if matches_any(path, globs))


def _choose_address(
    shown: Shown, forge: ForgeName | None, remote: str | None
) -> tuple[Address | None, tuple[Address, ...]]:
    """The remote that is meant, and those that are not."""
    found = addresses(shown)
    if remote is not None:
        return _named(remote, shown, found), ()
    fitting = [address for address in found if forge is None or address.forge in (forge, None)]
    if not fitting:
        return None, found
    first, *rest = fitting
    certain = first.remote in {shown.followed, "origin"}
    if not certain and any(other.forge != first.forge for other in rest):
        listed = ", ".join(f"{address.remote} ({address.host})" for address in fitting)
        raise UsageError(f"several remotes could be meant: {listed}", hint=f"name one, as in `--remote {first.remote}`")
    return first, tuple(address for address in found if address is not first)


def _named(remote: str, shown: Shown, found: tuple[Address, ...]) -> Address:
    chosen = next((address for address in found if address.remote == remote), None)
    if chosen is not None:
        return chosen
    names = [known.name for known in shown.remotes]
    if remote in names:
        raise UsageError(
            f"the address of the remote {remote!r} names no host", hint="name another, or leave `--remote` out"
        )
    hint = f"there are {', '.join(names)}" if names else "there is none; leave `--remote` out and write `--forge`"
    raise UsageError(f"there is no remote {remote!r}", hint=hint)


def _choose_forge(shown: Shown, address: Address | None) -> ForgeName:
    if address is not None and address.forge is not None:
        return address.forge
    if address is not None and address.is_other:
        raise UsageError(
            f"the remote {address.remote} is at {address.host}, and Draftgate knows GitHub and GitLab alone",
            hint="write `--forge github` or `--forge gitlab` if it is one of them all the same; `draftgate review` "
            "works in any git repository",
        )
    by_files = tuple(_forges_of_files(shown))
    if len(by_files) == 1:
        return by_files[0]
    where = f"the host {address.host} does not say" if address else "no remote with an address says"
    shows = "files of both" if by_files else "no file of either"
    raise UsageError(
        f"{where} whether this is on GitHub or GitLab, and the repository has {shows}",
        hint="write `--forge github` or `--forge gitlab`",
    )


def _forges_of_files(shown: Shown) -> Iterator[ForgeName]:
    signs = {
        ForgeName.GITHUB: (".github/**",),
        ForgeName.GITLAB: ("/.gitlab-ci.yml", ".gitlab/**"),
    }
    for forge, globs in signs.items():
        if _matching(shown, globs):
            yield forge
