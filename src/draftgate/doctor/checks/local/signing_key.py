"""A signing key proves something only if nobody can guess it."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CREDENTIALS, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.local import LocalFacts

SHORTEST = 32
"""Characters; HMAC-SHA-256 wants a key no shorter than its 32 bytes (RFC 2104, 3)."""

FEWEST_DIFFERENT = 10
_MAKE = ("openssl rand -hex 32",)


def _judge(facts: LocalFacts) -> Iterator[Verdict]:
    key = facts.signing_key
    if facts.key_trouble:
        yield wrong(f"the signing key cannot be used: {facts.key_trouble}", "set the secret anew", lines=_MAKE)
    elif key is None:
        return
    elif key.length < SHORTEST or key.different < FEWEST_DIFFERENT:
        yield warning(
            f"the signing key has {key.length} characters, {key.different} of them different, and may be guessed",
            f"make one of at least {SHORTEST} random characters",
            lines=_MAKE,
        )
    else:
        yield ok(f"the signing key has {key.length} characters")


CHECK = Check(
    "local.signing-key",
    "signing key",
    _judge,
    wrong_if="what is given can be no key",
    warns_if="it has fewer than 32 characters, or few different ones",
    exit_code=CREDENTIALS,
)
