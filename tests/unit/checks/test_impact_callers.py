"""The check's examples are true, and each kind of break and of silence is as its docstring says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from draftgate.checks.base import Example
from draftgate.checks.python.candidates import COMMON_NAME_FILES
from draftgate.checks.rules.impact_callers import CHECK
from draftgate.domain.anchor import commentable_lines
from draftgate.domain.diff import Side
from draftgate.domain.finding import AnchorKind, Finding
from tests.unit.checks.changes import change_between, change_in_git, findings_of

Files = Mapping[str, str]


@pytest.mark.parametrize("example", CHECK.examples, ids=lambda example: example.name)
def test_an_example_is_true_and_its_findings_can_be_placed(example: Example, tmp_path: Path) -> None:
    with change_in_git(tmp_path, example.base, example.head) as change:
        findings = list(CHECK.run(change))

    assert tuple(f"{f.anchor.path}:{f.anchor.line}" for f in findings) == example.findings
    assert places_of(findings) == list(example.related)
    shown = {
        (side, file.old_path if side is Side.LEFT else file.new_path, line)
        for file in change.files
        for side in Side
        for line in commentable_lines(file, side)
    }
    assert all((f.anchor.side, f.anchor.path, f.anchor.line) in shown for f in findings)


def test_there_are_examples_of_both_kinds() -> None:
    positive = [example for example in CHECK.examples if example.findings]

    assert len(positive) >= 3
    assert len(CHECK.examples) - len(positive) >= 4


def places_of(findings: list[Finding]) -> list[str]:
    return [f"{place.path}:{place.line}" for finding in findings for place in finding.related]


def report(base: Files, head: Files) -> list[Finding]:
    """What is found, after a look at what must hold for every finding."""
    findings = findings_of(CHECK, base, head)
    for finding in findings:
        evidence = finding.evidence
        assert evidence is not None
        text = (base if finding.anchor.side is Side.LEFT else head)[evidence.path].split("\n")
        assert list(evidence.lines) == text[evidence.start_line - 1 :][: len(evidence.lines)]
        assert 1 <= len(evidence.lines) <= 7
        assert all(f"`{place.path}:{place.line}`" in finding.body for place in finding.related[:10])
    return findings


def places(base: Files, edited: Files) -> list[str]:
    """The places that a change of some files breaks; the other files stay."""
    return places_of(report(base, {**base, **edited}))


SWAPPED = "def swap(name, state): return name\n"


@pytest.mark.parametrize(
    ("old", "new", "call", "breaks"),
    [
        pytest.param("def act(name, state): pass", "def act(state, name): pass", "act('n', 's')", True, id="swapped"),
        pytest.param(
            "def act(name, state): pass", "def act(state, name): pass", "act(x.state, name)", False, id="right now"
        ),
        pytest.param("def act(size): pass", "def act(length): pass", "act(size=3)", True, id="renamed, by keyword"),
        pytest.param("def act(size): pass", "def act(length): pass", "act(3)", False, id="renamed, by position"),
        pytest.param("def act(a, b): pass", "def act(a): pass", "act(1, 2)", True, id="removed"),
        pytest.param("def act(a, b): pass", "def act(a, *, b): pass", "act(1, 2)", True, id="keyword-only now"),
        pytest.param("def act(a, b=1): pass", "def act(a, b): pass", "act(1)", True, id="a default is gone"),
        pytest.param("def act(a, b=1): pass", "def act(a, c=2, b=1): pass", "act(1, 2)", True, id="inserted before"),
        pytest.param("def act(a): pass", "def act(a, *, b): pass", "act(1)", True, id="a required keyword"),
        pytest.param("def act(a): pass", "def act(a, b): pass", "act(*x)", False, id="unpacked"),
        pytest.param("def act(a): return 1, 2", "def act(a): return 1, 2, 3", "x, y = act(1)", True, id="longer tuple"),
        pytest.param("def act(a): return 1, 2", "def act(a): return 1, 2, 3", "x, *y = act(1)", False, id="starred"),
        pytest.param("def act(a): return 1", "async def act(a): return 1", "x = act(1)", True, id="async now"),
        pytest.param("def act(a): return 1", "async def act(a): return 1", "run(act(1))", False, id="async, passed on"),
    ],
)
def test_a_call_breaks_if_it_fitted_before_and_does_not_now(old: str, new: str, call: str, *, breaks: bool) -> None:
    base = {"mod.py": f"{old}\n", "use.py": f"from mod import act\n{call}\n"}

    assert places(base, {"mod.py": f"{new}\n"}) == (["use.py:2"] if breaks else [])


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("use.py", "from pkg.mod import act\nact(1)\n", id="from import"),
        pytest.param("use.py", "from pkg.mod import act as do\ndo(1)\n", id="from import as"),
        pytest.param("use.py", "import pkg.mod\npkg.mod.act(1)\n", id="dotted import"),
        pytest.param("use.py", "import pkg.mod as m\nm.act(1)\n", id="import as"),
        pytest.param("use.py", "from pkg import mod\nmod.act(1)\n", id="module from package"),
        pytest.param("use.py", "from pkg import act\nact(1)\n", id="re-export"),
        pytest.param("use.py", "from pkg.mod import *\nact(1)\n", id="star import"),
        pytest.param("pkg/use.py", "from .mod import act\nact(1)\n", id="relative"),
        pytest.param("pkg/use.py", "from . import mod\nmod.act(1)\n", id="relative module"),
        pytest.param("pkg/sub/use.py", "from ..mod import act\nact(1)\n", id="relative, two up"),
        pytest.param("pkg/use.py", "def f():\n    from .mod import act; act(1)\n", id="import in a function"),
    ],
)
def test_a_caller_is_found_however_it_imports(path: str, text: str) -> None:
    base = {
        "pkg/__init__.py": "from .mod import act\n",
        "pkg/mod.py": "def act(a):\n    return a\n",
        "pkg/sub/__init__.py": "",
        path: text,
    }

    assert places(base, {"pkg/mod.py": "def act(a, b):\n    return a\n"}) == [f"{path}:2"]


CLASS = "class Gate:\n    def lift(self, high):\n        return high\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("gate = Gate()\ngate.lift(1)\n", id="module variable"),
        pytest.param("def f(gate: Gate):\n    gate.lift(1)\n", id="annotated parameter"),
        pytest.param("def f(x: 'Gate | None'):\n    x.lift(1)\n", id="optional annotation"),
        pytest.param("def make() -> Gate: ...\nmake().lift(1)\n", id="annotated result"),
        pytest.param("class Low(Gate):\n    def f(self): self.lift(1)\n", id="self of a subclass"),
        pytest.param("class Low(Gate):\n    def f(self): super().lift(1)\n", id="super"),
        pytest.param("class A:\n    def __init__(self): self.x = Gate(); self.x.lift(1)\n", id="stored instance"),
        pytest.param("def f(x):\n    Gate.lift(x, 1)\n", id="through the class"),
        pytest.param("def f(x, main_gate):\n    x.y.gate.lift(1)\n", id="called like the class"),
    ],
)
def test_a_method_call_breaks_if_its_receiver_is_known(text: str) -> None:
    base = {"gate.py": CLASS, "use.py": f"from gate import Gate\n{text}"}

    assert places(base, {"gate.py": CLASS.replace("high)", "high, fast)", 1)}) == ["use.py:3"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def f(gate):\n    gate = other()\n    door.lift(1)\n", id="another receiver"),
        pytest.param("import requests as gate\ngate.lift(1)\n", id="a module from outside"),
        pytest.param("def f(lift):\n    lift(1)\n", id="a local name"),
        pytest.param("# gate.lift(1)\nTEXT = 'gate.lift(1)'\n", id="comment and string"),
        pytest.param(
            "class Door:\n    def lift(self, high): ...\ndef f(gate):\n    gate.lift(1)\n", id="two such methods"
        ),
        pytest.param("gate = Gate()\ngate.lift(1, 2)\n", id="updated"),
    ],
)
def test_a_method_call_is_not_named_if_it_may_mean_something_else(text: str) -> None:
    base = {"gate.py": CLASS, "use.py": f"from gate import Gate\n{text}"}

    assert places(base, {"gate.py": CLASS.replace("high)", "high, fast)", 1)}) == []


@pytest.mark.parametrize(
    ("old", "new", "use", "line"),
    [
        pytest.param("LIMIT = 3\n", "", "from mod import LIMIT\n", 1, id="constant"),
        pytest.param("class Cart: pass\n", "class Basket: pass\n", "import mod\n\nmod.Cart\n", 3, id="renamed class"),
        pytest.param("import json\n", "", "from mod import json\n", 1, id="import that others took"),
        pytest.param("class State:\n    ON = 1\n    OFF = 2\n", "class State:\n    ON = 1\n",
                     "from mod import State\nState.OFF\n", 2, id="class attribute"),
        pytest.param("class P:\n    @property\n    def x_y(self): ...\n    z = 1\n", "class P:\n    z = 1\n",
                     "from mod import P\nP().x_y\n", 2, id="property"),
        pytest.param("def view(r): ...\n", "", "import mod\nurls = ['pkg.mod.view', mod.view]\n", 2, id="attribute"),
        pytest.param("class C:\n    def go(self): ...\n", "class C:\n    @property\n    def go(self): ...\n",
                     "from mod import C\nC().go()\n", 2, id="method that became a property"),
        pytest.param("class C:\n    @property\n    def go(self): ...\n", "class C:\n    def go(self): ...\n",
                     "from mod import C\nprint(C().go)\n", 2, id="property that became a method"),
    ],
)  # fmt: skip
def test_a_name_that_is_gone_breaks_whoever_still_uses_it(old: str, new: str, use: str, line: int) -> None:
    base = {"mod.py": f"{old}\nKEPT = 1\n", "use.py": use}

    assert places(base, {"mod.py": f"{new}\nKEPT = 1\n"}) == [f"use.py:{line}"]


def test_an_attribute_of_several_words_that_nothing_defines_any_more_counts_on_any_receiver() -> None:
    old = "class Act:\n    own_check = True\n    kept = 1\n\n\nclass Close(Act):\n    own_check = False\n    kept = 2\n"
    new = old.replace("    own_check = True\n", "").replace("    own_check = False\n", "")
    base = {"act.py": old, "run.py": "def run(rules, key):\n    return rules[key].own_check\n"}

    findings = report(base, {**base, "act.py": new})

    assert [finding.subject for finding in findings] == ["Act.own_check is gone, but 1 place still uses it"]
    assert places_of(findings) == ["run.py:2"]


def test_an_attribute_that_many_places_read_is_probably_something_elses() -> None:
    reads = "".join(f"    response.status_code == {number}\n" for number in range(4))
    base = {"fake.py": "class Fake:\n    status_code = 1\n    kept = 1\n", "run.py": f"def run(response):\n{reads}"}

    assert places(base, {"fake.py": "class Fake:\n    kept = 1\n"}) == []


def test_a_dotted_name_in_a_string_that_leads_nowhere_is_named() -> None:
    base = {
        "site/projects/__init__.py": "",
        "site/projects/views.py": "def tokens(request):\n    ...\n\n\ndef kept(request):\n    ...\n",
        "site/projects/urls.py": "urls = [\n    url('^t/$', 'projects.views.tokens'),\n]\n",
    }

    assert places(base, {"site/projects/views.py": "def kept(request):\n    ...\n"}) == ["site/projects/urls.py:2"]


def test_a_module_that_is_gone_is_one_finding_with_all_its_importers() -> None:
    base = {
        "shop/__init__.py": "",
        "shop/cart.py": "class Cart:\n    pass\n\n\nLIMIT = 3\n",
        "shop/admin.py": "from .cart import Cart, LIMIT\n",
        "shop/views.py": "from shop import cart\n\ncart.LIMIT\n",
        "run.py": "import shop.cart\n",
    }
    head = {path: text for path, text in base.items() if path != "shop/cart.py"}

    (finding,) = report(base, head)

    assert (finding.anchor.path, finding.anchor.side) == ("shop/cart.py", Side.LEFT)
    assert places_of([finding]) == ["run.py:1", "shop/admin.py:1", "shop/views.py:1"]


def test_a_moved_module_with_no_changed_line_is_a_finding_on_the_file(tmp_path: Path) -> None:
    text = "def act():\n    return 'a text that is long enough to be taken for a rename'\n"
    user = "from old import act\n"

    with change_in_git(tmp_path, {"old.py": text, "use.py": user}, {"new.py": text, "use.py": user}) as change:
        (finding,) = CHECK.run(change)

    assert finding.anchor.kind is AnchorKind.FILE
    assert places_of([finding]) == ["use.py:1"]


def test_a_folder_without_init_file_is_still_a_package() -> None:
    base = {
        "pkg/__init__.py": "VERSION = 1\n",
        "pkg/mod.py": "",
        "use.py": "from pkg import mod\n",
        "b.py": "from pkg import VERSION\n",
    }
    head = {path: text for path, text in base.items() if path != "pkg/__init__.py"}

    assert places_of(report(base, head)) == ["b.py:1"]


@pytest.mark.parametrize(
    "use",
    [
        pytest.param("try:\n    from mod import act\nexcept ImportError:\n    act = None\n", id="fallback"),
        pytest.param("if TYPE_CHECKING:\n    from mod import act\n", id="type checking"),
        pytest.param("import mod\nif hasattr(mod, 'act'):\n    mod.act()\n", id="asked before"),
        pytest.param("import mod\ngetattr(mod, 'act')\n", id="by a computed name"),
    ],
)
def test_code_that_expects_the_name_to_be_missing_is_silent(use: str) -> None:
    base = {"mod.py": "def act(): ...\n\n\nKEPT = 1\n", "use.py": use}

    assert places(base, {"mod.py": "KEPT = 1\n"}) == []


@pytest.mark.parametrize(
    "head",
    [
        pytest.param("from new import act\n", id="re-exported"),
        pytest.param("from new import *\n", id="re-exported by a star"),
        pytest.param("def __getattr__(name): ...\n", id="made when asked for"),
        pytest.param("try:\n    act = 1\nexcept OSError:\n    act = 2\n", id="bound under a condition"),
        pytest.param("def setup():\n    global act\n    act = 1\n", id="bound by a function"),
    ],
)
def test_a_name_that_is_bound_otherwise_is_not_gone(head: str) -> None:
    base = {"mod.py": "def act(): ...\n", "use.py": "from mod import act\n"}

    assert places_of(report(base, {**base, "mod.py": head, "new.py": "def act(): ...\n"})) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("@click.option('--a')\ndef act(a): ...", "@click.option('--b')\ndef act(a, b): ...", id="click"),
        pytest.param("@pytest.fixture\ndef act(a): ...", "@pytest.fixture\ndef act(a, b): ...", id="fixture"),
        pytest.param("def act(a): ...", "@wrapped\ndef act(a, b): ...", id="a new unknown decorator"),
        pytest.param("def act(a): ...", "if x:\n    def act(a, b): ...\nelse:\n    def act(a): ...", id="two of them"),
    ],
)
def test_a_signature_that_nobody_can_tell_is_silent(before: str, after: str) -> None:
    base = {"mod.py": f"{before}\n", "use.py": "from mod import act\nact(1)\n"}

    assert places(base, {"mod.py": f"{after}\n"}) == []


def test_a_task_is_called_through_delay() -> None:
    base = {
        "tasks.py": "@app.task(bind=True)\ndef act(self, a): ...\n",
        "use.py": "from tasks import act\nact.delay(1)\nact(1)\n",
    }

    assert places(base, {"tasks.py": "@app.task(bind=True)\ndef act(self, a, b): ...\n"}) == ["use.py:2", "use.py:3"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("    def __init__(self, a): ...\n", "    def __init__(self, a, b): ...\n", id="written out"),
        pytest.param("    a: int\n", "    a: int\n    b: str\n", id="dataclass"),
    ],
)
def test_a_constructor_breaks_calls_of_the_class_and_of_its_heirs(before: str, after: str) -> None:
    decorator = "" if "def" in before else "@dataclass\n"
    base = {
        "made.py": f"{decorator}class Made:\n{before}",
        "heir.py": "from made import Made\nclass Heir(Made):\n    pass\n",
        "use.py": "from heir import Heir\nfrom made import Made\nMade(1)\nHeir(1)\nMade(1, 'b')\n",
    }

    assert places(base, {"made.py": f"{decorator}class Made:\n{after}"}) == ["use.py:3", "use.py:4"]


def test_an_override_that_keeps_the_old_signature_is_named() -> None:
    sub = "from gate import Gate\n\n\nclass Low(Gate):\n    def lift(self, high):\n        return super().lift(high)\n"
    base = {"gate.py": CLASS, "sub.py": sub}

    assert places(base, {"gate.py": CLASS.replace("high)", "high, fast)", 1)}) == ["sub.py:5", "sub.py:6"]


def test_a_member_that_a_base_class_still_has_is_not_gone() -> None:
    base = {
        "gate.py": f"{CLASS}\n\nclass Low(Gate):\n    def lift(self, high):\n        return 1\n\n    kept = 1\n",
        "use.py": "from gate import Low\n\nLow().lift(1)\n",
    }

    assert places(base, {"gate.py": f"{CLASS}\n\nclass Low(Gate):\n    kept = 1\n"}) == []


def test_a_member_that_a_new_base_class_from_outside_may_bring_is_not_gone() -> None:
    base = {"gate.py": f"{CLASS}\n    kept = 1\n", "use.py": "from gate import Gate\n\nGate().lift(1)\n"}
    head = "from elsewhere import Base\n\n\nclass Gate(Base):\n    kept = 1\n"

    assert places(base, {"gate.py": head}) == []
    assert places(base, {"gate.py": "class Gate:\n    kept = 1\n"}) == ["use.py:3"]


def test_a_recursive_call_in_untouched_lines_is_found_in_python_2() -> None:
    source = "def walk(tree, seen):\n    print 'walking', tree\n\n\n\n\n\n    return walk(tree.left, seen)\n"

    assert places({"walk.py": source}, {"walk.py": source.replace("(tree, seen)", "(tree, depth, seen)", 1)}) == [
        "walk.py:8"
    ]


def test_a_changed_parameter_is_found_where_the_def_line_is_outside_the_diff() -> None:
    parameters = "".join(f"    {name},\n" for name in ("host", "port", "user", "path", "query", "frag"))
    source = f"def build(\n{parameters}):\n    return host\n"
    base = {"url.py": source, "use.py": "from url import build\nbuild('h', 1, 'u', 'p', 'q', 'f')\n"}

    (finding,) = report(base, {**base, "url.py": source.replace("    frag,\n", "")})

    assert (finding.anchor.side, finding.anchor.line) == (Side.LEFT, 7)
    assert places_of([finding]) == ["use.py:2"]


def test_what_only_tests_use_is_left_to_the_test_run() -> None:
    base = {"mod.py": "def act(a): ...\n", "tests/test_mod.py": "from mod import act\nact(1)\n"}

    assert places(base, {"mod.py": "def act(a, b): ...\n"}) == []


def test_tests_are_named_after_the_code_that_breaks() -> None:
    use = "from mod import act\nact(1)\n"
    base = {"mod.py": "def act(a): ...\n", "tests/test_mod.py": use, "use.py": use}

    assert places(base, {"mod.py": "def act(a, b): ...\n"}) == ["use.py:2", "tests/test_mod.py:2"]


def test_many_callers_are_all_related_but_ten_are_listed() -> None:
    base = {"mod.py": "def act(a): ...\n", "use.py": "from mod import act\n" + "act(1)\n" * 13}

    (finding,) = report(base, {**base, "mod.py": "def act(a, b): ...\n"})

    assert len(finding.related) == 13
    assert "and 3 more" in finding.body
    assert "`use.py:12`" not in finding.body


def test_a_common_name_is_followed_where_the_module_is_named_too() -> None:
    crowd = {f"other{number}.py": "def get(a): ...\n\nget(1)\n" for number in range(COMMON_NAME_FILES + 1)}
    base = {**crowd, "store/mod.py": "def get(a): ...\n", "use.py": "from store.mod import get\nget(1)\n"}

    assert places(base, {"store/mod.py": "def get(a, b): ...\n"}) == ["use.py:2"]


def test_confidence_follows_how_the_caller_was_tied_to_the_definition() -> None:
    module = f"{CLASS}\n\ndef act(a): ...\n"
    users = {
        "a.py": "from gate import act\nact(1)\n",
        "b.py": "from gate import Gate\nGate().lift(1)\n",
    }
    guess = {"c.py": "def f(gate):\n    gate.lift(1)\n"}
    new = {"gate.py": module.replace("high)", "high, fast)", 1).replace("act(a)", "act(a, b)")}

    sure = report({"gate.py": module, **users}, {**users, **new})
    unsure = report({"gate.py": module, **guess}, {**guess, **new})

    assert sorted(finding.confidence for finding in sure) == [75, 90]
    assert [finding.confidence for finding in unsure] == [60]


@pytest.mark.parametrize("broken", ["def act(a, %:\n", "class act\n", "\x00act", "def act(a:\n  '''"], ids=repr)
def test_a_file_that_cannot_be_read_says_nothing(broken: str) -> None:
    base = {"mod.py": "def act(a): ...\n", "use.py": "from mod import act\nact(1)\n"}

    assert list(CHECK.run(change_between(base, {**base, "mod.py": broken}))) == []
