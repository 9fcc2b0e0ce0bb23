"""A checkpoint of 500 findings: how long it takes to build and to read back, and how large its comments are.

    python -m benchmarks.gate [--runs 5]

No request is sent. Each finding differs from every other; the longer ones are what a talkative model writes. ``build``
is everything between the session and the bodies of the comments, ``read`` everything from the bodies to the session.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence

from draftgate.commands.replay import amended_round
from draftgate.domain.session import Session
from draftgate.forge.hidden import ContinuationRef, assemble, body_digest, restore
from draftgate.forge.hosted.checkpoint import SCHEMA, Stored
from draftgate.render.checkpoint import checkpoint
from draftgate.render.draft import comments_of
from draftgate.render.page import LIMIT, size
from draftgate.render.setting import Setting, SetUp
from draftgate.schemas import state
from tests.builders import evidence_around, finding, line_anchor, session

FINDINGS = 500
MOST_S = 1.0
HOST = "https://github.invalid/acme/rooms"
SETTING = Setting(SetUp.READABLE_KEY.value, HOST)
WORDS = (
    "the caller passes `role` where `team` is expected, so an invitation of a guest is refused; see rooms/mail.py "
    "and the migration before it, which removes the column that `Team.plan` still reads under load"
).split()


def main() -> int:
    """Print one row per length of finding; 1 if a bar was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    print(f"{FINDINGS} findings of      build s   read s  comments  largest body  restored")
    held = [_measure(words, runs) for words in (20, 120, 300)]
    return 0 if all(held) else 1


def _measure(words: int, runs: int) -> bool:
    made = _make_session(words)
    builds, reads = [], []
    for _ in range(runs):
        began = time.perf_counter()
        bodies = _build(made)
        builds.append(time.perf_counter() - began)
        began = time.perf_counter()
        found = _read(bodies)
        reads.append(time.perf_counter() - began)
    texts = comments_of(made.result) if made.result else ()
    largest = max(size(text) for text in (*bodies, *(comment.text for comment in texts)))
    is_restored = found == Stored(made, None)
    print(
        f"{words:5} words each  {min(builds):11.3f} {min(reads):8.3f} {len(bodies):9} {largest:13,}  {is_restored!s:>8}"
    )
    return min(builds) <= MOST_S and largest <= LIMIT and is_restored


def _make_session(words: int) -> Session:
    rng = random.Random(words)  # noqa: S311 - not a secret
    findings = []
    for number in range(FINDINGS):
        anchor = line_anchor(f"rooms/module_{number % 40}.py", 10 + number)
        body = " ".join(rng.choices(WORDS, k=words))
        evidence = evidence_around(anchor, *(" ".join(rng.choices(WORDS, k=8)) for _ in range(5)))
        subject = " ".join(rng.choices(WORDS, k=10))
        digest = f"{rng.getrandbits(256):064x}"
        findings.append(finding(subject, body=body, anchor=anchor, evidence=evidence, fingerprint=digest))
    return session(findings)


def _build(made: Session) -> list[str]:
    """The bodies of the comments, the head comment first, as the adapter writes them."""
    page = checkpoint(made, amended_round(made), SETTING)
    facts = {"instance": "default", "round": "1", "revision": "3", "phase": made.phase.value}
    content = state.encode(SCHEMA, Stored(made, None))
    assembled = assemble(page, content, facts, head_url=f"{HOST}/pull/1#issuecomment-1")
    refs = [
        ContinuationRef(str(place), body_digest(body), f"{HOST}/pull/1#issuecomment-{place}")
        for place, body in enumerate(assembled.continuations, start=1)
    ]
    return [assembled.head(refs), *assembled.continuations]


def _read(bodies: Sequence[str]) -> Stored:
    content = restore(bodies[0], lambda place: bodies[int(place)])
    return state.decode(SCHEMA, Stored, content, name="the checkpoint")


if __name__ == "__main__":
    sys.exit(main())
