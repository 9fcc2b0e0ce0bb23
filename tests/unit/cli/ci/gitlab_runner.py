"""GitLab's side: reads a log and a dotenv report as GitLab does, and sets up a job as its runner would.

After ``lib/gitlab/ci/ansi2json`` and ``app/services/ci/parse_dotenv_artifact_service.rb`` of GitLab's source.
"""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from pathlib import Path

from draftgate.cli.ci.gitlab_job import FOLDER, make_gitlab_job
from draftgate.cli.ci.job import Job
from draftgate.cli.ci.log import GuardedStream, as_coloured_lines
from draftgate.cli.ci.variables import Variables
from draftgate.config.key_shapes import mask
from tests.unit.cli.ci.gitlab_payloads import HEAD, PROJECT

TOKEN = "glpat-not-a-real-token-0123456789"  # noqa: S105 - as it says
OURS = re.compile(r"\x1b\[3[13];1m(?P<line>[^\x1b]*)\x1b\[0;m")

_SECTION = re.compile(r"section_(?:start|end):\d+:[a-zA-Z0-9_.-]+(?:\[[^\]]*\])?\r\x1b\[0K")
_DOTENV_LINE = re.compile(r"^(.*?)=(.*)$")


def obeyed(log: str) -> list[str]:
    """What GitLab's page of a job would do besides showing text, but for the colours of our own messages."""
    plain = OURS.sub(lambda ours: ours["line"], log)
    return _SECTION.findall(plain) + re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", plain)


def messages(log: str) -> list[str]:
    """Our own messages, a line each."""
    return [match["line"] for match in OURS.finditer(log)]


def read_dotenv(content: bytes) -> dict[str, str]:
    """The variables as GitLab takes them; fails where it would refuse the report."""
    assert len(content) < 5 * 1024
    variables = {}
    for line in content.decode("utf-8").splitlines():
        match = _DOTENV_LINE.fullmatch(line)
        assert match, f"no variable: {line!r}"
        assert re.fullmatch(r"[A-Za-z0-9_]{1,255}", match[1].strip())
        variables[match[1].strip()] = match[2].strip()
    assert len(variables) <= 20
    return variables


@dataclass(frozen=True, slots=True)
class Here:
    """A job in a folder of a test."""

    folder: Path
    log: io.StringIO

    @property
    def job(self) -> Job:
        """The job as the program sees it."""
        variables = Variables(gitlab_environment(self.folder, "schedule"))
        log = GuardedStream(self.log, (TOKEN,), as_coloured_lines)
        return make_gitlab_job(variables, log, lambda text: mask(text, (TOKEN,)))

    def artifact(self, name: str) -> str:
        """A file that the template keeps."""
        return (self.folder / FOLDER / name).read_text(encoding="utf-8")

    @property
    def outputs(self) -> dict[str, str]:
        """What a later job would have as variables."""
        return read_dotenv((self.folder / FOLDER / "draftgate.env").read_bytes())


def gitlab_environment(folder: Path, source: str, payload: object = None, **more: str) -> dict[str, str]:
    """The variables that the runner sets in a pipeline of a source, as far as they matter here."""
    folder.mkdir(exist_ok=True)
    given = {}
    if payload is not None:
        (folder / "payload.json").write_text(json.dumps(payload), encoding="utf-8")
        given["TRIGGER_PAYLOAD"] = str(folder / "payload.json")
    if source == "merge_request_event":
        given |= {
            "CI_MERGE_REQUEST_IID": "7",
            "CI_MERGE_REQUEST_PROJECT_ID": str(PROJECT),
            "CI_MERGE_REQUEST_PROJECT_PATH": "group/sub/rooms",
            "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": str(PROJECT),
            "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "",
            "CI_MERGE_REQUEST_EVENT_TYPE": "detached",
        }
    else:
        given |= {"CI_COMMIT_BRANCH": "main", "CI_COMMIT_REF_NAME": "main"}
    return {
        "GITLAB_CI": "true",
        "CI_API_GRAPHQL_URL": "http://127.0.0.1:9/api/graphql",
        "CI_API_V4_URL": "http://127.0.0.1:9/api/v4",
        "CI_COMMIT_SHA": HEAD,
        "CI_DEFAULT_BRANCH": "main",
        "CI_JOB_TOKEN": "glcbt-not-a-real-job-token",
        "CI_JOB_URL": "http://127.0.0.1:9/group/sub/rooms/-/jobs/99",
        "CI_PIPELINE_SOURCE": source,
        "CI_PROJECT_DIR": str(folder),
        "CI_PROJECT_ID": str(PROJECT),
        "CI_PROJECT_PATH": "group/sub/rooms",
        "CI_SERVER_URL": "http://127.0.0.1:9",
        "DRAFTGATE_GITLAB_TOKEN": TOKEN,
        "GITLAB_USER_LOGIN": "author",
        **given,
        **more,
    }
