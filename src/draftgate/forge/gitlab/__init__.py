"""The adapter for GitLab, through python-gitlab: merge requests, their notes, drafts, discussions and approvals."""
