"""The JSON of accounts, repositories, issues and what people write, as GitHub's REST API has it.

Each answer has every field that GitHub's description requires; addresses carry the host and the prefix that
the client used. What comes from git is `answers_git`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.fakes.github.entities import (
    Account,
    App,
    CheckRun,
    CommitStatus,
    Issue,
    IssueComment,
    Label,
    PullRequest,
    Reaction,
    Remark,
    Repository,
    Review,
    ReviewComment,
    Role,
)
from tests.fakes.github.world import World

Json = dict[str, Any]

_USER_LINKS = """
    followers_url=/followers following_url=/following{/other_user} gists_url=/gists{/gist_id}
    starred_url=/starred{/owner}{/repo} subscriptions_url=/subscriptions organizations_url=/orgs repos_url=/repos
    events_url=/events{/privacy} received_events_url=/received_events
"""
_REPOSITORY_LINKS = """
    archive_url=/{archive_format}{/ref} assignees_url=/assignees{/user} blobs_url=/git/blobs{/sha}
    branches_url=/branches{/branch} collaborators_url=/collaborators{/collaborator} comments_url=/comments{/number}
    commits_url=/commits{/sha} compare_url=/compare/{base}...{head} contents_url=/contents/{+path}
    contributors_url=/contributors deployments_url=/deployments downloads_url=/downloads events_url=/events
    forks_url=/forks git_commits_url=/git/commits{/sha} git_refs_url=/git/refs{/sha} git_tags_url=/git/tags{/sha}
    hooks_url=/hooks issue_comment_url=/issues/comments{/number} issue_events_url=/issues/events{/number}
    issues_url=/issues{/number} keys_url=/keys{/key_id} labels_url=/labels{/name} languages_url=/languages
    merges_url=/merges milestones_url=/milestones{/number} notifications_url=/notifications pulls_url=/pulls{/number}
    releases_url=/releases{/id} stargazers_url=/stargazers statuses_url=/statuses/{sha} subscribers_url=/subscribers
    subscription_url=/subscription tags_url=/tags teams_url=/teams trees_url=/git/trees{/sha}
"""


def iso(moment: datetime | None) -> str | None:
    """A time as GitHub writes it."""
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True)
class Answers:
    """Makes answers for one client.

    Attributes:
        api: The root of the REST API for this client, without a slash at the end.
        web: The root of the web pages.
    """

    world: World
    api: str
    web: str

    # --- Addresses ---

    def repository_url(self, repository: Repository) -> str:
        return f"{self.api}/repos/{repository.full_name}"

    def issue_url(self, issue: Issue) -> str:
        return f"{self.repository_url(issue.repository)}/issues/{issue.number}"

    def pull_url(self, pull: PullRequest) -> str:
        return f"{self.repository_url(pull.repository)}/pulls/{pull.number}"

    def page(self, issue: Issue) -> str:
        """The web page of an issue or a pull request."""
        kind = "pull" if isinstance(issue, PullRequest) else "issues"
        return f"{self.web}/{issue.repository.full_name}/{kind}/{issue.number}"

    # --- Accounts and repositories ---

    def account(self, account: Account) -> Json:
        url = f"{self.api}/users/{account.login}"
        return {
            "login": account.login,
            "id": account.id,
            "node_id": account.node_id,
            "avatar_url": f"{self.web}/avatars/{account.id}",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{self.web}/{account.bare_login}",
            **_links(url, _USER_LINKS),
            "type": account.kind.value,
            "site_admin": False,
        }

    def profile(self, account: Account) -> Json:
        """An account, as ``/user`` and ``/users/{username}`` show it."""
        unknown = dict.fromkeys(("name", "company", "blog", "location", "email", "hireable", "bio"))
        counts = dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0)
        since = iso(self.world.created_at)
        public = {"user_view_type": "public", "created_at": since, "updated_at": since}
        return {**self.account(account), **unknown, **counts, **public}

    def app(self, app: App) -> Json:
        return {
            "id": app.id,
            "slug": app.slug,
            "node_id": app.node_id,
            "owner": self.account(self.world.account(f"{app.slug}[bot]")),
            "name": app.slug,
            "description": None,
            "external_url": f"{self.web}/apps/{app.slug}",
            "html_url": f"{self.web}/apps/{app.slug}",
            "created_at": iso(app.created_at),
            "updated_at": iso(app.created_at),
            "permissions": {},
            "events": [],
        }

    def repository(self, repository: Repository) -> Json:
        url, page = self.repository_url(repository), f"{self.web}/{repository.full_name}"
        open_issues = sum(issue.state == "open" for issue in repository.issues.values())
        created = iso(repository.created_at)
        return {
            "id": repository.id,
            "node_id": repository.node_id,
            "name": repository.name,
            "full_name": repository.full_name,
            "owner": self.account(repository.owner),
            "private": repository.private,
            "visibility": "private" if repository.private else "public",
            "html_url": page,
            "description": None,
            "fork": repository.parent is not None,
            "url": url,
            **_links(url, _REPOSITORY_LINKS),
            "git_url": f"git://{page.partition('://')[2]}.git",
            "ssh_url": f"git@{page.partition('://')[2]}.git",
            "clone_url": f"{page}.git",
            "svn_url": page,
            **dict.fromkeys(("mirror_url", "homepage", "language", "license")),
            **dict.fromkeys(("forks_count", "forks", "stargazers_count", "watchers_count", "watchers", "size"), 0),
            **dict.fromkeys(("subscribers_count", "network_count"), 0),
            **dict.fromkeys(("has_projects", "has_wiki", "has_pages", "has_discussions", "has_downloads"), False),
            "has_issues": True,
            "archived": repository.archived,
            "disabled": False,
            "is_template": False,
            "default_branch": repository.default_branch,
            "open_issues": open_issues,
            "open_issues_count": open_issues,
            "pushed_at": created,
            "created_at": created,
            "updated_at": created,
        }

    def permission(self, account: Account, role: Role) -> Json:
        permissions = {
            "pull": role >= Role.READ,
            "triage": role >= Role.TRIAGE,
            "push": role >= Role.WRITE,
            "maintain": role >= Role.MAINTAIN,
            "admin": role >= Role.ADMIN,
        }
        role_name = role.name.lower()
        user = {**self.account(account), "role_name": role_name, "permissions": permissions}
        return {"permission": role.permission, "role_name": role_name, "user": user}

    # --- Issues and their comments ---

    def label(self, label: Label, repository: Repository) -> Json:
        url = f"{self.repository_url(repository)}/labels/{label.name}"
        plain = {"description": None, "color": "ededed", "default": False}
        return {"id": label.id, "node_id": label.node_id, "url": url, "name": label.name, **plain}

    def labels(self, issue: Issue) -> list[Json]:
        return [self.label(label, issue.repository) for label in issue.labels]

    def issue(self, issue: Issue) -> Json:
        """An issue; a pull request shows its issue half and says so under ``pull_request``."""
        url = self.issue_url(issue)
        answer = {
            **self._remark(issue, issue.repository),
            "url": url,
            "repository_url": self.repository_url(issue.repository),
            "labels_url": f"{url}/labels{{/name}}",
            "comments_url": f"{url}/comments",
            "events_url": f"{url}/events",
            "html_url": self.page(issue),
            "number": issue.number,
            "state": issue.state,
            "state_reason": None,
            "title": issue.title,
            "labels": self.labels(issue),
            "assignee": None,
            "assignees": [],
            "milestone": None,
            "locked": False,
            "comments": len(issue.comments),
            "closed_at": iso(issue.closed_at),
            "reactions": self.reactions(issue, url),
        }
        if isinstance(issue, PullRequest):
            answer["node_id"] = issue.issue_node_id
            answer["draft"] = issue.draft
            answer["pull_request"] = {
                "url": self.pull_url(issue),
                "html_url": self.page(issue),
                "diff_url": f"{self.page(issue)}.diff",
                "patch_url": f"{self.page(issue)}.patch",
                "merged_at": iso(issue.merged_at),
            }
        return answer

    def issue_comment(self, comment: IssueComment) -> Json:
        url = f"{self.repository_url(comment.issue.repository)}/issues/comments/{comment.id}"
        app = comment.author.app
        return {
            **self._remark(comment, comment.issue.repository),
            "url": url,
            "html_url": f"{self.page(comment.issue)}#issuecomment-{comment.id}",
            "issue_url": self.issue_url(comment.issue),
            "performed_via_github_app": self.app(app) if app else None,
            "reactions": self.reactions(comment, url),
        }

    def reaction(self, reaction: Reaction) -> Json:
        return {
            "id": reaction.id,
            "node_id": reaction.node_id,
            "user": self.account(reaction.account),
            "content": reaction.content,
            "created_at": iso(reaction.created_at),
        }

    def reactions(self, remark: Remark, url: str) -> Json:
        """The sum that stands in a comment."""
        contents = ("+1", "-1", "laugh", "confused", "heart", "hooray", "eyes", "rocket")
        counts = {content: sum(each.content == content for each in remark.reactions) for content in contents}
        return {"url": f"{url}/reactions", "total_count": len(remark.reactions), **counts}

    def _remark(self, remark: Remark, repository: Repository) -> Json:
        return {
            "id": remark.id,
            "node_id": remark.node_id,
            "user": self.account(remark.author),
            "body": remark.body,
            "created_at": iso(remark.created_at),
            "updated_at": iso(remark.updated_at),
            "author_association": self.world.association(repository, remark.author),
        }

    # --- Reviews ---

    def review(self, review: Review) -> Json:
        """A review; a draft has no ``submitted_at``."""
        page = f"{self.page(review.pull)}#pullrequestreview-{review.id}"
        answer = {
            **self._remark(review, review.pull.repository),
            "state": review.state.value,
            "html_url": page,
            "pull_request_url": self.pull_url(review.pull),
            "_links": {"html": {"href": page}, "pull_request": {"href": self.pull_url(review.pull)}},
            "commit_id": review.commit_id,
        }
        del answer["created_at"], answer["updated_at"]
        if review.submitted_at is not None:
            answer["submitted_at"] = iso(review.submitted_at)
        return answer

    def review_comment(self, comment: ReviewComment) -> Json:
        """A review comment with lines; they are null when outdated and on whole files."""
        thread = comment.thread
        return {
            **self.review_comment_by_position(comment),
            "subject_type": thread.subject_type.lower(),
            "side": thread.side.value,
            "start_side": thread.start_side and thread.start_side.value,
            "line": thread.line,
            "start_line": thread.start_line,
            "original_line": thread.original_line,
            "original_start_line": thread.original_start_line,
        }

    def review_comment_by_position(self, comment: ReviewComment) -> Json:
        """A review comment in the old shape that lists the comments of one review."""
        thread, pull = comment.thread, comment.thread.pull
        url = f"{self.repository_url(pull.repository)}/pulls/comments/{comment.id}"
        page = f"{self.page(pull)}#discussion_r{comment.id}"
        answer = {
            **self._remark(comment, pull.repository),
            "url": url,
            "html_url": page,
            "pull_request_url": self.pull_url(pull),
            "_links": {
                "self": {"href": url},
                "html": {"href": page},
                "pull_request": {"href": self.pull_url(pull)},
            },
            "pull_request_review_id": comment.review.id,
            "diff_hunk": thread.diff_hunk,
            "path": thread.path,
            "position": thread.position,
            "original_position": thread.original_position,
            "commit_id": thread.original_commit if thread.outdated else pull.head_sha,
            "original_commit_id": thread.original_commit,
            "reactions": self.reactions(comment, url),
        }
        if comment.reply_to is not None:
            answer["in_reply_to_id"] = comment.reply_to.id
        return answer

    # --- Check runs ---

    def check_run(self, run: CheckRun) -> Json:
        url = f"{self.repository_url(run.repository)}/check-runs/{run.id}"
        return {
            "id": run.id,
            "node_id": run.node_id,
            "head_sha": run.head_sha,
            "external_id": run.external_id,
            "url": url,
            "html_url": f"{self.web}/{run.repository.full_name}/runs/{run.id}",
            "details_url": run.details_url,
            "status": run.status,
            "conclusion": run.conclusion,
            "started_at": iso(run.started_at),
            "completed_at": iso(run.completed_at),
            "output": {
                **{key: run.output.get(key) for key in ("title", "summary", "text")},
                "annotations_count": len(run.annotations),
                "annotations_url": f"{url}/annotations",
            },
            "name": run.name,
            "check_suite": {"id": run.app.id},
            "app": self.app(run.app),
            "pull_requests": [],
        }

    def status(self, status: CommitStatus) -> Json:
        url = f"{self.repository_url(status.repository)}/statuses/{status.sha}"
        made = iso(status.created_at)
        return {
            "url": url,
            "avatar_url": None,
            "id": status.id,
            "node_id": status.node_id,
            "state": status.state,
            "description": status.description,
            "target_url": status.target_url,
            "context": status.context,
            "created_at": made,
            "updated_at": made,
            "creator": self.account(status.creator),
        }


def _links(root: str, table: str) -> Mapping[str, str]:
    pairs: Sequence[tuple[str, str, str]] = [entry.partition("=") for entry in table.split()]
    return {name: root + tail for name, _, tail in pairs}
