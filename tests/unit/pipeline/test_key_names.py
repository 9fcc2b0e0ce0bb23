"""Names that hold a key: what of a change, a request and an outcome is left of them."""

from __future__ import annotations

import dataclasses
from contextlib import nullcontext
from typing import cast

import pytest

from draftgate.agents.reading import Reading
from draftgate.domain.canonical import canonical_bytes
from draftgate.domain.change import BlobId
from draftgate.domain.diff import FileDiff, FileStatus
from draftgate.domain.finding import Evidence, Finding, Place
from draftgate.domain.round import Dropped
from draftgate.domain.scope import Difference, FileEvidence, Provenance, ScopeEvidence
from draftgate.domain.snapshot import Change, Snapshot
from draftgate.pipeline.key_names import drop_named, leave_out, without_keys
from draftgate.pipeline.request import GatheredChange, ReviewRequest
from draftgate.pipeline.run_checks import CheckOutcome
from tests.builders import BASE, HEAD, change, finding, line_anchor

KEY = "the-key"
NAMED = f"notes-{KEY}.txt"


def hide(text: str) -> str:
    return text.replace(KEY, "[hidden]")


def file(old: str | None, new: str | None, status: FileStatus = FileStatus.MODIFIED) -> FileDiff:
    return FileDiff(old, new, status)


def listed(each: FileDiff) -> FileEvidence:
    return FileEvidence(each.status, each.old_path, each.new_path, "100644", "100644", BlobId("a"), BlobId("b"), 1, 1)


def gathered(
    *files: FileDiff, differences: tuple[Difference, ...] = (), limits: tuple[str, ...] = ()
) -> GatheredChange:
    evidence = ScopeEvidence(
        provenance=Provenance.GIT_AND_PROVIDER,
        base_ref=f"release-{KEY}",
        base_tip=BASE,
        head_ref=f"work-{KEY}",
        head=HEAD,
        merge_base=BASE,
        other_merge_bases=(),
        object_format="sha1",
        git_version="2.39.5",
        files=tuple(map(listed, files)),
        patch_sha256="d" * 64,
        patch_complete=True,
        differences=differences,
    )
    nothing = cast("Snapshot", None)
    return GatheredChange(
        evidence=evidence,
        files=files,
        change=Change(files, nothing, nothing),
        unread={},
        limits=lambda: limits,
        open_reading=lambda: nullcontext(Reading(nothing, nothing, None)),
    )


PLAIN = file("lib.py", "lib.py")


@pytest.mark.parametrize(
    "named",
    [
        file(None, NAMED, FileStatus.ADDED),
        file(NAMED, None, FileStatus.DELETED),
        file(NAMED, NAMED),
        file(NAMED, "notes.txt", FileStatus.RENAMED),
        file("notes.txt", NAMED, FileStatus.RENAMED),
        file(f"{KEY}/notes.txt", f"{KEY}/notes.txt"),
    ],
    ids=["added", "deleted", "modified", "renamed-from", "renamed-to", "in-a-folder"],
)
def test_a_file_that_is_named_for_a_key_is_listed_apart_and_masked(named: FileDiff) -> None:
    left = leave_out(gathered(PLAIN, named), hide)

    assert left.files == left.change.files == (PLAIN,)
    [apart] = left.named_for_keys
    assert (apart.status, apart.hunks) == (named.status, ())
    assert [path and path.replace("[hidden]", KEY) for path in (apart.old_path, apart.new_path)] == [
        named.old_path,
        named.new_path,
    ]
    assert KEY.encode() not in canonical_bytes((left.evidence, left.named_for_keys))


def test_the_proof_keeps_everything_else() -> None:
    named = file(NAMED, NAMED)
    before = gathered(PLAIN, named, differences=(Difference(NAMED, "status", f"renamed a -> {NAMED}", "added"),))

    after = leave_out(before, hide).evidence

    assert [each.path for each in after.files] == ["lib.py", "notes-[hidden].txt"]
    assert after.differences == (
        Difference("notes-[hidden].txt", "status", "renamed a -> notes-[hidden].txt", "added"),
    )
    assert (after.base_ref, after.head_ref) == ("release-[hidden]", "work-[hidden]")
    unnamed = {"files": (), "differences": (), "base_ref": "", "head_ref": ""}
    assert dataclasses.replace(after, **unnamed) == dataclasses.replace(before.evidence, **unnamed)  # type: ignore[arg-type]
    assert after == leave_out(before, hide).evidence


def test_without_such_names_the_change_is_as_it_was() -> None:
    left = leave_out(gathered(PLAIN, limits=("as it is",)), hide)

    assert (left.files, left.named_for_keys, left.limits()) == ((PLAIN,), (), ("as it is",))


def test_limits_name_no_key_and_end_with_what_to_do() -> None:
    left = leave_out(gathered(file(None, NAMED, FileStatus.ADDED), limits=(f"{NAMED} is long",)), hide)

    assert left.limits() == (
        "notes-[hidden].txt is long",
        "limited: 1 file was not read for a key, or a secret of this run, in its name: rename it, and revoke the key",
    )


# --- What was found --------------------------------------------------------------------------------------------------


def outcome(*findings: Finding, dropped: tuple[Dropped, ...] = ()) -> CheckOutcome:
    return CheckOutcome(findings, dropped, ())


@pytest.mark.parametrize(
    "named",
    [
        finding("said", anchor=line_anchor(NAMED, 1)),
        finding("said", evidence=Evidence(NAMED, 1, ("x",))),
        finding("said", context=Evidence(NAMED, 1, ("x",))),
    ],
    ids=["anchor", "evidence", "context"],
)
def test_a_finding_on_such_a_file_is_dropped(named: Finding) -> None:
    kept = finding()

    held = drop_named(outcome(kept, named), hide)

    assert held.findings == (kept,)
    [dropped] = held.dropped
    assert (dropped.reason, dropped.subject) == ("on a file whose name holds a key", "said")
    assert KEY.encode() not in canonical_bytes(held.dropped)


def test_a_finding_that_only_mentions_such_a_file_stays_without_the_place() -> None:
    mentioned = finding(related=(Place("lib.py", 1), Place(NAMED, 2)))

    [kept] = drop_named(outcome(mentioned), hide).findings

    assert kept == finding(related=(Place("lib.py", 1),))


def test_what_was_dropped_before_names_no_key() -> None:
    before = Dropped(f"because of {KEY}", f"see {KEY}", NAMED, f"says {KEY}")

    assert drop_named(outcome(dropped=(before, Dropped("refuted", "x"))), hide).dropped == (
        Dropped("because of [hidden]", "see [hidden]", "notes-[hidden].txt", "says [hidden]"),
        Dropped("refuted", "x"),
    )


# --- What is kept of the request -------------------------------------------------------------------------------------


def request(number: int | None) -> ReviewRequest:
    about = change(title=f"Add {KEY}", base_ref=f"release-{KEY}", head_ref=f"work-{KEY}", number=number)
    return ReviewRequest(
        key=f"work-{KEY}",
        instance="draftgate",
        change=about,
        base_tip=BASE,
        head=HEAD,
        base_named=f"refs/heads/release-{KEY}",
        head_named=f"refs/heads/work-{KEY}",
    )


def test_on_a_forge_no_name_of_the_request_is_kept() -> None:
    kept = without_keys(request(7), hide)

    assert (kept.change.title, kept.change.base_ref, kept.change.head_ref) == (
        "Add [hidden]",
        "release-[hidden]",
        "work-[hidden]",
    )
    assert (kept.base_named, kept.head_named) == ("refs/heads/release-[hidden]", "refs/heads/work-[hidden]")


def test_without_a_forge_the_branches_are_found_again_by_what_they_are_called() -> None:
    kept = without_keys(request(None), hide)

    assert (kept.change.title, kept.change.head_ref) == ("Add [hidden]", "work-[hidden]")
    assert (kept.key, kept.base_named, kept.head_named) == (
        f"work-{KEY}",
        f"refs/heads/release-{KEY}",
        f"refs/heads/work-{KEY}",
    )
