"""Every key of the configuration, with its type, default, description and an example.

This is the one place that documents a key: problems, `config show`, the JSON Schema and the reference
page are made from it. It holds no rule that looks at two keys at once; those are in `rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    model_validator,
)
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from draftgate.domain.finding import Severity
from draftgate.domain.paths import can_match

BUILTIN_AGENTS: Final = ("builtin", "correctness", "security", "tests", "performance", "api-design", "docs")
"""The names an agent list may hold without defining them; `builtin` stands for the built-in checks alone."""

NO_EFFECT: Final = "x-draftgate-no-effect"
"""Set in the JSON Schema of a key that is read and checked, but does nothing in this release."""

FORMS: Final = {
    r"^[a-z][a-z0-9-]*:[^\s:][^\s]*$": "a model as provider:model",
    r"^[a-z0-9][a-z0-9-]{0,30}$": "lower-case letters, digits and dashes, at most 31",
    r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$": "a host name alone, without scheme, port or path",
    r"^https?://[^\s@]+$": "an http or https address without a user or password",
}
"""What each pattern means in words."""

MODEL_FORM, _NAME_FORM, HOST_FORM, URL_FORM = FORMS


def _key(description: str, example: object, *, effect: bool = True) -> FieldInfo:
    """The documentation of one key; ``effect=False`` marks what this release only reads."""
    extra: JsonDict = {} if effect else {NO_EFFECT: True}
    field: FieldInfo = Field(description=description, examples=[example], json_schema_extra=extra)
    return field


# For editors alone: they say that the pattern does not match, and `_inside_repository` says what is expected.
PATH_FORM: Final = r"^(?![/~])(?!(?:[^/]*/)*\.\.(?:/|$))[^\\]*$"


def _inside_repository(path: str) -> str:
    if path.startswith(("/", "~")) or "\\" in path or ".." in path.split("/"):
        raise PydanticCustomError("form", "{expected}", {"expected": "a path inside the repository, from its root"})
    return path


def _readable_glob(glob: str) -> str:
    if not can_match(glob):
        raise PydanticCustomError("form", "{expected}", {"expected": "a glob whose ranges go upwards, as in `[a-z]`"})
    return glob


def _full_alone(value: str) -> str:
    if value != "full":
        raise PydanticCustomError("not_in_this_release", "{available}", {"available": "full"})
    return value


def _some_agents(agents: object) -> object:
    if agents is None or agents == ():
        raise PydanticCustomError("no_agents", "a review without agents")
    return agents


# A union is decided by the shape of what is written, so that a mistake gives one error and not one for each
# branch. The leading ``~`` marks the branch's name in the location of an error.
def _text_or_mapping(value: object) -> str:
    return "~mapping" if isinstance(value, Mapping | BaseModel) else "~text"


def _text_or_switch(value: object) -> str:
    return "~switch" if isinstance(value, bool) else "~text"


Text = Annotated[str, Field(min_length=1, max_length=2000)]
Percent = Annotated[int, Field(ge=0, le=100)]
Glob = Annotated[Text, AfterValidator(_readable_glob)]
RepositoryPath = Annotated[Text, AfterValidator(_inside_repository), Field(json_schema_extra={"pattern": PATH_FORM})]
Name = Annotated[str, Field(pattern=_NAME_FORM)]
Host = Annotated[str, Field(pattern=HOST_FORM)]
Url = Annotated[str, Field(pattern=URL_FORM, max_length=2000)]
ModelName = Annotated[str, Field(pattern=MODEL_FORM, max_length=200)]
GateName = Literal[
    "spec-review",
    "plan-review",
    "post-implementation",
    "pre-pr",
    "focused-re-review",
    "child-pr",
    "epic-integration",
    "coherence",
    "verify",
    "local-ci",
]


def _empty_if_null(value: object) -> object:
    """What stands under a key whose content is all commented out, as in the file that `init` writes."""
    return {} if value is None else value


class Section(BaseModel):
    """A group of keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    _empty_if_null = model_validator(mode="before")(_empty_if_null)


class Tracker(Section):
    """A tracker that needs no setting: the forge's own issues."""


class Linear(Section):
    """Linear, asked by its API."""

    team: Annotated[Text, _key("The key of the team, as in its issue numbers.", "ENG")]


class Jira(Section):
    """Jira, asked by its API."""

    url: Annotated[Url, _key("The address of the Jira site.", "https://jira.example.com")]
    project: Annotated[Text, _key("The key of the project, as in its issue numbers.", "ABC")]


class Issues(Section):
    """Which trackers are searched for the issue behind a change."""

    github: Annotated[Tracker | None, _key("Search GitHub issues.", {})] = None
    gitlab: Annotated[Tracker | None, _key("Search GitLab issues.", {})] = None
    linear: Annotated[Linear | None, _key("Search Linear.", {"team": "ENG"})] = None
    jira: Annotated[Jira | None, _key("Search Jira.", {"url": "https://jira.example.com", "project": "ABC"})] = None


class Skip(Section):
    """Which changes are not reviewed unless someone asks."""

    authors: Annotated[tuple[Text, ...], _key("Accounts whose changes are skipped.", ["dependabot[bot]"])] = (
        "dependabot[bot]",
        "renovate[bot]",
    )
    labels: Annotated[tuple[Text, ...], _key("Labels that skip a change.", ["no-review"])] = ("no-review",)
    drafts: Annotated[bool, _key("Skip changes that are marked as drafts.", True)] = True


class CommandAgent(Section):
    """A program that finds something: its output is read, filtered to the changed lines and shown."""

    model_config = ConfigDict(json_schema_extra={NO_EFFECT: True})

    name: Annotated[Text, _key("What the agent is called in findings and commands.", "ruff")]
    command: Annotated[
        tuple[Text, ...],
        Field(min_length=1),
        _key("The program and its arguments; no shell is involved.", ["ruff", "check", "--output-format", "sarif"]),
    ]
    format: Annotated[
        Literal["sarif", "rdjson", "rdjsonl", "codequality", "json"],
        _key("What the program writes to its standard output.", "sarif"),
    ]


class When(Section):
    """The rule that calls an optional agent: every condition that is written must hold."""

    paths: Annotated[tuple[Glob, ...], _key("A changed file matches one of these globs.", ["**/models/**"])] = ()
    languages: Annotated[tuple[Text, ...], _key("A changed file is in one of these languages.", ["python"])] = ()
    labels: Annotated[tuple[Text, ...], _key("The change has one of these labels.", ["performance"])] = ()
    size: Annotated[
        Annotated[int, Field(ge=1, le=1_000_000)] | None, _key("The change has at least this many changed lines.", 500)
    ] = None


class OptionalAgent(Section):
    """An agent that runs only when its rule, or without a rule a cheap model, says so."""

    use: Annotated[Text, _key("The name of a built-in agent that is not under `agents`.", "performance")]
    when: Annotated[When | None, _key("The rule that calls it.", {"paths": ["**/models/**"]})] = None


# The name of a program is no entry of its own, so that in a list of agents only these words are right.
AgentName = Annotated[Text, Field(json_schema_extra={"enum": list(BUILTIN_AGENTS)})]
Agent = Annotated[
    Annotated[AgentName, Tag("~text")] | Annotated[CommandAgent, Tag("~mapping")], Discriminator(_text_or_mapping)
]


class Evaluation(Section):
    """How the reviews of others are judged before they are answered."""

    prompt: Annotated[RepositoryPath, _key("A prompt file in the repository.", "docs/evaluate.md")]


class MinConfidence(Section):
    """The confidence below which a new finding is not shown, from 0 (show all) to 100."""

    default: Annotated[Percent, _key("For every severity that has no value of its own.", 50)] = 50
    blocker: Annotated[Percent | None, _key("For blockers.", 25)] = None
    important: Annotated[Percent | None, _key("For important findings.", 50)] = None
    suggestion: Annotated[Percent | None, _key("For suggestions.", 75)] = None
    nitpick: Annotated[Percent | None, _key("For nitpicks.", 90)] = None
    informational: Annotated[Percent | None, _key("For questions, thoughts, notes and praise.", 75)] = None

    def of(self, severity: Severity) -> int:
        """The confidence that a new finding of this severity needs."""
        own = {
            Severity.BLOCKER: self.blocker,
            Severity.IMPORTANT: self.important,
            Severity.SUGGESTION: self.suggestion,
            Severity.NITPICK: self.nitpick,
            Severity.INFORMATIONAL: self.informational,
        }[severity]
        return self.default if own is None else own


class ReviewPaths(Section):
    """Which files a review leaves out."""

    exclude: Annotated[
        tuple[Glob, ...], _key("Globs of files that are not reviewed; coverage names them.", ["vendor/**", "**/*.lock"])
    ] = ("vendor/**", "**/*.lock")
    private: Annotated[tuple[Glob, ...], _key("Globs of files that are never sent to a model.", ["secrets/**"])] = ()


class FollowUpScope(Section):
    """When a later round reads the whole change again."""

    full_when: Annotated[
        tuple[Glob, ...], _key("Globs of files whose change asks for a full round.", ["**/migrations/**"])
    ] = ("**/migrations/**",)


_SomeAgents = Annotated[tuple[Agent, ...], Field(min_length=1, json_schema_extra={"uniqueItems": True})]


class CodeReview(Section):
    """What a review looks for and how much of it is shown."""

    agents: Annotated[
        tuple[Agent, ...] | None,
        BeforeValidator(_some_agents, json_schema_input_type=_SomeAgents),
        _key(
            "The agents of every review; programs among them are not run in this release. Unwritten: `correctness`, "
            "if a key for a model is there.",
            ["correctness", "security"],
        ),
    ] = None
    optional_agents: Annotated[
        tuple[OptionalAgent, ...],
        _key("Agents that run by rule.", [{"use": "performance", "when": {"paths": ["**/models/**"]}}], effect=False),
    ] = ()
    instructions: Annotated[
        RepositoryPath | None, _key("A file that tells agents what to look for.", "docs/review.md", effect=False)
    ] = None
    evaluation: Annotated[
        Evaluation | None, _key("How reviews of others are judged.", {"prompt": "docs/evaluate.md"}, effect=False)
    ] = None
    impact_analysis: Annotated[
        Text | None, _key("The agent that takes over the impact analysis.", "correctness", effect=False)
    ] = None
    critic: Annotated[bool, _key("Let a fresh model check what the agents found.", True)] = True
    praise: Annotated[bool, _key("Say at least one good thing.", False)] = False
    min_confidence: Annotated[
        MinConfidence, _key("The confidence below which a new finding is not shown.", {"default": 50})
    ] = MinConfidence()
    max_findings: Annotated[
        Annotated[int, Field(ge=0, le=10_000)],
        _key("The most model and command findings that are shown; 0 is no limit.", 50),
    ] = 50
    paths: Annotated[ReviewPaths, _key("Which files are left out.", {"exclude": ["vendor/**"]})] = ReviewPaths()
    follow_up: Annotated[
        Literal["auto", "narrow", "full"], _key("How much a later round reads.", "full", effect=False)
    ] = "auto"
    scope: Annotated[
        FollowUpScope, _key("When a later round is full.", {"full_when": ["**/migrations/**"]}, effect=False)
    ] = FollowUpScope()
    past_reviews: Annotated[
        bool, _key("Read feedback on recent merged changes to the same files.", False, effect=False)
    ] = False


class CheckPaths(Section):
    """Where a check is quiet."""

    exclude: Annotated[tuple[Glob, ...], _key("Globs of files in which it reports nothing.", ["db/legacy/**"])] = ()


class CheckSettings(Section):
    """One built-in check, by its id."""

    enabled: Annotated[bool | None, _key("Run it or not. Unwritten: as the check itself says.", True)] = None
    paths: Annotated[CheckPaths, _key("Where it is quiet.", {"exclude": ["db/legacy/**"]})] = CheckPaths()


class Checkpoint(Section):
    """The comment that shows the findings and waits for a person."""

    visibility: Annotated[
        Literal["full", "titles", "internal"],
        AfterValidator(_full_alone),
        WithJsonSchema({"type": "string", "enum": ["full"]}),
        _key("How much a reader of the change sees. `titles` and `internal` are not in this release.", "full"),
    ] = "full"
    instance: Annotated[
        Name, _key("Tells two Draftgates on one change apart; each needs an account of its own.", "default")
    ] = "default"
    notify: Annotated[tuple[Text, ...], _key("Accounts named when findings wait.", ["a-maintainer"])] = ()


class Commands(Section):
    """Which comments are commands."""

    bare: Annotated[Literal["own", "all"], _key("Which commands work without `/draftgate` before them.", "own")] = "own"
    bots: Annotated[tuple[Text, ...], _key("Bot accounts whose comments may be commands.", ["release[bot]"])] = ()


class Who(Section):
    """A closed list of people: one of the keys must name somebody."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["users"], "properties": {"users": {"minItems": 1}}},
                {"required": ["teams"], "properties": {"teams": {"minItems": 1}}},
                {"required": ["codeowners"], "properties": {"codeowners": {"const": True}}},
            ]
        }
    )

    users: Annotated[tuple[Text, ...], _key("Accounts.", ["a-maintainer"])] = ()
    teams: Annotated[tuple[Text, ...], _key("Teams or groups.", ["example/reviewers"])] = ()
    codeowners: Annotated[bool, _key("The code owners of the changed files.", True)] = False


class Approval(Section):
    """Who may publish what was found, and as what."""

    who: Annotated[
        Annotated[Literal["write", "maintain", "admin"], Tag("~text")] | Annotated[Who, Tag("~mapping")],
        Discriminator(_text_or_mapping),
        _key("The role, or the people, that may approve.", "maintain"),
    ] = "write"
    author_may_approve: Annotated[
        Annotated[Literal["auto"], Tag("~text")] | Annotated[bool, Tag("~switch")],
        Discriminator(_text_or_switch),
        _key("Whether the author of a change may approve its findings.", False),
    ] = "auto"
    verdict: Annotated[Literal["recommended", "ask"], _key("What a bare approval submits as.", "recommended")] = (
        "recommended"
    )
    anchor_fallback: Annotated[
        Literal["file-thread", "body"], _key("Where a finding goes that no line can carry.", "body")
    ] = "file-thread"


class ModelSettings(Section):
    """A model and how it is asked."""

    model: Annotated[ModelName, _key("The model, as provider:model.", "anthropic:NAME")]
    effort: Annotated[Text | None, _key("How hard it thinks, in the provider's own words.", "high")] = None
    output: Annotated[
        Literal["tool", "native", "prompted"] | None, _key("How an answer is made to fit its schema.", "native")
    ] = None
    base_url: Annotated[
        Url | None, _key("Any server that speaks the provider's API.", "https://llm.example.com/v1")
    ] = None


Model = Annotated[
    Annotated[ModelName, Tag("~text")] | Annotated[ModelSettings, Tag("~mapping")], Discriminator(_text_or_mapping)
]


class Models(Section):
    """Which model sits in which seat; a seat without one takes the model of the nearest seat that has one."""

    standard: Annotated[Model | None, _key("The everyday model, that of the agents.", "anthropic:NAME")] = None
    capable: Annotated[Model | None, _key("The critic's model.", "anthropic:NAME")] = None
    frontier: Annotated[
        Model | None,
        _key(
            "The model of closing rounds, which are not in this release; until then of seats that name none.",
            {"model": "anthropic:NAME", "effort": "high"},
        ),
    ] = None


class Budgets(Section):
    """What one review may spend."""

    tokens: Annotated[
        Annotated[int, Field(ge=1, le=1_000_000_000)], _key("Tokens of all models, in and out.", 400_000)
    ] = 400_000
    usd: Annotated[
        Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)],
        _key("US dollars, where the price of the model is known.", 2.0),
    ] = 2.0
    requests: Annotated[Annotated[int, Field(ge=1, le=100_000)], _key("Requests to models.", 200)] = 200
    minutes: Annotated[
        Annotated[int, Field(ge=1, le=1440)],
        _key("Minutes of checks and agents; what is late has failed.", 15),
    ] = 15
    wait_s: Annotated[
        Annotated[int, Field(ge=0, le=3600)],
        _key("Seconds to wait for a forge or model that asks for patience.", 120),
    ] = 120
    concurrency: Annotated[Annotated[int, Field(ge=1, le=64)], _key("Agents that run at the same time.", 8)] = 8


class Respond(Section):
    """What answering a review may do."""

    push: Annotated[
        Annotated[Literal["with-workflow-token"], Tag("~text")] | Annotated[bool, Tag("~switch")],
        Discriminator(_text_or_switch),
        _key("Push the fixes to the branch.", True),
    ] = True
    rerequest: Annotated[bool, _key("Ask the reviewers again.", True)] = True
    resolve: Annotated[bool, _key("Resolve the threads just answered.", True)] = True


class Documents(Section):
    """What document gates read: a path in the repository or an issue."""

    spec: Annotated[Text | None, _key("The specification.", "docs/spec.md")] = None
    plan: Annotated[Text | None, _key("The plan.", "docs/plan.md")] = None


class Gates(Section):
    """Review loops with evidence."""

    max_rounds: Annotated[Annotated[int, Field(ge=1, le=50)], _key("Rounds before a person is asked.", 5)] = 5
    autonomous: Annotated[bool, _key("Let a gate push fixes without being asked.", False)] = False
    delivery: Annotated[Literal["standard", "capable"], _key("The tier of fix workers.", "standard")] = "standard"
    epic_tier: Annotated[Literal["standard", "capable"], _key("The tier of the target branch.", "standard")] = (
        "standard"
    )
    policy: Annotated[
        Mapping[GateName, Literal["hard", "deferred", "soft"]],
        BeforeValidator(_empty_if_null),
        _key("What a gate does when the frontier model does not answer.", {"pre-pr": "deferred"}),
    ] = Field(default_factory=dict)
    documents: Annotated[Documents, _key("What document gates read.", {"spec": "docs/spec.md"})] = Documents()
    epic: Annotated[Text | None, _key("The issue that holds the decision register.", "#12")] = None


class Commits(Section):
    """How commit messages are written."""

    writer: Annotated[RepositoryPath | None, _key("A prompt file.", "docs/commits.md")] = None


class Testing(Section):
    """How fixes are tested."""

    command: Annotated[Text | None, _key("The command that runs the tests.", "pytest -q")] = None
    scope: Annotated[Literal["related", "full"], _key("Which tests run after a fix.", "related")] = "related"
    local_ci: Annotated[Text | None, _key("The command that runs the whole local CI.", "make ci")] = None


class Worktree(Section):
    """How a worktree for fixes is made ready."""

    symlinks: Annotated[tuple[RepositoryPath, ...], _key("Paths linked from the checkout.", ["node_modules"])] = ()
    env: Annotated[Mapping[Text, str], BeforeValidator(_empty_if_null), _key("Variables set in it.", {"CI": "1"})] = (
        Field(default_factory=dict)
    )
    setup: Annotated[tuple[Text, ...], _key("Commands run after it is made.", ["npm ci"])] = ()
    teardown: Annotated[tuple[Text, ...], _key("Commands run before it is removed.", ["make clean"])] = ()


class Network(Section):
    """What agents may reach."""

    fetch_allow: Annotated[tuple[Host, ...], _key("Hosts a model may fetch pages from.", ["docs.example.com"])] = ()


class Config(Section):
    """The settings of Draftgate for one repository (`draftgate.yml`)."""

    version: Annotated[Annotated[int, Field(ge=1, le=1)], _key("The version of this file's format.", 1)] = 1
    language: Annotated[Text, _key("The language of model-written text and fixed sentences.", "en")] = "en"
    forge: Annotated[
        Literal["auto", "github", "gitlab", "local"],
        _key("The forge that this file is for; a run on another one is refused. A terminal works with all.", "auto"),
    ] = "auto"
    issues: Annotated[Issues, _key("Which trackers are searched.", {"github": {}}, effect=False)] = Issues()
    when: Annotated[
        Literal["every-push", "once", "command"], _key("What starts a review on a forge.", "every-push")
    ] = "every-push"
    skip: Annotated[Skip, _key("Which changes are skipped.", {"drafts": False})] = Skip()
    code_review: Annotated[CodeReview, _key("What a review does.", {"max_findings": 50})] = CodeReview()
    checks: Annotated[
        Mapping[str, CheckSettings],
        BeforeValidator(_empty_if_null),
        _key("Settings of built-in checks, by id.", {"db.column-removed": {"enabled": False}}),
    ] = Field(default_factory=dict)
    draft: Annotated[
        Literal["held", "just-in-time"], _key("When the draft review is made: at once, or at approval.", "held")
    ] = "held"
    checkpoint: Annotated[Checkpoint, _key("The comment that waits.", {"instance": "default"})] = Checkpoint()
    commands: Annotated[Commands, _key("Which comments are commands.", {"bare": "own"})] = Commands()
    approval: Annotated[Approval, _key("Who may publish, and as what.", {"verdict": "ask"})] = Approval()
    models: Annotated[Models, _key("Which model sits in which seat.", {"standard": "anthropic:NAME"})] = Models()
    budgets: Annotated[Budgets, _key("What one review may spend.", {"minutes": 15})] = Budgets()
    respond: Annotated[Respond, _key("What answering a review may do.", {"push": False}, effect=False)] = Respond()
    gates: Annotated[Gates, _key("Review loops with evidence.", {"max_rounds": 5}, effect=False)] = Gates()
    commits: Annotated[
        Commits, _key("How commit messages are written.", {"writer": "docs/commits.md"}, effect=False)
    ] = Commits()
    testing: Annotated[Testing, _key("How fixes are tested.", {"command": "pytest -q"}, effect=False)] = Testing()
    worktree: Annotated[Worktree, _key("How a worktree is made ready.", {"setup": ["npm ci"]}, effect=False)] = (
        Worktree()
    )
    network: Annotated[Network, _key("What agents may reach.", {"fetch_allow": ["docs.example.com"]})] = Network()
    allow_untrusted: Annotated[bool, _key("Run command agents on changes from forks.", False, effect=False)] = False
