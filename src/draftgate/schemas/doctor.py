"""The published JSON of ``draftgate doctor``: ``draftgate/doctor/v1``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA: Literal["draftgate/doctor/v1"] = "draftgate/doctor/v1"


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DoctorRow(_Closed):
    """One thing that was looked at.

    Attributes:
        check: The id, as the reference lists it.
        looked_at: The same in words.
        says: What is so, or why nobody could look.
        change: What to do about it; null if nothing.
        where: The page or the way of clicks to it; null if there is none.
        lines: To be written into a file, or a command.
        exit_code: Of this row alone; 0 unless the outcome is ``wrong``.
    """

    check: str
    area: Literal["local", "workflow", "github", "pipeline", "gitlab", "model"]
    looked_at: str
    outcome: Literal["ok", "warning", "wrong", "could-not-look"]
    says: str
    change: str | None
    where: str | None
    lines: list[str]
    exit_code: int


class DoctorForge(_Closed):
    """The repository that was looked at."""

    name: Literal["github", "gitlab"]
    repository: str
    url: str


class DoctorRequests(_Closed):
    """How many requests were sent; every one was a read."""

    forge: int
    model: int


class Doctor(_Closed):
    """All rows.

    Attributes:
        forge: Null where none was looked at.
        exit_code: What the program ends with.
    """

    schema_: Literal["draftgate/doctor/v1"] = Field(SCHEMA, alias="schema")
    forge: DoctorForge | None
    exit_code: int
    rows: list[DoctorRow]
    requests: DoctorRequests


def doctor_json(
    *,
    forge: tuple[str, str, str] | None,
    exit_code: int,
    rows: Sequence[Mapping[str, object]],
    forge_requests: int,
    model_requests: int,
) -> dict[str, object]:
    """The document.

    Args:
        forge: Name, repository and web address.
        exit_code: Of all rows together.
        rows: With the fields of `DoctorRow`.
        forge_requests: How many were sent to the forge.
        model_requests: And to servers of models.
    """
    document = Doctor.model_validate(
        {
            "schema": SCHEMA,
            "forge": None if forge is None else dict(zip(("name", "repository", "url"), forge, strict=True)),
            "exit_code": exit_code,
            "rows": list(rows),
            "requests": {"forge": forge_requests, "model": model_requests},
        }
    )
    return document.model_dump(mode="json", by_alias=True)


def json_schema() -> dict[str, object]:
    """The JSON Schema of the document."""
    schema = Doctor.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:draftgate:schema:doctor:1",
        **schema,
    }
