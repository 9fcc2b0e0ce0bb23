"""Loading a configuration in a test without ceremony, with a few known checks."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from draftgate.config.load import ConfigFile, Loaded, load
from draftgate.config.rules import Known
from draftgate.errors import ConfigurationError

KNOWN = Known(
    check_ids=frozenset({"db.unique-index", "impact.callers", "naming.consistency"}),
    always_on=frozenset({"impact.callers"}),
    languages=frozenset({"en", "pt"}),
)


def load_text(
    content: str | bytes = b"",
    *,
    environment: Mapping[str, str] | None = None,
    known: Known = KNOWN,
    inputs: Mapping[str, object] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Loaded:
    """Load a file of this content."""
    data = content.encode() if isinstance(content, str) else content
    file = ConfigFile("draftgate.yml", data)
    return load(file, environment=environment or {}, known=known, inputs=inputs, overrides=overrides)


def problems_of(
    content: str | bytes = b"", *, environment: Mapping[str, str] | None = None, known: Known = KNOWN
) -> list[str]:
    """The problems of a file that must have some, as they are printed."""
    with pytest.raises(ConfigurationError) as caught:
        load_text(content, environment=environment, known=known)
    return [str(problem) for problem in caught.value.problems]
