"""The state of the simulated GitHub: accounts, tokens, repositories on disk, pull requests, and the clock.

It knows who may reach what and gives out ids and times. The rules of conversations are `comments`, those
of reviews `reviews`, those of check runs `checks`; nothing here knows HTTP.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from tests.fakes.github.entities import (
    Account,
    AccountKind,
    App,
    Caller,
    Edit,
    Issue,
    IssueComment,
    Label,
    Node,
    PullRequest,
    Remark,
    Repository,
    Review,
    ReviewComment,
    Role,
    Thread,
    TokenKind,
)
from tests.fakes.github.outdate import move_threads
from tests.fakes.github.refusals import Forbidden, NotFound, Unauthorized, not_accessible, validation_failed
from tests.git_builder import Repo

LONGEST_BODY = 65_536
"""Characters of any text that people write."""

START = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
_LEVELS = {"read": 1, "write": 2, "admin": 3}
N = TypeVar("N", bound=Node)


class World:
    """Everything that one simulated GitHub holds.

    Attributes:
        root: The folder with the bare repositories.
        step: How far each write moves the clock; ``None`` is the time of this machine.
        created_at: When this world began, and every account with it.
        teams: The logins of each team, by ``(organization, slug)`` in lower case.
        enterprise: The version of an Enterprise Server; "" on GitHub.com.
        null_threads: GraphQL answers a thread whose place is not in the diff with null instead of an error; both
            have been seen.
    """

    def __init__(self, root: Path, *, step: timedelta | None = timedelta(seconds=1)) -> None:
        self.root = root
        self.step = step
        self.accounts: dict[str, Account] = {}
        self.callers: dict[str, Caller] = {}
        self.repositories: dict[str, Repository] = {}
        self.teams: dict[tuple[str, str], set[str]] = {}
        self.nodes: dict[str, Node] = {}
        self.null_threads = False
        self.enterprise = ""
        self._now = START
        self.created_at = self.now
        self._last_id = 1000

    # --- Clock and ids ---

    @property
    def now(self) -> datetime:
        """The time at GitHub, in whole seconds."""
        return self._now if self.step is not None else datetime.now(UTC).replace(microsecond=0)

    def tick(self) -> datetime:
        """Let the clock move, as each write does, and return the new time."""
        self._now = self._now + (self.step or timedelta(0))
        return self.now

    def new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def new_ids(self, prefix: str) -> tuple[int, str]:
        """A numeric id and the node id that goes with it."""
        number = self.new_id()
        return number, f"{prefix}_{base64.urlsafe_b64encode(number.to_bytes(6)).decode()}"

    def keep(self, node: N) -> N:
        """Make a new thing reachable by its node id."""
        self.nodes[node.node_id] = node
        return node

    def forget(self, node: Node) -> None:
        del self.nodes[node.node_id]

    # --- Setting up ---

    def add_user(self, login: str, *, kind: AccountKind = AccountKind.USER) -> Account:
        number, node_id = self.new_ids("O" if kind is AccountKind.ORGANIZATION else "U")
        account = self.accounts[login.lower()] = self.keep(Account(number, node_id, login, kind))
        return account

    def add_app(self, slug: str) -> Account:
        """A GitHub App; returns the bot account under which it acts, ``slug[bot]``."""
        number, node_id = self.new_ids("BOT")
        app = App(*self.new_ids("A"), slug=slug, created_at=self.now)
        account = Account(number, node_id, f"{slug}[bot]", AccountKind.BOT, app)
        self.accounts[account.login.lower()] = self.keep(account)
        return account

    def add_token(self, token: str, account: Account, permissions: Mapping[str, str] | None = None) -> Caller:
        """A token: of an installation if it has permissions (``metadata: read`` always goes in), else a user's."""
        kind = TokenKind.USER if permissions is None else TokenKind.INSTALLATION
        scopes = frozenset({"repo", "read:org"}) if token.startswith("ghp_") else None
        caller = Caller(token, account, kind, {"metadata": "read", **(permissions or {})}, scopes)
        self.callers[token] = caller
        return caller

    def add_repository(
        self, owner: Account, name: str, source: Repo, *, private: bool = False, parent: Repository | None = None
    ) -> Repository:
        """A repository with all branches of `source`; its checked-out branch is *not* the default one, ``main`` is."""
        bare = source.clone(self.root / owner.login / f"{name}.git", "--mirror")
        bare.git("symbolic-ref", "HEAD", "refs/heads/main")
        repository = Repository(*self.new_ids("R"), owner, name, bare, "main", self.now, private=private, parent=parent)
        self.repositories[repository.full_name.lower()] = self.keep(repository)
        return repository

    def open_issue(self, repository: Repository, author: Account, title: str, body: str = "") -> Issue:
        number, node_id = self.new_ids("I")
        now = self.tick()
        issue = Issue(
            id=number,
            node_id=node_id,
            author=author,
            body=body,
            created_at=now,
            updated_at=now,
            repository=repository,
            number=self._next_number(repository),
            title=title,
        )
        repository.issues[issue.number] = self.keep(issue)
        return issue

    def open_pull(
        self,
        repository: Repository,
        author: Account,
        title: str,
        body: str = "",
        *,
        head_ref: str,
        base_ref: str = "main",
        head_repository: Repository | None = None,
        draft: bool = False,
    ) -> PullRequest:
        """A pull request from a branch of `head_repository`, which is `repository` unless it comes from a fork."""
        source = head_repository or repository
        now = self.tick()
        issue_id, issue_node_id = self.new_ids("I")
        pull_id, node_id = self.new_ids("PR")
        pull = PullRequest(
            id=issue_id,
            node_id=node_id,
            author=author,
            body=body,
            created_at=now,
            updated_at=now,
            repository=repository,
            number=self._next_number(repository),
            title=title,
            base_ref=base_ref,
            head_ref=head_ref,
            head_repository=source,
            head_sha=source.git.sha(f"refs/heads/{head_ref}"),
            pull_id=pull_id,
            issue_node_id=issue_node_id,
            draft=draft,
        )
        repository.issues[pull.number] = self.keep(pull)
        self._publish_head(pull)
        return pull

    def add_label(self, issue: Issue, name: str) -> Label:
        label = self.keep(Label(*self.new_ids("LA"), name=name))
        issue.labels.append(label)
        return label

    def close(self, issue: Issue, *, merged: bool = False) -> None:
        """Close an issue or a pull request, which alone can be merged; branches stay as they are."""
        issue.state, issue.closed_at = "closed", self.tick()
        if merged and isinstance(issue, PullRequest):
            issue.merged_at = issue.closed_at

    def _next_number(self, repository: Repository) -> int:
        return max(repository.issues, default=0) + 1

    # --- Heads ---

    def head_sha(self, pull: PullRequest) -> str:
        """The head now. A branch that moved since it was last looked at takes the threads along."""
        if pull.head_repository is not None and pull.state == "open":
            head = pull.head_repository.git.sha(f"refs/heads/{pull.head_ref}")
            if head != pull.head_sha:
                before, pull.head_sha = pull.head_sha, head
                self._publish_head(pull)
                pull.updated_at = self.tick()
                move_threads(pull, before, self.base_sha(pull))
        return pull.head_sha

    def base_sha(self, pull: PullRequest) -> str:
        return pull.repository.git.sha(f"refs/heads/{pull.base_ref}")

    def merge_base(self, pull: PullRequest, head: str | None = None) -> str:
        """Where the branches of a pull request parted."""
        git = pull.repository.git
        return git.git("merge-base", self.base_sha(pull), head or self.head_sha(pull)).decode().strip()

    def sync(self) -> None:
        """Notice every branch that moved; each request does this first."""
        for repository in self.repositories.values():
            for issue in repository.issues.values():
                if isinstance(issue, PullRequest):
                    self.head_sha(issue)

    def _publish_head(self, pull: PullRequest) -> None:
        git, source = pull.repository.git, pull.head_repository
        if source is not None and source is not pull.repository:
            git.git("fetch", "--quiet", "--no-tags", str(source.git.path), pull.head_sha)
        git.git("update-ref", f"refs/pull/{pull.number}/head", pull.head_sha)

    # --- Who may ---

    def caller(self, token: str) -> Caller:
        """Who a token stands for.

        Raises:
            Unauthorized: Nobody.
        """
        try:
            return self.callers[token]
        except KeyError:
            raise Unauthorized("Bad credentials") from None

    def account(self, login: str) -> Account:
        if (found := self.accounts.get(login.lower())) is None:
            raise NotFound
        return found

    def role(self, repository: Repository, account: Account) -> Role:
        """The role of a person; everybody reads what is public."""
        if account is repository.owner:
            return Role.ADMIN
        return repository.collaborators.get(account.login, Role.NONE if repository.private else Role.READ)

    def association(self, repository: Repository, account: Account) -> str:
        """How somebody belongs to a repository, which says nothing of what they may."""
        if account is repository.owner:
            return "OWNER"
        if account.login in repository.collaborators:
            return "MEMBER" if repository.owner.kind is AccountKind.ORGANIZATION else "COLLABORATOR"
        return "NONE"

    def require(self, caller: Caller, repository: Repository, level: str, *names: str) -> None:
        """Refuse a caller that has none of the permissions `names` at `level` (``read`` or ``write``).

        A user's token carries every permission of the user: whoever reads may also comment and review, code
        and commit statuses need the role write, and check runs are for apps alone.

        Raises:
            NotFound: A private repository of which the user may not know.
            Forbidden: Anything else.
        """
        if caller.kind is TokenKind.INSTALLATION:
            if all(_LEVELS.get(caller.permissions.get(name, ""), 0) < _LEVELS[level] for name in names):
                raise not_accessible(level, names)
            return
        role = self.role(repository, caller.account)
        if role is Role.NONE:
            raise NotFound
        if level == "write" and names == ("checks",):
            raise Forbidden("You must authenticate via a GitHub App.")
        if level == "write" and names in {("contents",), ("statuses",)} and role < Role.WRITE:
            raise Forbidden("Must have push access to repository")

    def require_hand(self, caller: Caller, repository: Repository, remark: Remark) -> None:
        """Refuse to change a text to all but its author, people with write access and apps that may write."""
        own = remark.author is caller.account
        if not own and caller.kind is TokenKind.USER and self.role(repository, caller.account) < Role.WRITE:
            raise Forbidden("Must have admin rights to Repository.")

    # --- Finding ---

    def repository(self, owner: str, name: str) -> Repository:
        if (found := self.repositories.get(f"{owner}/{name}".lower())) is None:
            raise NotFound
        return found

    def issue(self, repository: Repository, number: int) -> Issue:
        if (found := repository.issues.get(number)) is None:
            raise NotFound
        return found

    def pull(self, repository: Repository, number: int) -> PullRequest:
        found = repository.issues.get(number)
        if not isinstance(found, PullRequest):
            raise NotFound
        return found

    def pulls(self, repository: Repository) -> Iterator[PullRequest]:
        return (issue for issue in repository.issues.values() if isinstance(issue, PullRequest))

    def issue_comment(self, repository: Repository, number: int) -> IssueComment:
        for issue in repository.issues.values():
            for comment in issue.comments:
                if comment.id == number:
                    return comment
        raise NotFound

    def review_comment(self, caller: Caller, repository: Repository, number: int) -> ReviewComment:
        """A review comment that the caller may see; pending ones are there for their author alone."""
        for pull in self.pulls(repository):
            for comment in self.visible_comments(caller, pull):
                if comment.id == number:
                    return comment
        raise NotFound

    def review(self, caller: Caller, pull: PullRequest, number: int) -> Review:
        for review in self.visible_reviews(caller, pull):
            if review.id == number:
                return review
        raise NotFound

    def node(self, caller: Caller, node_id: str) -> Node:
        """Whatever has this node id, as far as the caller may see it.

        Raises:
            NotFound: With GraphQL's words.
        """
        found = self.nodes.get(node_id)
        hidden = isinstance(found, Review | ReviewComment | Thread) and not visible_to(caller.account, found)
        if found is None or hidden:
            raise NotFound(f"Could not resolve to a node with the global id of '{node_id}'")
        return found

    def visible_reviews(self, caller: Caller, pull: PullRequest) -> list[Review]:
        return [review for review in pull.reviews if visible_to(caller.account, review)]

    def visible_threads(self, caller: Caller, pull: PullRequest) -> list[Thread]:
        return [thread for thread in pull.threads if visible_to(caller.account, thread)]

    def visible_comments(self, caller: Caller, pull: PullRequest) -> list[ReviewComment]:
        """Of all threads, oldest first."""
        comments = [comment for thread in pull.threads for comment in thread.comments]
        return sorted((c for c in comments if visible_to(caller.account, c)), key=lambda comment: comment.id)

    # --- Texts ---

    def check_body(self, body: str, resource: str) -> None:
        """Refuse a text that is empty or longer than GitHub takes, as the comment endpoints do."""
        if not body.strip():
            raise validation_failed(resource, "body", "body can't be blank", code="missing_field")
        if len(body) > LONGEST_BODY:
            limit = f"Body is too long (maximum is {LONGEST_BODY} characters)"
            raise validation_failed(resource, "body", limit, code="unprocessable")

    def edit(self, remark: Remark, editor: Account, body: str) -> None:
        """Replace a text; the revision and its time stay visible to everybody."""
        now = self.tick()
        if remark.body == body:
            return
        if not remark.edits:
            remark.edits.append(
                Edit(*self.new_ids("UCE"), editor=remark.author, at=remark.created_at, body=remark.body)
            )
        remark.edits.append(Edit(*self.new_ids("UCE"), editor=editor, at=now, body=body))
        remark.body, remark.updated_at = body, now


def visible_to(account: Account, node: Review | ReviewComment | Thread) -> bool:
    """Whether somebody may see it: what is pending is for its author alone."""
    match node:
        case Thread():
            return any(visible_to(account, comment) for comment in node.comments)
        case Review():
            return not node.pending or node.author is account
        case ReviewComment():
            return visible_to(account, node.review)
