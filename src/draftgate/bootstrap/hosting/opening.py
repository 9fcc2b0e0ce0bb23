"""Opens one change for one run: what is known of the change, its configuration, its forge."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from draftgate.approval.authority import Authority, ChangeFacts, Rules
from draftgate.bootstrap.configuration import GUARDED, Branch, file_of, known_names
from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.bootstrap.hosting.site import HostedChange, Site
from draftgate.commands.replay import amended_round
from draftgate.config.load import LOOKED_FOR, ConfigFile, Loaded, load
from draftgate.config.model import Config
from draftgate.domain.outcome import RunOutcome
from draftgate.domain.session import Session
from draftgate.errors import ConfigurationError, CredentialsMissing, IntegrityError, Problem
from draftgate.forge.hosted.forge import HostedForge
from draftgate.forge.hosted.standing import View
from draftgate.forge.journal import Journal
from draftgate.render.checkpoint import checkpoint
from draftgate.render.language import FALLBACK, language_of
from draftgate.render.page import Page
from draftgate.render.setting import Setting

_NEIGHBOURS = (
    "another instance of Draftgate ({}) has a checkpoint here under the same account. Reactions belong to the account, "
    "so each would take the commands of the other for answered: give each instance an account of its own"
)


@dataclass(frozen=True, slots=True)
class Hosted:
    """One change on a forge, opened.

    Attributes:
        config: In force; the defaults where it is broken.
        broken: Why the configuration cannot be used; ``None`` if it can.
        warnings: What is odd about the configuration without being wrong.
    """

    run: HostedRun
    clocks: Clocks
    site: Site
    change: HostedChange
    config: Config
    broken: ConfigurationError | None
    warnings: tuple[str, ...]
    forge: HostedForge

    @property
    def view(self) -> View:
        """What is known of the change."""
        return self.change.view

    @property
    def journal(self) -> Journal:
        """Records the session, each with the page that shows it."""
        return Journal(self.forge, self.page, self.clocks.stamp)

    @property
    def language(self) -> str:
        """Of the fixed sentences that are posted."""
        return language_of(self.config.language) or FALLBACK

    @property
    def key(self) -> str:
        """The identity of the change in its session."""
        return f"{self.view.place.repository}#{self.view.place.number}"

    def page(self, session: Session) -> Page:
        """The page that shows a session here."""
        page = checkpoint(session, amended_round(session), self._setting())
        inert = self.site.made_inert
        return Page(inert(page.head), tuple(map(inert, page.cards)), inert(page.tail), inert(page.audit))

    def _setting(self) -> Setting:
        return Setting(
            integrity=self.change.set_up(has_key=self.run.signing_key is not None).value,
            repository_url=self.view.place.web_url,
            link_style=self.site.link_style,
            account_is_shared=self.view.account.is_shared,
            notify=self.config.checkpoint.notify,
            continues=self.forge.continues,
            problems=() if self.broken is None else self.broken.problems,
            only_reviews_stop=isinstance(self.broken, CredentialsMissing),
        )

    def authority(self) -> Authority:
        """Judges who may do what; asked anew in each run."""
        author = self.view.facts.author
        paths: tuple[str, ...] = ()
        with suppress(IntegrityError):  # refused, with the reason, when a command needs the session
            scope = self.forge.load_scope()
            paths = () if scope is None else tuple(file.path for file in scope.evidence.files)
        facts = ChangeFacts(author="" if author is None else author.login, paths=paths)
        return Authority(self.forge, Rules.of(self.config), facts)

    def outcome(
        self,
        exit_code: int,
        phase: str,
        sentence: str,
        *,
        session: Session | None = None,
        warnings: tuple[str, ...] = (),
    ) -> RunOutcome:
        """How the run ended, with where everything stands."""
        submission = None if session is None else session.submission
        if self.forge.neighbours:
            warnings = (*warnings, _NEIGHBOURS.format(", ".join(self.forge.neighbours)))
        return RunOutcome(
            exit_code=exit_code,
            phase=phase,
            sentence=sentence,
            session=session,
            checkpoint_url=self.forge.checkpoint_url,
            review_url="" if submission is None else submission.reference,
            warnings=(*self.warnings, *warnings),
            reads=self.site.requests.reads,
            writes=self.site.requests.writes,
        )


def open_hosted(run: HostedRun, site: Site, number: int, clocks: Clocks) -> Hosted:
    """Read a change and its configuration.

    A broken configuration is no error here: what is said about it depends on what was asked for.
    """
    paths = (run.config_path,) if run.config_path else LOOKED_FOR
    change = site.open(number, paths)
    view = change.view
    config, broken = Config(), None
    warnings: tuple[str, ...] = ()
    try:
        config, warnings = _load(run, site, view, paths)
    except ConfigurationError as error:
        broken = error
    why_held = change.why_draft_needed(has_key=run.signing_key is not None)
    if config.draft != "held" and why_held:
        config, warnings = config.model_copy(update={"draft": "held"}), (*warnings, why_held)
    view.call_instance(config.checkpoint.instance)
    site.allow(config.budgets.wait_s)
    forge = change.open_forge(
        signing_key=run.signing_key.encode() if run.signing_key else None,
        language=language_of(config.language) or FALLBACK,
    )
    return Hosted(run, clocks, site, change, config, broken, warnings, forge)


def reopen(hosted: Hosted) -> Hosted:
    """The same change read anew, by the same connection."""
    return open_hosted(hosted.run, hosted.site, hosted.view.place.number, hosted.clocks)


def _load(run: HostedRun, site: Site, view: View, paths: tuple[str, ...]) -> tuple[Config, tuple[str, ...]]:
    """The target branch's configuration; who may do what comes from the default branch, which fewer can write."""
    change = view.now().change
    default = Branch(view.repository.default_branch, view.repository.files)
    if change.base_ref == default.name:
        loaded = _load_from(run, site, default)
        return loaded.config, loaded.warnings
    target = Branch(change.base_ref, view.read_branch_files(view.target_tip(), paths))
    problems: list[Problem] = []
    found: list[Loaded] = []
    for branch, is_named in ((target, False), (default, True)):
        try:
            found.append(_load_from(run, site, branch, is_named=is_named))
        except ConfigurationError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(tuple(dict.fromkeys(problems)))
    loaded, trusted = found
    guarded = {name: getattr(trusted.config, name) for name in GUARDED}
    return loaded.config.model_copy(update=guarded), loaded.warnings


def _load_from(run: HostedRun, site: Site, branch: Branch, *, is_named: bool = False) -> Loaded:
    file = file_of(branch, run.config_path)
    if file is not None and is_named:
        file = ConfigFile(f"{branch.name}:{file.name}", file.content)
    return load(file, environment=run.environment, known=known_names(forge=site.name), inputs=run.settings)
