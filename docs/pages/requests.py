"""Every kind of request that the forges' adapters make, with the permission that it needs.

The permissions page is made from these tables. Tests hold them to the cassettes, which are recordings of the calls that
an adapter makes, and to what the simulated forges are asked in the tests of whole runs: a new kind of request fails
there until it has a row here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of request.

    Attributes:
        line: Method and path, ``{…}`` for what varies in a part of it; or GraphQL's kind, name and first field.
        need: The permission or role, as the forge calls it.
        purpose: What it is for, for those who are asked to grant it.
    """

    line: str
    need: str
    purpose: str

    def matches(self, line: str) -> bool:
        """Whether a request is of this kind."""
        parts = re.split(r"\{[^}]*\}", self.line)
        return re.fullmatch("[^/]+".join(map(re.escape, parts)), line) is not None


CONTENTS, PULLS_READ, PULLS = "`contents: read`", "`pull-requests: read`", "`pull-requests: write`"
ACTIONS_READ, ADMINISTRATION = "`actions: read`", "`administration: read`"
CHECKS_READ, CHECKS, EITHER = "`checks: read`", "`checks: write`", "`issues: write` or `pull-requests: write`"
METADATA, MEMBERS = "`metadata: read`", "`members: read`"
_BOTH = f"{CONTENTS}, {PULLS_READ}"

GITHUB: tuple[Kind, ...] = (
    Kind("git fetch", CONTENTS, "the commits of the change, where the job has none"),
    Kind(
        "query Bundle viewer",
        _BOTH,
        "the change, its comments and reviews, the configuration: one request to begin with",
    ),
    Kind(
        "query FilesAtBranch repository",
        CONTENTS,
        "the configuration of the target branch, where it is no default branch",
    ),
    Kind("query CodeOwners repository", CONTENTS, "CODEOWNERS, if `approval.who` counts owners"),
    Kind("query Objects repository", CONTENTS, "texts of files, where commits cannot be fetched"),
    Kind(
        "GET /repos/{owner}/{name}/compare/{range}", CONTENTS, "the merge base, and whether the list of files is whole"
    ),
    Kind("GET /repos/{owner}/{name}/pulls/{number}/files", PULLS_READ, "the changed files"),
    Kind("query Standing repository", PULLS_READ, "what stands now, before and after each write"),
    Kind("query CommentsPage repository", PULLS_READ, "older comments"),
    Kind("query ReviewsPage repository", PULLS_READ, "older reviews"),
    Kind("query ReviewComments node", PULLS_READ, "the comments of our draft or review"),
    Kind("query Authors repository", PULLS_READ, "who wrote the commits, since nobody approves their own"),
    Kind("query OpenChanges repository", PULLS_READ, "the open checkpoints, for a sweep"),
    Kind(
        "GET /repos/{owner}/{name}/issues/{number}/comments",
        PULLS_READ,
        "whether a reply arrived whose answer was lost",
    ),
    Kind("GET /repos/{owner}/{name}/issues/comments/{comment}", PULLS_READ, "the same for an edit"),
    Kind("GET /repos/{owner}/{name}/issues/comments/{comment}/reactions", PULLS_READ, "whether a command was answered"),
    Kind("GET /repos/{owner}/{name}/collaborators/{login}/permission", METADATA, "whether who commands may write"),
    Kind("GET /repos/{owner}/{name}", METADATA, "whether the repository is a person's or an organization's"),
    Kind("GET /repos/{owner}/{name}/collaborators", METADATA, "whether anybody but the author may approve"),
    Kind("GET /orgs/{owner}/teams/{team}/memberships/{login}", MEMBERS, "teams in `approval.who`"),
    Kind("GET /repos/{owner}/{name}/commits/{commit}/check-runs", CHECKS_READ, "the seal in our check run"),
    Kind("query Account viewer", PULLS_READ, "`draftgate doctor`: whose token it is, and other bots on that account"),
    Kind("query Workflows repository", CONTENTS, "`draftgate doctor`: the workflows on the default branch"),
    Kind("GET /repos/{owner}/{name}/branches/{branch}", CONTENTS, "`draftgate doctor`: whether it is protected"),
    Kind("GET /repos/{owner}/{name}/rules/branches/{branch}", METADATA, "`draftgate doctor`: by which rules"),
    Kind(
        "GET /repos/{owner}/{name}/actions/permissions/workflow",
        ADMINISTRATION,
        "`draftgate doctor`: may Actions approve?",
    ),
    Kind(
        "GET /repos/{owner}/{name}/environments/{environment}",
        ACTIONS_READ,
        "`draftgate doctor`: whether an environment is open to every branch",
    ),
    Kind(
        "GET /repos/{owner}/{name}/environments/{environment}/deployment-branch-policies",
        ACTIONS_READ,
        "`draftgate doctor`: to which ones it is",
    ),
    Kind("POST /repos/{owner}/{name}/issues/{number}/comments", EITHER, "checkpoint and replies"),
    Kind("PATCH /repos/{owner}/{name}/issues/comments/{comment}", EITHER, "the checkpoint as it goes on"),
    Kind(
        "DELETE /repos/{owner}/{name}/issues/comments/{comment}",
        EITHER,
        "parts of a checkpoint that are no longer needed",
    ),
    Kind("POST /repos/{owner}/{name}/issues/comments/{comment}/reactions", EITHER, "👀 🚀 😕 on a command"),
    Kind("mutation MinimizeComment minimizeComment", EITHER, "folds an earlier checkpoint away"),
    Kind("POST /repos/{owner}/{name}/pulls/{number}/reviews", PULLS, "the draft"),
    Kind("mutation AddThreads addPullRequestReviewThread", PULLS, "findings on a whole file"),
    Kind("mutation DeleteReview deletePullRequestReview", PULLS, "a draft that is no longer wanted"),
    Kind("POST /repos/{owner}/{name}/pulls/{number}/reviews/{review}/events", PULLS, "submits the review"),
    Kind(
        "PUT /repos/{owner}/{name}/pulls/{number}/reviews/{review}/dismissals",
        PULLS,
        "lifts an earlier request for changes",
    ),
    Kind("POST /repos/{owner}/{name}/check-runs", CHECKS, "the check run, which keeps the seal"),
    Kind("PATCH /repos/{owner}/{name}/check-runs/{run}", CHECKS, "the same, as it goes on"),
)

_READ, _WRITE, _ADMINISTER, _MAINTAIN = "sees the code", "may comment", "Developer", "Maintainer"
_MR = "/projects/{project}/merge_requests/{number}"

GITLAB: tuple[Kind, ...] = (
    Kind("git fetch", _READ, "the commits of the change, where the job has none"),
    Kind("query Bundle currentUser", _READ, "the change, its comments, the configuration: one request to begin with"),
    Kind("query Files project", _READ, "configuration files at the tip of another target branch"),
    Kind("query Standing project", _READ, "what stands now, before and after each write"),
    Kind("query Stance metadata", _READ, "what stands before a submission, and whether a verdict can be given"),
    Kind("query Edited note", _READ, "whether a comment was edited"),
    Kind("GET /user", "any", "who we are, where GraphQL does not answer"),
    Kind("GET /version", "any", "whether the state of a reviewer can be set"),
    Kind("GET /users", "any", "the number of an account"),
    Kind("GET /projects/{project}", _READ, "whether the project is a person's or a group's"),
    Kind("GET /projects/{project}/members/all", _READ, "whether anybody but the author may approve"),
    Kind("GET /projects/{project}/members/all/{user}", _READ, "the role of who commands"),
    Kind("GET /groups/{group}/members/all/{user}", "sees the group", "groups in `approval.who`"),
    Kind("GET /projects/{project}/merge_requests", _READ, "the open merge requests, for a sweep"),
    Kind(f"GET {_MR}", _READ, "the change, where GraphQL does not answer, and whether the merge is blocked"),
    Kind(f"GET {_MR}/diffs", _READ, "the changed files"),
    Kind(f"GET {_MR}/raw_diffs", _READ, "the same in one piece, for places"),
    Kind(f"GET {_MR}/commits", _READ, "who wrote the commits, since nobody approves their own"),
    Kind(f"GET {_MR}/approvals", _READ, "whether an approval is allowed"),
    Kind(f"GET {_MR}/reviewers", _READ, "whether there is a free seat"),
    Kind("GET /projects/{project}/repository/files/{path}/raw", _READ, "the configuration, CODEOWNERS"),
    Kind("GET /projects/{project}/repository/files/{path}", _READ, "texts of files, where commits cannot be fetched"),
    Kind("GET /projects/{project}/repository/commits/{commit}/statuses", _READ, "our commit status"),
    Kind(f"GET {_MR}/notes", _READ, "comments"),
    Kind(f"GET {_MR}/notes/{{note}}", _READ, "one of them, also who wrote what a webhook told of"),
    Kind(f"GET {_MR}/notes/{{note}}/award_emoji", _READ, "whether a command was answered"),
    Kind(f"GET {_MR}/discussions", _READ, "the published findings"),
    Kind(f"GET {_MR}/draft_notes", _WRITE, "our drafts; only their author sees them"),
    Kind("GET /metadata", "any", "`draftgate doctor`: version and edition"),
    Kind("GET /personal_access_tokens/self", "any", "`draftgate doctor`: the scopes and the end of the token"),
    Kind(
        "GET /projects/{project}/repository/branches/{branch}",
        _READ,
        "the tip of the target branch, for its configuration; `draftgate doctor`: whether it is protected",
    ),
    Kind("GET /projects/{project}/approvals", _ADMINISTER, "`draftgate doctor`: the approval settings"),
    Kind("GET /projects/{project}/variables/{name}", _MAINTAIN, "`draftgate doctor`: whether the token is protected"),
    Kind("GET /projects/{project}/hooks", _MAINTAIN, "`draftgate doctor`: the webhook"),
    Kind(f"POST {_MR}/notes", _WRITE, "checkpoint, replies, the summary of a review"),
    Kind(f"PUT {_MR}/notes/{{note}}", _WRITE, "the checkpoint as it goes on"),
    Kind(f"DELETE {_MR}/notes/{{note}}", _WRITE, "parts of a checkpoint that are no longer needed"),
    Kind(f"POST {_MR}/notes/{{note}}/award_emoji", _WRITE, "👀 🚀 😕 on a command"),
    Kind(f"POST {_MR}/discussions", _WRITE, "an approved finding that was lost when its draft was published"),
    Kind(f"POST {_MR}/draft_notes", _WRITE, "a finding that waits"),
    Kind(f"PUT {_MR}/draft_notes/{{draft}}", _WRITE, "its text"),
    Kind(f"DELETE {_MR}/draft_notes/{{draft}}", _WRITE, "one that is no longer wanted"),
    Kind(f"PUT {_MR}/draft_notes/{{draft}}/publish", _WRITE, "publishes it"),
    Kind(f"POST {_MR}/approve", "an approver", "`--as approve`"),
    Kind(f"POST {_MR}/unapprove", "an approver", "takes an earlier approval back"),
    Kind("mutation RequestChanges mergeRequestRequestChanges", "a reviewer", "`--as request-changes`"),
    Kind(
        "mutation AddReviewer mergeRequestSetReviewers", _ADMINISTER, "makes the bot a reviewer where the seat is free"
    ),
    Kind("POST /projects/{project}/statuses/{commit}", _ADMINISTER, "the commit status"),
)


def unlisted(kinds: tuple[Kind, ...], lines: set[str]) -> list[str]:
    """The requests that are of no kind of a table."""
    return sorted(line for line in lines if not any(kind.matches(line) for kind in kinds))


def line_of(method: str, path: str, operation: str) -> str:
    """A request as the tables have it: its GraphQL operation, else method and path.

    Args:
        method: Of HTTP.
        path: Without query, and without what stands before ``/repos`` or ``/projects``.
        operation: GraphQL's kind, name and first field, "" for anything else.
    """
    if "/info/refs" in path or "/git-upload-pack" in path:
        return "git fetch"
    return operation or f"{method} {path}"
