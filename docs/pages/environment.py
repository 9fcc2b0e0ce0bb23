"""The environment variables that the program reads, and what for; a test holds the table to the source."""

from __future__ import annotations

Row = tuple[str, str]
"""Names between blanks, the first that is set counts; and what they are for."""

VARIABLES: tuple[tuple[str, str, tuple[Row, ...]], ...] = (
    (
        "Everywhere",
        "In a terminal and in jobs alike.",
        (
            ("INPUT_LLM-API-KEY DRAFTGATE_LLM_API_KEY", "the key for models, whoever makes them"),
            ("OPENAI_API_KEY ANTHROPIC_API_KEY", "a key under its maker's own name, used for that maker's models"),
            ("INPUT_LLM-BASE-URL DRAFTGATE_LLM_BASE_URL", "a server in place of the provider's own"),
            ("OPENAI_BASE_URL ANTHROPIC_BASE_URL", "the same under the maker's own name"),
            ("HTTPS_PROXY HTTP_PROXY ALL_PROXY NO_PROXY", "proxies, for forge, git and models alike; lower case too"),
            (
                "REQUESTS_CA_BUNDLE SSL_CERT_FILE CURL_CA_BUNDLE GIT_SSL_CAINFO",
                "a file of certificate authorities to trust; the last two for git alone",
            ),
            ("NO_COLOR", "if set, no colours in a terminal"),
            ("TERM", "`dumb`: the same"),
            ("USER", "whose review it is in a terminal, where git knows no name"),
        ),
    ),
    (
        "GitHub Actions",
        "GitHub's runner sets all but the secrets. `INPUT_…` is what the action is given under `with:`.",
        (
            ("GITHUB_ACTIONS", "`true` in a job: `draftgate run` then reads the following"),
            ("GITHUB_EVENT_NAME GITHUB_EVENT_PATH", "what happened, and its payload"),
            ("GITHUB_REPOSITORY", "where"),
            ("GITHUB_API_URL GITHUB_GRAPHQL_URL GITHUB_SERVER_URL", "the addresses of GitHub or an Enterprise Server"),
            (
                "GITHUB_ACTOR GITHUB_TRIGGERING_ACTOR GITHUB_RUN_ATTEMPT",
                "who started the run, and whether it is a re-run",
            ),
            ("GITHUB_RUN_ID", "for the link to the run"),
            ("GITHUB_WORKSPACE", "a clone, if the job made one; it is used if it holds the commits"),
            ("RUNNER_TEMP", "where commits are fetched to and the files of the result are written"),
            ("GITHUB_OUTPUT GITHUB_STEP_SUMMARY", "where outputs and the job's summary go"),
            ("RUNNER_DEBUG", "`1`: every request is logged, without bodies"),
            ("INPUT_GITHUB-TOKEN GITHUB_TOKEN", "the token of the account that writes ([permissions](permissions.md))"),
            ("INPUT_CONFIG", "the configuration file, if it is in none of its usual places"),
            ("INPUT_MODE", "`auto`, `review` or `commands`"),
            ("INPUT_FAIL-ON", "`none`, `blocker` or `any`"),
            ("INPUT_LANGUAGE INPUT_MODELS", "the configuration's keys of these names"),
            ("INPUT_SIGNING-KEY DRAFTGATE_SIGNING_KEY", "the secret that signs the state in the checkpoint"),
        ),
    ),
    (
        "GitLab CI",
        "GitLab's runner sets all that begin with `CI_` or `GITLAB_`.",
        (
            ("GITLAB_CI", "`true` in a job: `draftgate run` then reads the following"),
            ("DRAFTGATE_GITLAB_TOKEN", "the token of the account that writes ([permissions](permissions.md))"),
            ("CI_PIPELINE_SOURCE TRIGGER_PAYLOAD", "what happened, and a webhook's payload"),
            ("CI_PROJECT_ID CI_PROJECT_PATH", "the project"),
            ("CI_MERGE_REQUEST_IID CI_MERGE_REQUEST_PROJECT_ID CI_MERGE_REQUEST_PROJECT_PATH", "the merge request"),
            (
                "CI_MERGE_REQUEST_SOURCE_PROJECT_ID CI_MERGE_REQUEST_SOURCE_BRANCH_SHA CI_MERGE_REQUEST_EVENT_TYPE",
                "whether it comes from a fork or rides a merge train",
            ),
            (
                "CI_COMMIT_SHA CI_COMMIT_BRANCH CI_COMMIT_REF_NAME CI_COMMIT_TAG CI_DEFAULT_BRANCH",
                "what the job runs on",
            ),
            ("CI_SERVER_URL CI_API_V4_URL CI_API_GRAPHQL_URL", "the addresses of the instance"),
            ("CI_SERVER_TLS_CA_FILE", "its certificate authority, where the runner was given one"),
            ("CI_JOB_TOKEN", "reads a merge request from a fork, where there is no other token"),
            ("CI_PROJECT_DIR", "a clone, if the job made one, and the folder of the artifacts"),
            ("CI_JOB_URL GITLAB_USER_LOGIN", "the link to the job, and who pushed"),
            ("CI_DEBUG_TRACE", "`true`: every request is logged, without bodies"),
            ("DRAFTGATE_CONFIG", "the configuration file, if it is in none of its usual places"),
            ("DRAFTGATE_MODE", "`auto`, `review` or `commands`"),
            ("DRAFTGATE_FAIL_ON", "`none`, `blocker` or `any`"),
            ("DRAFTGATE_SIGNING_KEY", "the secret that signs the state in the checkpoint"),
        ),
    ),
)
