"""Opens one change for one run: what is known of the change, its configuration, its forge."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from draftgate.approval.authority import Authority, ChangeFacts, Rules
from draftgate.bootstrap.configuration import known_names
from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.bootstrap.hosting.site import HostedChange, Site
from draftgate.commands.replay import amended_round
from draftgate.config.load import CANDIDATE_PATHS, ConfigFile, find_file, load
from draftgate.config.model import Config
from draftgate.domain.outcome import RunOutcome
from draftgate.domain.session import Session
from draftgate.errors import ConfigurationError, CredentialsMissing, IntegrityError, UsageError
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
    paths = (run.config_path,) * len(CANDIDATE_PATHS) if run.config_path else CANDIDATE_PATHS
    change = site.open(number, paths)
    view = change.view
    config, broken = Config(), None
    warnings: tuple[str, ...] = ()
    try:
        config, warnings = _load(run, view, paths)
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


def _load(run: HostedRun, view: View, paths: tuple[str, ...]) -> tuple[Config, tuple[str, ...]]:
    """The target branch's configuration; who may do what comes from the default branch, which fewer can write."""
    default = view.repository.files
    change = view.now().change
    is_default = change.base_ref == view.repository.default_branch
    target = default if is_default else view.read_branch_files(change.base_tip, paths)
    loaded = load(_find(run, target), environment=run.environment, known=known_names(), inputs=run.settings)
    if is_default:
        return loaded.config, loaded.warnings
    trusted = load(_find(run, default), environment=run.environment, known=known_names(), inputs=run.settings).config
    guarded = {"approval": trusted.approval, "commands": trusted.commands, "network": trusted.network}
    return loaded.config.model_copy(update=guarded), loaded.warnings


def _find(run: HostedRun, files: dict[str, str | None]) -> ConfigFile | None:
    if run.config_path is None:
        return find_file(lambda path: None if (text := files.get(path)) is None else text.encode())
    text = files.get(run.config_path)
    if text is None:
        raise UsageError(
            f"there is no file {run.config_path!r} on the branch", hint="name the configuration file that is meant"
        )
    return ConfigFile(run.config_path, text.encode())
