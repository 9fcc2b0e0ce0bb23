"""The page that people decide on: complete, calm, and not to be broken by what it shows."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind, Category, Evidence, Finding, Label, Place
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.round import CheckRun, Coverage, Dropped, EarlierFinding, LeftOut
from draftgate.domain.session import AcceptedCommand, ApprovedPayload, Failure, Session, Submission
from draftgate.errors import Problem
from draftgate.render.checkpoint import broken_configuration, checkpoint
from draftgate.render.setting import Setting, SetUp
from tests.builders import BASE, HEAD, amended, blocker, change, finding, line_anchor, result, scope, session

TITLES: list[str] = json.loads((Path(__file__).parents[2] / "corpus/render/titles.json").read_text())
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def page_of(source: Session, *changed: AmendedFinding) -> str:
    return checkpoint(source, amended(source, changed=changed), Setting(integrity="a hand edit is refused.")).text


def without_audit(page: str) -> str:
    return page.partition("<details><summary><sub>Audit")[0]


def test_one_finding_makes_this_page() -> None:
    anchor = line_anchor("db/m.rb", 9)
    shown = blocker(
        "two requests can invite the same address",
        check="db.unique-index",
        category=Category.DATABASE,
        body="The index is not unique.",
        anchor=anchor,
        evidence=Evidence("db/m.rb", 8, ("end", "add_index :a, :b", "end")),
        suggestion="add_index :a, :b, unique: true",
    )
    source = session([shown], result=result([shown], coverage=Coverage(3, 2, (LeftOut("Gemfile.lock", "lock file"),))))

    assert without_audit(page_of(source)) == (
        "### Draftgate · 1 finding waits for your approval\n"
        "\n"
        "**Add invitations to teams** · `feature/invitations` against `main` · `3f9c2ab` · round 1"
        " · nothing has been posted yet\n"
        "\n"
        "🛑 **1** blocker — read 2 of 3 files <sub>(1 left out: lock file)</sub>\n"
        "\n"
        "---\n"
        "\n"
        "- [ ] **1** · 🛑 **issue (blocking)** · confidence 90 · `db/m.rb:9`\n"
        "\n"
        "> **issue (blocking):** two requests can invite the same address\n"
        ">\n"
        "> The index is not unique.\n"
        "\n"
        "```ruby\n"
        " 8  end\n"
        " 9  add_index :a, :b\n"
        "10  end\n"
        "```\n"
        "\n"
        "```suggestion\n"
        "add_index :a, :b, unique: true\n"
        "```\n"
        "\n"
        "<sub>database · found by `db.unique-index` · in the diff · `caught-by: review/1/builtin`</sub><br><br>\n"
        "\n"
        "---\n"
        "\n"
        "#### Your turn\n"
        "\n"
        "Recommended: **request changes**, because finding 1 is a blocker.\n"
        "\n"
        "Publish it:\n"
        "\n"
        "```\ndraftgate approve\n```\n"
        "\n"
        "Reject one, with the reason, so that it is not raised again:\n"
        "\n"
        "```\ndraftgate do '/drop-finding 1 why it does not hold'\n```\n"
        "\n"
        "Without `--as`, the verdict is *request changes* if a blocker is approved, else *comment*; *approve* is given"
        " only for `--as approve`. `draftgate do '/discard-findings'` ends the round without a review;"
        " `draftgate do '/draftgate help'` lists the rest.\n"
        "\n"
    )


def test_nothing_found_makes_this_page() -> None:
    assert without_audit(page_of(session())) == (
        "### Draftgate · nothing found\n"
        "\n"
        "**Add invitations to teams** · `feature/invitations` against `main` · `3f9c2ab` · round 1"
        " · nothing has been posted yet\n"
        "\n"
        "Read 3 of 3 files\n"
        "\n"
        "#### What you can do\n"
        "\n"
        "Recommended: **approve**, because there is no finding.\n"
        "\n"
        "Publish a review without findings, or approve the change with it:\n"
        "\n"
        "```\ndraftgate approve none --as comment\n```\n"
        "\n"
        "```\ndraftgate approve none --as approve\n```\n"
        "\n"
        "`draftgate do '/discard-findings'` ends the round without a review; `draftgate do '/draftgate help'` lists"
        " the rest.\n"
        "\n"
    )


def test_on_a_forge_the_commands_are_comments_and_the_address_stands_bare() -> None:
    source = session([finding(), finding()], change=change(number=128, url="https://forge.example/acme/rooms/pull/128"))

    page = page_of(source)

    assert "**Add invitations to teams** · https://forge.example/acme/rooms/pull/128 · `3f9c2ab` · round 1" in page
    assert "```\n/approve-findings\n```" in page
    assert "```\n/approve-findings 1\n```" in page
    assert "draftgate approve" not in page


FORGE = Setting(repository_url="https://forge.example/acme/rooms", integrity=SetUp.SHARED_ACCOUNT.value)


def forge_page(source: Session, setting: Setting = FORGE) -> str:
    source = dataclasses.replace(source, change=change(number=128, url="https://forge.example/acme/rooms/pull/128"))
    return checkpoint(source, amended(source), setting).text


@pytest.mark.parametrize(
    ("anchor", "address"),
    [
        (line_anchor("a.py", 9), f"blob/{HEAD}/a.py#L9"),
        (line_anchor("a.py", 9, start_line=7), f"blob/{HEAD}/a.py#L7-L9"),
        (Anchor(AnchorKind.FILE, "a b/é(1).py"), f"blob/{HEAD}/a%20b/%C3%A9%281%29.py"),
        (Anchor(AnchorKind.FILE, "odd\udcff`]>.py"), f"blob/{HEAD}/odd%FF%60%5D%3E.py"),
        (Anchor(AnchorKind.LINE, "new.py", Side.LEFT, None, 3), f"blob/{BASE}/old.py#L3"),
    ],
    ids=["line", "range", "name to be escaped", "bytes", "removed line under its old name"],
)
def test_a_place_is_a_permanent_link(anchor: Anchor, address: str) -> None:
    page = forge_page(session([finding(anchor=anchor, evidence=Evidence("old.py", 1, ("x",)))]))

    links = [child for token in PARSER.parse(page) for child in token.children or () if child.type == "link_open"]
    assert f"https://forge.example/acme/rooms/{address}" in [link.attrs["href"] for link in links]


@pytest.mark.parametrize("address", ["", "javascript:alert(1)", "https://forge.example/) <b>"])
def test_without_a_good_address_nothing_is_linked(address: str) -> None:
    page = forge_page(session([finding()]), Setting(repository_url=address))

    assert "](" not in page


def test_the_audit_says_which_set_up_it_is_and_where_findings_wait() -> None:
    shown = [finding(), finding(anchor=Anchor(AnchorKind.NONE)), finding(anchor=Anchor(AnchorKind.FILE, "a.py"))]

    held = forge_page(session(shown))
    later = forge_page(session(shown, holds_draft=False, why_not_held="@another bot is at work"))

    assert "**Integrity** — this set-up is *workflow token*" in held
    assert (
        "**Draft** — it waits as a draft review that nobody but the bot's account sees: on their lines 1;"
        " on their files, since the diff does not show the line, 3;"
        " in the body of the review, since no thread can carry them, 2." in held
    )
    assert "**Draft** — it is made only once something is approved (`@another` bot is at work):" in later
    assert "<sub>The draft review is made only once something is approved: `@another` bot is at work.</sub>" in later


@pytest.mark.parametrize("phase", [Phase.SUBMITTED, Phase.SUPERSEDED, Phase.ABORTED, Phase.FINALIZED])
def test_no_draft_is_said_to_wait_once_the_round_is_over(phase: Phase) -> None:
    assert "**Draft**" not in forge_page(session([finding()], phase=phase))


def test_configured_names_are_mentioned_while_findings_wait() -> None:
    setting = Setting(notify=("a-maintainer", "@acme/reviewers", "a-maintainer", "x](y)", "all @here", ""))

    waiting = forge_page(session([finding()]), setting)
    empty = forge_page(session(), setting)
    over = forge_page(session([finding()], phase=Phase.SUPERSEDED), setting)

    assert "\n\n@a-maintainer @acme/reviewers — findings wait.\n\n" in waiting
    assert "@" not in empty + over


def test_an_app_is_recommended_in_the_first_round_of_a_shared_account() -> None:
    setting = Setting(account_is_shared=True)

    assert "A GitHub App of its own is better" in forge_page(session([finding()]), setting)
    assert "GitHub App" not in forge_page(session([finding()], round=2), setting)


def test_a_broken_configuration_stands_above_everything() -> None:
    problems = (Problem("draftgate.yml", 3, 5, "draft", "`hold` <b>is no value", "`held`"),) * 2

    page = forge_page(session([finding()]), Setting(problems=problems))

    assert page.startswith("> ⚠️ **2 problems in the configuration** — nothing is done here until")
    assert "> - draftgate.yml:3:5 draft: `hold` &lt;b>is no value — `held`" in page
    assert page.index("### Draftgate · 1 finding waits") > page.index("problems")


def test_a_broken_configuration_stands_alone_where_there_is_no_checkpoint_yet() -> None:
    page = broken_configuration((Problem("draftgate.yml", 3, 5, "draft", "`hold` is no value", "`held`"),))

    assert page == (
        "### Draftgate · nothing is reviewed\n\n"
        "> ⚠️ **1 problem in the configuration** — nothing is done here until the file on the target branch is mended.\n"
        ">\n"
        "> - draftgate.yml:3:5 draft: `hold` is no value — `held`"
    )


NO_KEY = (Problem("environment", None, None, "models.standard", "there is no key for openai:o", "set it"),)


def test_what_keeps_only_new_reviews_from_beginning_says_so_above_a_round_that_waits() -> None:
    page = forge_page(session([finding()]), Setting(problems=NO_KEY, only_reviews_stop=True))

    banner = page.partition("\n")[0]
    assert banner.endswith(
        " — no new review begins until that is there. Commands on a round that waits work as before."
    )
    assert "there is no key for openai:o" in page


def test_what_keeps_only_new_reviews_from_beginning_says_so_alone() -> None:
    page = broken_configuration(NO_KEY, only_reviews_stop=True)

    assert "no new review begins until that is there." in page
    assert "mended" not in page


def test_a_checkpoint_of_another_account_is_named() -> None:
    page = forge_page(session(), Setting(continues="https://forge.example/c/7"))

    assert " · continues https://forge.example/c/7\n" in page


def test_a_long_list_leaves_room_for_the_rest() -> None:
    shown = [finding(f"subject {number} " + "x" * 200) for number in range(500)]

    page = page_of(submitted(*shown, numbers=tuple(range(1, 401))))

    assert len(page) < 60_000
    assert "\n- and " in page


@pytest.mark.parametrize(
    ("label", "recommended"),
    [
        (Label.ISSUE, "Recommended: **comment**, because findings 1 and 2 are issues, and none is a blocker."),
        (Label.QUESTION, "Recommended: **approve**, because no finding asks for a change."),
    ],
)
def test_the_verdict_is_recommended_with_its_reason(label: Label, recommended: str) -> None:
    page = page_of(session([finding(label=label), finding(label=label)]))

    assert recommended in page
    assert ("approve --as approve" in page) == (label is Label.QUESTION)


def test_a_dropped_finding_is_struck_out_with_who_and_why_and_keeps_its_number() -> None:
    first, second = blocker("rows can repeat"), finding("callers break")

    page = page_of(
        session([first, second]), AmendedFinding(1, first, dropped=True, reason="see ADR-12", changed_by="a maintainer")
    )

    struck = "**1** · ~~🛑 issue (blocking) · rows can repeat~~ — dropped by **a maintainer**: see `ADR-12`"
    assert struck in page
    assert "1 finding waits" in page
    assert "- [ ] **1**" not in page
    assert "- [ ] **2**" in page
    assert "Recommended: **comment**" in page


def test_a_rewritten_finding_is_shown_as_the_source_that_will_be_posted_with_its_code_closed() -> None:
    shown = finding(suggestion="x")
    text = "My words </details> <!--\n```\nopen"

    page = page_of(session([shown]), AmendedFinding(1, shown, text=text, changed_by="a maintainer"))

    assert f"Rewritten by **a maintainer**; this will be posted:\n\n````markdown\n{text}\n```\n````" in page
    assert "```suggestion" not in page


def test_a_posted_finding_in_the_words_of_a_person_is_marked() -> None:
    first, second = finding("callers break"), finding("rows repeat")

    page = page_of(submitted(first, second, numbers=(1, 2)), AmendedFinding(1, first, text="Mine."))

    assert " · callers break — reworded\n" in page
    assert " · rows repeat\n" in page


def test_past_a_handful_only_blockers_are_open_and_every_subject_is_visible() -> None:
    shown = [blocker("rows can repeat"), *(finding(f"call `f{number}` breaks") for number in range(2, 8))]

    page = without_audit(page_of(session(shown)))

    assert page.count("<details>") == 6
    assert page.index("rows can repeat") < page.index("<details>")
    for number in range(2, 8):
        assert f"<summary><b>issue:</b> call <code>f{number}</code> breaks</summary>" in page


def test_cards_stand_in_number_order() -> None:
    page = page_of(session([finding(f"subject {number}") for number in range(1, 30)]))

    assert [int(number) for number in re.findall(r"^- \[ \] \*\*(\d+)\*\*", page, re.MULTILINE)] == list(range(1, 30))


def test_the_evidence_is_cut_to_seven_lines_around_the_anchor() -> None:
    long = Evidence("a.py", 1, tuple(f"line_{number}" for number in range(1, 21)))

    page = page_of(session([finding(anchor=line_anchor("a.py", 12), evidence=long)]))

    assert re.findall(r"^(\d+)  line_", page, re.MULTILINE) == [str(number) for number in range(11, 18)]


def test_a_very_long_line_of_evidence_is_cut() -> None:
    page = page_of(session([finding(anchor=line_anchor("a.js", 1), evidence=Evidence("a.js", 1, ("x" * 100_000,)))]))

    assert len(page) < 5_000


@pytest.mark.parametrize(
    ("anchor", "shown"),
    [
        (line_anchor("a.py", 9, start_line=7), "`a.py:7-9`"),
        (Anchor(AnchorKind.LINE, "a.py", Side.LEFT, None, 3), "`a.py:3` <sub>removed</sub>"),
        (Anchor(AnchorKind.FILE, "a.py"), "`a.py` <sub>whole file</sub>"),
        (Anchor(AnchorKind.NONE), "<sub>the change as a whole</sub>"),
    ],
    ids=["range", "removed line", "file", "nowhere"],
)
def test_the_place_says_what_the_finding_hangs_on(anchor: Anchor, shown: str) -> None:
    page = page_of(session([finding(anchor=anchor, evidence=None)]))

    assert f"confidence 75 · {shown}\n" in page


def test_the_source_line_tells_history_and_other_places() -> None:
    places = tuple(Place("b.py", number) for number in range(1, 8))

    again = page_of(session([finding(previously_raised=True, related=places)]))
    carried = page_of(session([finding(from_round=2)]))

    assert "previously raised, still unresolved · see also `b.py:1`, `b.py:2`" in again
    assert "`b.py:5` and 2 more" in again
    assert "in the diff · from round 2" in carried


def test_coverage_and_earlier_findings_are_said() -> None:
    left_out = (LeftOut("a.lock", "lock file"), LeftOut("b.lock", "lock file"), LeftOut("c.png", "binary"))
    source = session(
        scope=scope(uncommitted=2),
        result=result(
            coverage=Coverage(9, 6, left_out, ("Haml is not read",)),
            addressed=(EarlierFinding("was unsafe", "x.py", 3, 1),),
            unresolved=(EarlierFinding("still slow", None, None, 1),),
        ),
    )

    page = page_of(source)

    assert (
        "Read 6 of 9 files <sub>(2 left out: lock file; 1 left out: binary;"
        " uncommitted changes in 2 files not reviewed)</sub>" in page
    )
    assert "- lock file: `a.lock`, `b.lock`\n- binary: `c.png`\n- Haml is not read" in page
    assert "**Earlier findings** — ✅ 1 resolved · ⟳ 1 still open" in page
    assert "- ✅ `x.py:3` was unsafe <sub>round 1</sub>\n- ⟳ still slow <sub>round 1</sub>" in page


def test_the_audit_lists_scope_checks_drops_commands_digests_and_integrity() -> None:
    source = session(
        result=result(
            dropped=(Dropped("unsupported", "a name that is not there", "x.py"),),
            checks=(CheckRun("db.unique-index", 2, 1, 0.12), CheckRun("impact.callers", 0, 0, 31.0, "too slow")),
        ),
        commands=(AcceptedCommand("1", "a maintainer", "/edit-finding 2\nnew", "2026-01-02T10:05:00Z"),),
    )

    audit = page_of(source).partition("<details><summary><sub>")[2]

    assert audit == (
        "Audit · 2 checks · 0.8 s · seal <code>9f2c00000000</code></sub></summary>\n"
        "\n"
        "**Scope** — the full range: `b81d004`..`3f9c2ab`; `b81d004` is proved to be a merge base of"
        " `b81d004` and `3f9c2ab`.\n"
        "\n"
        "| check | findings | kept | time |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| db.unique-index | 2 | 1 | 0.1 s |\n"
        "| impact.callers — failed: too slow | 0 | 0 | 31 s |\n"
        "\n"
        "**Found, but not shown** — 1 unsupported:\n"
        "\n"
        "- unsupported: a name that is not there (`x.py`)\n"
        "\n"
        "**Commands accepted**\n"
        "\n"
        "- 2026-01-02T10:05:00Z · a maintainer · `/edit-finding 2 …`\n"
        "\n"
        "**Digests** (SHA-256) — seal `9f2c00000000` · scope evidence `eeeeeeeeeeee` · scope decision `dddddddddddd`"
        " · handoff `aaaaaaaaaaaa` · configuration `cccccccccccc`\n"
        "\n"
        "**Integrity** — a hand edit is refused.\n"
        "</details>\n"
    )


def submitted(*findings: Finding, numbers: tuple[int, ...]) -> Session:
    verdict, at = Verdict.REQUEST_CHANGES, "2026-01-02T10:12:01Z"
    command = f"/approve-findings {','.join(map(str, numbers)) or 'none'}"
    given = AcceptedCommand("1", "a maintainer", command, at)
    payload = ApprovedPayload("r", "s", HEAD, numbers, verdict, "body", (), (), "m", given)
    submission = Submission(".draftgate/review-1.json", verdict, numbers, "d", at)
    return session(findings, phase=Phase.SUBMITTED, payload=payload, submission=submission)


def test_a_submitted_review_says_what_was_posted_and_what_was_not() -> None:
    shown = (blocker("rows can repeat"), finding("callers break"), finding("mail in a transaction"), finding("slow"))
    source = submitted(*shown, numbers=(1, 2))

    page = page_of(source, AmendedFinding(3, shown[2], dropped=True, reason="on purpose", changed_by="a maintainer"))

    assert without_audit(page) == (
        "### Draftgate · submitted: changes requested\n"
        "\n"
        "**Add invitations to teams** · `feature/invitations` against `main` · `3f9c2ab` · round 1"
        " · the review is `.draftgate/review-1.json`\n"
        "\n"
        "2 of 4 findings were approved by **a maintainer** (`/approve-findings 1,2`), 1 was rejected with a reason,"
        " 1 was left out. Reviewed in 0.8 s, waited 12 min.\n"
        "\n"
        "<details open><summary>What was posted</summary>\n"
        "\n"
        "- **1** · 🛑 issue (blocking) · `app/models/team.py:44` · rows can repeat\n"
        "- **2** · ⚠️ issue · `app/models/team.py:44` · callers break\n"
        "</details>\n"
        "\n"
        "<details><summary>What was not posted</summary>\n"
        "\n"
        "- **3** · ⚠️ issue · `app/models/team.py:44` · mail in a transaction — rejected: *on purpose*"
        " — it will not be raised again unless the facts change\n"
        "- **4** · ⚠️ issue · `app/models/team.py:44` · slow — left out"
        " — not raised again while the code is unchanged\n"
        "</details>\n"
        "\n"
    )


def test_a_review_without_findings_says_so() -> None:
    page = page_of(submitted(numbers=()))

    assert "A review without findings was approved by **a maintainer** (`/approve-findings none`). Reviewed in" in page


@pytest.mark.parametrize(
    ("phase", "title", "sentence"),
    [
        (Phase.GATHERING, "reviewing …", ""),
        (Phase.SUBMITTING, "publishing …", "give the approve command again"),
        (Phase.ABORTED, "discarded", "ended without a review"),
        (Phase.SUPERSEDED, "superseded", "a newer head"),
        (Phase.FINALIZED, "finalized", "is closed"),
        (Phase.FAILED, "failed", "The round stopped while gathering: no base for `@dev`\n\nRunning it again may help:"),
        (Phase.AGENTS_FAILED, "an agent failed", "draftgate do '/proceed-without NAME'"),
    ],
    ids=str,
)
def test_every_other_phase_has_its_page(phase: Phase, title: str, sentence: str) -> None:
    failure = Failure(Phase.GATHERING, "no base for @dev", recoverable=True, at="2026-01-02T10:00:00Z")

    page = page_of(session([finding("callers break")], phase=phase, failure=failure))

    assert page.startswith(f"### Draftgate · {title}")
    assert sentence in page
    assert "- [ ]" not in page


@pytest.mark.parametrize("phase", Phase, ids=str)
def test_a_session_without_a_result_has_a_page_in_every_phase(phase: Phase) -> None:
    page = checkpoint(session(phase=phase, scope=None, result=None, seal="", shown_at=""), AmendedRound(())).text

    assert page.startswith("### Draftgate · ")


def hostile_page(text: str) -> str:
    anchor = line_anchor(text.replace("\0", "") or "x", 3)
    hostile = finding(
        text,
        body=text,
        check=None,
        sources=(text,),
        anchor=anchor,
        evidence=Evidence(anchor.path or "", 2, (text, text)),
        suggestion=text,
        caught_by=text,
        related=(Place(text, 1),),
    )
    shown = [hostile] * 6
    source = session(
        shown,
        change=change(title=text, head_ref=text),
        result=result(
            shown,
            coverage=Coverage(2, 1, (LeftOut(text, text),), (text,)),
            dropped=(Dropped(text, text, text),),
            checks=(CheckRun(text, 1, 1, 0.1, text),),
            unresolved=(EarlierFinding(text, text, 1, 1),),
        ),
        commands=(AcceptedCommand("1", text, text, "2026-01-02T10:05:00Z"),),
    )
    edited = AmendedFinding(2, hostile, text=text, changed_by=text)
    dropped = AmendedFinding(3, hostile, dropped=True, reason=text, changed_by=text)
    return page_of(source, edited, dropped)


def assert_intact(page: str) -> None:
    """Its own structure is all there is: five folded findings and the audit, rules and headings of ours."""
    tokens = PARSER.parse(page)
    top = [token for token in tokens if token.level == 0]
    html = "".join(token.content for token in tokens if token.type == "html_block")
    assert html.count("<details>") == html.count("</details>") == 6
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h3", "h4"]
    assert sum(token.type == "hr" for token in top) == 2
    assert sum(token.type == "table_open" for token in tokens) == 1
    inline = [child for token in tokens for child in token.children or ()]
    assert not {child.type for child in inline} & {"link_open", "image"}
    ours = {"<sub>", "</sub>", "<br>", "<code>", "</code>"}
    assert {child.content for child in inline if child.type == "html_inline"} <= ours
    page.encode()


@pytest.mark.parametrize("text", TITLES, ids=range(len(TITLES)))
def test_hostile_titles_do_not_break_the_page(text: str) -> None:
    assert_intact(hostile_page(text))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [*"`~\\[]()!<>*_|#&-=+ab \n\t", "```", "~~~", "</details>", "<!--", "-->", "](", "\udce9", "\u202e"]
        ),
        max_size=14,
    ).map("".join)
)
def test_no_text_breaks_the_page(text: str) -> None:
    assert_intact(hostile_page(text))


def test_five_hundred_findings_make_one_page() -> None:
    shown = [finding(f"subject {number}", body="word `code` " * 60) for number in range(500)]

    page = page_of(session(shown))

    assert page.count("- [ ] **") == 500


def test_the_same_session_makes_the_same_page() -> None:
    source = session([finding()])

    assert page_of(source) == page_of(dataclasses.replace(source))


def test_what_could_not_be_put_right_beside_the_review_is_said() -> None:
    shown = submitted(finding(), numbers=(1,))
    assert shown.submission is not None
    left = "GitLab does not show that changes are requested: @someone has the seat"

    page = forge_page(dataclasses.replace(shown, submission=dataclasses.replace(shown.submission, left=left)))

    assert "⚠️ Not all of it: GitLab does not show that changes are requested: `@someone` has the seat." in page
