"""What a run knows of its merge request: the same by GraphQL and by REST, and asked for once."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from draftgate.errors import PermissionDenied, Unavailable, UsageError
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.view import Place, View
from draftgate.forge.hosted.standing import KnownComment
from tests.fakes.gitlab import notes
from tests.fakes.gitlab.entities import DraftNote, Note, Position
from tests.fakes.gitlab.notes import NewNote
from tests.fakes.gitlab.scenario import BOT, push_to
from tests.unit.forge.github.scripted_api import Answer, ScriptedApi, Time
from tests.unit.forge.gitlab.change_on_gitlab import OnGitLab, on_gitlab
from tests.unit.forge.gitlab.test_facts import MERGE_REQUEST

BUNDLE = "POST /graphql query Bundle"


@pytest.fixture
def gitlab(tmp_path: Path) -> Iterator[OnGitLab]:
    with on_gitlab(tmp_path) as found:
        yield found


def converse(gitlab: OnGitLab) -> list[Note]:
    """A conversation of every kind: plain, edited, answered, with a thread in the diff, of a ghost, with reactions."""
    world, one = gitlab.world, gitlab.scenario.merge_request
    plain = gitlab.say("maintainer", "/approve-findings 1")
    edited = gitlab.say("developer", "before")
    notes.edit(world, gitlab.scenario.person("developer"), edited, "after\r\nit")
    answered = gitlab.say("guest", "a question")
    notes.create(world, gitlab.scenario.person("author"), one, NewNote("a reply", reply_to=answered.discussion))
    own = gitlab.say(BOT, "our own")
    version = one.version
    mail = "rooms/mail.py"
    place = Position(version.base, version.start, version.head, "text", mail, mail, new_line=1)
    thread = NewNote("in the diff", kind="DiffNote", position=place)
    notes.create(world, gitlab.scenario.person("developer"), one, thread)
    gitlab.say("outsider", "last")
    one.labels = ["bug", "needs work"]
    return [plain, edited, answered, own]


def views(gitlab: OnGitLab) -> tuple[View, View]:
    """By GraphQL, and by REST as with a server that does not answer the query."""
    gitlab.world.answers_bundles = True
    first = gitlab.view()
    gitlab.world.answers_bundles = False
    return first, gitlab.view()


def seen(view: View) -> tuple[object, ...]:
    """How things stand now, every part of it."""
    now = view.now()
    return now.change, now.refs, now.reviewers, now.recent, now.checkpoint


def without_reactions(comments: tuple[KnownComment, ...]) -> list[KnownComment]:
    return [dataclasses.replace(known, comment=dataclasses.replace(known.comment, answered=None)) for known in comments]


def test_graphql_and_rest_give_the_same_facts(gitlab: OnGitLab) -> None:
    converse(gitlab)
    push_to(gitlab.world, gitlab.scenario.project, "main", {".github/draftgate.yml": "one", "draftgate.yml": "two\n"})

    by_graphql, by_rest = views(gitlab)

    assert by_graphql.account == by_rest.account
    assert by_graphql.facts == by_rest.facts
    assert by_graphql.place == by_rest.place
    assert by_graphql.repository == by_rest.repository
    assert without_reactions(by_graphql.comments) == without_reactions(by_rest.comments)
    assert seen(by_graphql) == seen(by_rest)
    assert by_graphql.facts.labels == ("bug", "needs work")
    assert by_graphql.repository.files["draftgate.yml"] == "two\n"
    assert by_graphql.account.is_bot


def test_every_file_that_is_there_is_read_and_none_of_a_tag_with_the_branchs_name(gitlab: OnGitLab) -> None:
    world, project = gitlab.world, gitlab.scenario.project
    tagged = push_to(
        world, project, "aside", {"draftgate.yml": "of the tag\n"}, onto=project.git.sha("refs/heads/main")
    )
    project.git.git("tag", "main", tagged)
    push_to(world, project, "main", {"draftgate.yml": "1", "b.yml": "2"})

    for view in views(gitlab):
        assert view.repository.files["draftgate.yml"] == "1"
        assert view.read_branch_files(view.target_tip(), ("draftgate.yml", "a.yml", "b.yml")) == {
            "draftgate.yml": "1",
            "a.yml": None,
            "b.yml": "2",
        }


def test_the_conversation_is_the_top_level_comments_oldest_first(gitlab: OnGitLab) -> None:
    converse(gitlab)

    for view in views(gitlab):
        texts = [known.comment.text for known in view.comments]
        assert texts == ["/approve-findings 1", "after\nit", "a question", "our own", "last"]
        assert [known.comment.is_edited for known in view.comments] == [False, True, False, False, False]
        assert [known.comment.is_ours for known in view.comments] == [False, False, False, True, False]


def test_our_reactions_are_known_by_graphql_and_asked_for_by_rest(gitlab: OnGitLab) -> None:
    plain, _, answered, _ = converse(gitlab)
    notes.award(gitlab.world, gitlab.scenario.bot, plain, "eyes")
    notes.award(gitlab.world, gitlab.scenario.person("guest"), plain, "rocket")
    notes.award(gitlab.world, gitlab.scenario.bot, answered, "tada")

    by_graphql, by_rest = views(gitlab)

    assert [known.comment.answered for known in by_graphql.comments][:3] == [
        frozenset({"eyes"}),
        frozenset(),
        frozenset(),
    ]
    assert {known.comment.answered for known in by_rest.comments} == {None}


def test_a_reaction_is_no_edit_as_long_as_graphql_says_so(gitlab: OnGitLab) -> None:
    """A reaction moves the time of a note, which is all that REST says of an edit."""
    plain, *_ = converse(gitlab)
    notes.award(gitlab.world, gitlab.scenario.person("guest"), plain, "eyes")

    by_graphql, by_rest = views(gitlab)

    assert not by_graphql.comments[0].comment.is_edited
    assert by_rest.comments[0].comment.is_edited  # it may be, and a command that was edited is none


def test_the_glance_after_a_write_is_the_same_by_both(gitlab: OnGitLab) -> None:
    *_, own = converse(gitlab)
    standings = []
    for view in views(gitlab):
        gitlab.world.answers_bundles = view._connection.asks_graphql  # noqa: SLF001 - as when it was opened
        view.watch(next(known for known in view.comments if known.comment.id == str(own.id)))
        view.looks_for_others = True
        view.forget()
        standings.append(seen(view))

    assert standings[0] == standings[1]
    now = view.now()
    assert now.checkpoint is not None
    assert [known.comment.text for known in now.recent][-2:] == ["our own", "last"]


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_checkpoint_that_somebody_deleted_is_not_there(gitlab: OnGitLab, *, is_answered: bool) -> None:
    *_, own = converse(gitlab)
    gitlab.world.answers_bundles = is_answered
    view = gitlab.view()
    view.watch(next(known for known in view.comments if known.comment.id == str(own.id)))
    notes.delete(gitlab.world, gitlab.scenario.bot, own)
    view.forget()

    assert view.now().checkpoint is None


@pytest.mark.parametrize("is_answered", [True, False])
def test_more_than_a_page_of_discussions_is_read_to_the_end(gitlab: OnGitLab, *, is_answered: bool) -> None:
    for number in range(205):
        gitlab.say("developer", f"comment {number}")
    gitlab.world.answers_bundles = is_answered
    before = len(gitlab.simulator.log)

    view = gitlab.view()

    assert [known.comment.text for known in view.comments] == [f"comment {number}" for number in range(205)]
    pages = [line for line in gitlab.asked(before) if "Bundle" in line or line == "GET !/discussions"]
    assert len(pages) == (3 if is_answered else 4)


def test_pages_that_are_shorter_than_asked_are_no_end(gitlab: OnGitLab) -> None:
    """P03: a note that is hidden after the page was cut."""
    gitlab.world.answers_bundles, gitlab.world.short_pages = False, True
    for number in range(120):
        gitlab.say("developer", f"comment {number}")

    texts = [known.comment.text for known in gitlab.view().comments]

    assert texts[-1] == "comment 119"
    assert len(texts) >= 118


def test_a_server_that_does_not_answer_a_query_is_asked_once(gitlab: OnGitLab) -> None:
    gitlab.world.answers_bundles = False
    converse(gitlab)

    view = gitlab.view()
    view.forget()
    view.now()

    asked = [line for line in gitlab.asked() if "graphql" in line]
    assert asked == [f"{BUNDLE} currentUser", "POST /graphql query Edited note"]


@pytest.mark.parametrize("effect", ["404", "500", "502", "html"])
def test_a_query_that_fails_costs_its_tries_and_rest_is_asked(gitlab: OnGitLab, effect: str) -> None:
    gitlab.simulator.faults.add(effect, match="graphql", times=None)
    converse(gitlab)

    view = gitlab.view()

    asked = [line for line in gitlab.asked() if "graphql" in line]
    assert len(asked) == (2 if effect == "404" else 6)  # for the whole, and for what was edited
    assert len(view.comments) == 5


@pytest.mark.parametrize("effect", ["401", "403"])
def test_a_token_that_may_not_is_no_older_server(gitlab: OnGitLab, effect: str) -> None:
    gitlab.simulator.faults.add(effect, match="graphql")

    with pytest.raises(PermissionDenied):
        gitlab.view()


def test_a_bundle_costs_one_request_and_nothing_more_until_a_write(gitlab: OnGitLab) -> None:
    converse(gitlab)

    view = gitlab.view()
    view.now()
    view.look_again()
    view.now()

    assert gitlab.asked() == [f"{BUNDLE} currentUser"]


def test_a_write_that_was_repeated_leaves_nothing_just_read(gitlab: OnGitLab) -> None:
    """Others can have written while it waited."""
    connection = gitlab.connect()
    view = gitlab.view(connection)
    view.look_again()
    view.now().change  # noqa: B018 - asked for
    with view.unaffected():
        connection.get("/version")
    begun = len(gitlab.asked())
    view.look_again()
    view.now().change  # noqa: B018
    assert gitlab.asked(begun) == []

    with view.unaffected():
        connection.get("/version")
        connection.get("/version")
    begun = len(gitlab.asked())
    view.look_again()
    view.now().change  # noqa: B018

    assert len(gitlab.asked(begun)) == 1


def test_the_watched_comment_is_as_the_later_of_two_reads_shows_it(gitlab: OnGitLab) -> None:
    own = gitlab.say(BOT, "before")
    view = gitlab.view()
    [known] = [known for known in view.comments if known.comment.id == str(own.id)]
    view.watch(known)
    view.forget()
    assert view.now().change is not None
    notes.edit(gitlab.world, gitlab.scenario.bot, own, "after")

    view.notes()

    assert view.now().checkpoint is not None
    assert view.now().checkpoint.comment.text == "after"


def test_a_merge_request_that_is_not_there_is_named(gitlab: OnGitLab) -> None:
    connection = gitlab.connect()

    with pytest.raises(UsageError, match="merge request !99 of acme/tools/rooms was not found"):
        View(connection, Place("acme/tools/rooms", 99, "https://x.invalid", default_branch="main"), ())


def test_a_former_path_is_unknown_to_graphql_and_known_to_rest(gitlab: OnGitLab) -> None:
    """The number of the project leads there; what was edited, GraphQL is asked by the numbers of the notes."""
    plain, *_ = converse(gitlab)
    notes.award(gitlab.world, gitlab.scenario.person("guest"), plain, "eyes")
    gitlab.world.moved["acme/rooms"] = gitlab.scenario.project
    connection = gitlab.connect()

    view = View(connection, Place("acme/rooms", 1, "https://x.invalid", default_branch="main"), ())

    assert [known.comment.is_edited for known in view.comments] == [False, True, False, False, False]
    assert view.place.web_url == f"{gitlab.simulator.url}/{gitlab.scenario.project.full_path}"
    assert connection.asks_graphql


def test_an_account_is_found_by_name_and_asked_for_once(gitlab: OnGitLab) -> None:
    gitlab.say("maintainer", "here")
    view = gitlab.view()
    before = len(gitlab.simulator.log)

    found = [view.id_of(name) for name in ("maintainer", "MAINTAINER", "owner", "owner", "nobody")]

    ids = {name: gitlab.scenario.person(name).id for name in ("maintainer", "owner")}
    assert found == [ids["maintainer"], ids["maintainer"], ids["owner"], ids["owner"], None]
    assert gitlab.asked(before) == ["GET !/discussions", "GET /users", "GET /users"]


def test_drafts_of_others_are_not_seen(gitlab: OnGitLab) -> None:
    one = gitlab.scenario.merge_request
    one.drafts.append(DraftNote(id=1, merge_request=one, author=gitlab.scenario.person("developer"), note="theirs"))

    assert gitlab.view().drafts() == ()


# --- Scripted: what the simulator does not do ------------------------------------------------------------------------

PERSON = {"id": "gid://gitlab/User/5", "username": "author", "bot": False}
NODE = {
    "iid": "1",
    "title": "A change",
    "state": "opened",
    "draft": False,
    "webUrl": MERGE_REQUEST["web_url"],
    "sourceBranch": "feature",
    "targetBranch": "main",
    "diffHeadSha": "c" * 40,
    "diffRefs": {"baseSha": "a" * 40, "startSha": "b" * 40, "headSha": "c" * 40},
    "diffStatsSummary": {"fileCount": 3},
    "author": PERSON,
    "labels": {"nodes": []},
    "reviewers": {"nodes": []},
    "discussions": {"pageInfo": {"hasNextPage": False}, "nodes": []},
}
USER = {"id": 6, "username": "bot"}


def bundle(**changes: object) -> Answer:
    blobs = {"nodes": [{"path": "draftgate.yml", "rawTextBlob": "a: 1\n"}]}
    project = {"repository": {"blobs": blobs}, "mergeRequest": {**NODE, **changes}}
    return Answer(200, {"data": {"currentUser": {**PERSON, "id": "gid://gitlab/User/6"}, "project": project}})


def note_node(**changes: object) -> dict[str, object]:
    return {
        "id": "gid://gitlab/Note/9",
        "body": "text",
        "createdAt": "2026-01-02T03:04:05Z",
        "updatedAt": "2026-01-02T04:04:05Z",
        "lastEditedAt": None,
        "system": False,
        "author": PERSON,
        "position": None,
        "awardEmoji": {"nodes": []},
        **changes,
    }


def discussions(*nodes: object) -> dict[str, object]:
    listed = [{"id": "gid://gitlab/Discussion/d", "notes": {"nodes": [node]}} for node in nodes]
    return {"pageInfo": {"hasNextPage": False}, "nodes": listed}


@pytest.fixture
def opened(api: ScriptedApi, connection: Connection) -> Callable[[], View]:
    place = Place("acme/rooms", 1, "https://x.invalid", default_branch="main")
    return lambda: View(connection, place, ("draftgate.yml",))


def test_a_note_of_nobody_and_one_with_an_id_of_any_kind_are_read(api: ScriptedApi, opened: Callable[[], View]) -> None:
    ghostly = note_node(author=None)
    threaded = note_node(id="gid://gitlab/DiscussionNote/10")
    api.script(bundle(discussions=discussions(ghostly, threaded, None, note_node(system=True))))

    view = opened()

    assert [(known.comment.id, known.comment.author is None) for known in view.comments] == [("9", True), ("10", False)]
    assert view.comments[0].updated_at == "2026-01-02T03:04:05Z"


@pytest.mark.parametrize(
    "data",
    [
        {"currentUser": None, "project": None},
        {"currentUser": PERSON, "project": None},
        {"currentUser": PERSON, "project": {"mergeRequest": None}},
        {"currentUser": None, "project": {"mergeRequest": NODE}},
    ],
    ids=["nothing", "no project", "no merge request", "nobody"],
)
def test_a_query_that_finds_nothing_is_asked_again_by_rest(
    data: object, api: ScriptedApi, opened: Callable[[], View]
) -> None:
    rest = [Answer(200, USER), Answer(200, MERGE_REQUEST), Answer(200, [])]
    plain = {"Content-Type": "text/plain"}
    api.script(Answer(200, {"data": data}), *rest, Answer(200, "a: 1\n", plain))

    view = opened()

    assert (view.account.login, view.repository.files) == ("bot", {"draftgate.yml": "a: 1\n"})


@pytest.mark.parametrize("cursor", [None, "", "the same"])
def test_discussions_that_do_not_say_how_they_go_on_are_asked_for_by_rest(
    cursor: str | None, api: ScriptedApi, opened: Callable[[], View], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("draftgate.forge.gitlab.bundle._MOST_PAGES", 2)
    endless = bundle(discussions={"pageInfo": {"hasNextPage": True, "endCursor": cursor}, "nodes": []})
    rest = [Answer(200, USER), Answer(200, MERGE_REQUEST), Answer(200, [])]
    plain = {"Content-Type": "text/plain"}
    api.script(*([endless, endless] if cursor else [endless]), *rest, Answer(200, "a: 1\n", plain))

    assert opened().account.login == "bot"


def test_errors_beside_data_are_no_answer(api: ScriptedApi, opened: Callable[[], View]) -> None:
    partial = json.loads(json.dumps(bundle().body))
    partial["errors"] = [{"message": "timeout on field discussions"}]
    rest = [
        Answer(200, USER),
        Answer(200, MERGE_REQUEST),
        Answer(200, []),
        Answer(404, {"message": "404 File Not Found"}),
    ]
    api.script(Answer(200, partial), *rest)

    assert opened().repository.files == {"draftgate.yml": None}
    assert api.asked()[0] == "POST /api/graphql"
    assert len(api.received) == 5


def test_a_file_that_graphql_gives_no_text_of_is_read(api: ScriptedApi, opened: Callable[[], View]) -> None:
    answer = json.loads(json.dumps(bundle().body))
    answer["data"]["project"]["repository"]["blobs"]["nodes"][0]["rawTextBlob"] = None
    api.script(Answer(200, answer), Answer(200, "a: 2\n", {"Content-Type": "text/plain"}))

    assert opened().repository.files == {"draftgate.yml": "a: 2\n"}


@pytest.mark.parametrize("refs", [None, {"baseSha": None, "startSha": "b" * 40, "headSha": "c" * 40}])
def test_a_diff_that_is_being_made_is_waited_for(
    refs: object, api: ScriptedApi, time: Time, opened: Callable[[], View]
) -> None:
    unmade = Answer(200, {**MERGE_REQUEST, "diff_refs": None})
    api.script(bundle(diffRefs=refs), unmade, unmade, Answer(200, MERGE_REQUEST))

    view = opened()

    assert view.now().refs.base == "a" * 40
    assert time.waits == [1, 5]


def test_a_diff_that_is_never_made_stops_the_run_in_words(
    api: ScriptedApi, time: Time, opened: Callable[[], View]
) -> None:
    api.script(bundle(diffRefs=None), *[Answer(200, {**MERGE_REQUEST, "diff_refs": None})] * 9)

    with pytest.raises(Unavailable, match="has not made the diff of this merge request yet") as stop:
        opened()

    assert stop.value.exit_code == 4
    assert time.waits == [1, 5]


@pytest.mark.parametrize("gid", ["", "nonsense", "gid://gitlab/Note/", "gid://gitlab/Note/-1", None])
def test_an_id_that_cannot_be_read_is_no_id(gid: object, api: ScriptedApi, opened: Callable[[], View]) -> None:
    api.script(bundle(discussions=discussions(note_node(id=gid))))

    with pytest.raises(Unavailable, match="id that cannot be read"):
        opened()
