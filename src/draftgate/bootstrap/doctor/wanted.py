"""What is to be looked at, as plain values: `cli` makes it from the command line and the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """A repository on a forge.

    Attributes:
        forge: ``github`` or ``gitlab``.
        repository: ``owner/name``, or the path of the project.
        server_url, api_url, graphql_url: Without a final slash.
        token: "" where there is none.
        token_name: The variable that it came from, or the one that it should be in.
        token_trouble: Why what is in that variable can be no token; "" if it can.
        job_token: What the platform gave the job for other purposes; "" where there is none.
        is_https: Nobody on the way can read the token: it is encrypted, or goes to this machine.
    """

    forge: str
    repository: str
    server_url: str
    api_url: str
    graphql_url: str
    token: str = field(repr=False)
    token_name: str
    token_trouble: str = ""
    job_token: str = field(default="", repr=False)
    is_https: bool = True


@dataclass(frozen=True, slots=True)
class Wanted:
    """All that is to be looked at.

    Attributes:
        folder: Where the clone is, if there is one; absolute.
        environment: All environment variables.
        config_path: The configuration file that was named; "" for the usual places.
        inputs: Settings of the job, by dotted key.
        is_job: This is a CI job.
        signing_key: "" where none was given.
        key_trouble: Why what was given can be no signing key; "" if it can.
        place: Where the forge is; ``None`` where nobody could tell.
        no_place: Why there is none; "" if there is one.
        place_hint: How to name one; "" where there need be none.
        is_checkout_of_place: What lies in the folder is that repository, as far as can be told.
        origin_has_password: The address of ``origin`` holds one.
        ca_file: Certificate authorities to trust; "" for the usual ones.
        asks_models: The providers of models may be asked.
        timeout_s: How long one answer may take.
    """

    folder: Path
    environment: Mapping[str, str] = field(repr=False)
    config_path: str
    inputs: Mapping[str, str]
    is_job: bool
    signing_key: str = field(repr=False)
    key_trouble: str
    place: Place | None
    no_place: str
    place_hint: str
    is_checkout_of_place: bool
    origin_has_password: bool
    ca_file: str
    asks_models: bool
    timeout_s: int
