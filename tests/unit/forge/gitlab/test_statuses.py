"""The commit status of a round: its words, the time that it keeps, and whose word it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.round import Coverage
from draftgate.domain.seal import Witness
from draftgate.domain.session import Failure, Session, Submission
from draftgate.errors import Unavailable
from draftgate.forge.gitlab.statuses import Statuses
from tests.builders import finding, result, scope, session
from tests.fakes.gitlab import statuses as rules
from tests.fakes.gitlab.pipelines import CommitStatus
from tests.fakes.gitlab.scenario import BOT
from tests.unit.forge.gitlab.change_on_gitlab import OnGitLab, on_gitlab

SHOWN = "2026-01-02T10:00:01Z"
URL = "https://gitlab.example.invalid/a/b/-/merge_requests/1#note_9"


@pytest.fixture
def gitlab(tmp_path: Path) -> Iterator[OnGitLab]:
    """Without GraphQL, where a reaction cannot be told from an edit, so that the time has to be read."""
    with on_gitlab(tmp_path) as found:
        found.world.answers_bundles = False
        yield found


def test_where_graphql_tells_edits_the_time_of_the_checkpoint_will_do(gitlab: OnGitLab) -> None:
    gitlab.world.answers_bundles = True
    put(gitlab, round_of(gitlab))
    before = len(gitlab.simulator.log)

    assert statuses(gitlab).find(gitlab.head) is None
    assert [line for line in gitlab.asked(before) if "statuses" in line] == []


def statuses(gitlab: OnGitLab, *, account: str = BOT, instance: str = "default") -> Statuses:
    connection = gitlab.connect(account)
    view = gitlab.view(connection)
    view.call_instance(instance)
    return Statuses(connection, view)


def round_of(gitlab: OnGitLab, *, findings: int = 1, **changes: object) -> Session:
    return session([finding()] * findings, **{"scope": scope(head=gitlab.head), **changes})


def put(gitlab: OnGitLab, said: Session, *, shown_at: str = SHOWN, is_new: bool = False, url: str = URL) -> Statuses:
    made = statuses(gitlab)
    made.put(said, Witness.of(said), shown_at=shown_at, url=url, is_new=is_new)
    return made


def there(gitlab: OnGitLab) -> list[CommitStatus]:
    return gitlab.scenario.project.statuses


def submitted(verdict: Verdict) -> dict[str, object]:
    return {"phase": Phase.SUBMITTED, "submission": Submission(URL, verdict, (1,), "0" * 64, SHOWN)}


@pytest.mark.parametrize(
    ("changes", "state", "words"),
    [
        ({}, "skipped", "awaiting approval: 1 finding"),
        ({"findings": 3}, "skipped", "awaiting approval: 3 findings"),
        ({"findings": 0}, "success", "nothing found"),
        (
            {"findings": 0, "result": result([], coverage=Coverage(files=3, reviewed=0))},
            "skipped",
            "nothing found, and not everything was looked at",
        ),
        ({"result": None}, "skipped", "awaiting approval: 0 findings"),
        (submitted(Verdict.COMMENT), "success", "submitted"),
        (submitted(Verdict.APPROVE), "success", "submitted"),
        (submitted(Verdict.REQUEST_CHANGES), "skipped", "submitted"),
        ({"phase": Phase.SUPERSEDED}, "skipped", "superseded"),
        ({"phase": Phase.ABORTED}, "skipped", "discarded"),
        ({"phase": Phase.AGENTS_FAILED}, "skipped", "an agent failed"),
        ({"phase": Phase.FAILED}, "failed", "failed"),
        ({"phase": Phase.VALIDATING}, "skipped", "validating"),
    ],
)
def test_a_round_is_said_in_words_and_green_only_where_something_was_read(
    gitlab: OnGitLab, changes: dict[str, object], state: str, words: str
) -> None:
    findings = changes.pop("findings", 1)
    assert isinstance(findings, int)

    put(gitlab, round_of(gitlab, findings=findings, **changes))

    [made] = there(gitlab)
    assert (made.state, made.name, made.target_url) == (state, "draftgate", URL)
    assert made.description == f"{words} (shown {SHOWN}, round 9f2c00000000)"


def test_the_time_is_read_back_for_the_round_that_it_belongs_to(gitlab: OnGitLab) -> None:
    said = round_of(gitlab)
    put(gitlab, said)

    kept = statuses(gitlab).find(gitlab.head)

    assert kept is not None
    assert (kept.title, kept.shown_at) == ("awaiting approval: 1 finding", SHOWN)
    assert kept.is_of(said)
    assert not kept.is_of(dataclasses.replace(said, seal="a" * 64))
    assert kept.witness is None


def test_no_time_is_said_of_a_round_that_shows_nothing_yet(gitlab: OnGitLab) -> None:
    said = round_of(gitlab, seal="")

    made = put(gitlab, said)

    kept = made.find(gitlab.head)
    assert kept is not None
    assert (kept.shown_at, kept.is_of(said)) == ("", False)
    assert "shown" not in (there(gitlab)[0].description or "")


def test_the_same_words_are_not_said_twice_and_another_time_is(gitlab: OnGitLab) -> None:
    said = round_of(gitlab)

    put(gitlab, said)
    put(gitlab, said)
    put(gitlab, said, shown_at="2026-01-02T11:00:00Z")
    put(gitlab, said, shown_at="2026-01-02T11:00:00Z", is_new=True)

    times = [(one.description or "").partition("(shown ")[2][:20] for one in there(gitlab)]
    assert times == [SHOWN, "2026-01-02T11:00:00Z", "2026-01-02T11:00:00Z"]


def test_mending_says_the_state_and_keeps_the_time(gitlab: OnGitLab) -> None:
    said = round_of(gitlab)
    put(gitlab, said)

    statuses(gitlab).mend(dataclasses.replace(said, phase=Phase.ABORTED))
    statuses(gitlab).mend(dataclasses.replace(said, phase=Phase.ABORTED))

    assert [one.description for one in there(gitlab)][1:] == [f"discarded (shown {SHOWN}, round 9f2c00000000)"]


def test_another_round_is_not_mended(gitlab: OnGitLab) -> None:
    put(gitlab, round_of(gitlab))

    statuses(gitlab).mend(round_of(gitlab, seal="a" * 64, phase=Phase.ABORTED))
    statuses(gitlab).mend(round_of(gitlab, scope=None, phase=Phase.ABORTED))

    assert len(there(gitlab)) == 1


def test_nothing_is_said_of_no_commit(gitlab: OnGitLab) -> None:
    put(gitlab, round_of(gitlab, scope=None, reviewing=None))

    assert there(gitlab) == []


def test_an_older_server_has_no_word_for_skipped(gitlab: OnGitLab) -> None:
    """A status is never green where nothing was reviewed."""
    gitlab.world.version = "17.0.0"

    put(gitlab, round_of(gitlab))

    [made] = there(gitlab)
    assert made.state == "canceled"
    kept = statuses(gitlab).find(gitlab.head)
    assert kept is not None
    assert kept.shown_at == SHOWN


def forge(gitlab: OnGitLab) -> None:
    """Another account writes a status like ours, with an earlier time."""
    said = f"awaiting approval: 1 finding (shown 2020-01-01T00:00:00Z, round {round_of(gitlab).seal[:12]})"
    developer, project = gitlab.scenario.person("developer"), gitlab.scenario.project
    post = partial(rules.post, gitlab.world, developer, project, gitlab.head, state="success")
    post(name="draftgate", description=said)


def test_a_status_of_another_account_does_not_hide_ours(gitlab: OnGitLab) -> None:
    put(gitlab, round_of(gitlab))
    forge(gitlab)

    kept = statuses(gitlab).find(gitlab.head)

    assert kept is not None
    assert kept.shown_at == SHOWN


def test_a_status_of_another_account_is_not_believed(gitlab: OnGitLab) -> None:
    """Every member who may push can write one of any name."""
    forge(gitlab)
    assert statuses(gitlab).find(gitlab.head) is None
    put(gitlab, round_of(gitlab))

    kept = statuses(gitlab).find(gitlab.head)
    assert kept is not None
    assert kept.shown_at == SHOWN


def test_instances_do_not_read_each_other(gitlab: OnGitLab) -> None:
    put(gitlab, round_of(gitlab))

    assert statuses(gitlab, instance="security").name == "draftgate (security)"
    assert statuses(gitlab, instance="security").find(gitlab.head) is None


def test_a_commit_that_is_not_there_has_no_status(gitlab: OnGitLab) -> None:
    assert statuses(gitlab).find("f" * 40) is None


def test_a_role_that_may_say_nothing_costs_one_try(gitlab: OnGitLab) -> None:
    said = round_of(gitlab)
    made = statuses(gitlab, account="reporter-bot")

    for _ in range(2):
        made.put(said, Witness.of(said), shown_at=SHOWN, url=URL, is_new=True)

    assert (there(gitlab), made.is_denied) == ([], True)
    assert [line for line in gitlab.asked() if line.startswith("POST statuses")] == [f"POST statuses/{gitlab.head}"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_answer_that_is_lost_makes_no_second_status(gitlab: OnGitLab, when: str) -> None:
    gitlab.simulator.faults.add("502", match="POST .*/statuses/", when=when)

    put(gitlab, round_of(gitlab))

    assert len(there(gitlab)) == 1


def test_a_server_that_never_answers_stops_in_words(gitlab: OnGitLab) -> None:
    gitlab.simulator.faults.add("502", match="POST .*/statuses/", times=None)

    with pytest.raises(Unavailable, match="GitLab failed with 502"):
        put(gitlab, round_of(gitlab))


def test_a_long_reason_leaves_room_for_the_time(gitlab: OnGitLab) -> None:
    put(
        gitlab,
        round_of(gitlab, phase=Phase.FAILED, failure=Failure(Phase.GATHERING, "x" * 500, recoverable=True, at=SHOWN)),
    )

    [made] = there(gitlab)
    assert made.description is not None
    assert len(made.description) <= 255
    assert made.description.startswith("failed: xxx")
    assert made.description.endswith(f"(shown {SHOWN}, round 9f2c00000000)")
