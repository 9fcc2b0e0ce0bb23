"""A uniqueness rule of the application that no unique constraint stands behind.

Reports a rule that the change adds, or whose columns it changes, when no unique index or constraint at head
covers them: in Rails ``validates … uniqueness``, ``validates_uniqueness_of`` and ``find_or_create_by``; in
Django ``UniqueValidator``, ``UniqueTogetherValidator``, a form or serializer that looks for the row and raises,
``get_or_create`` and ``update_or_create``; in SQLAlchemy a constraint that the model declares and no Alembic
migration creates. It matters because such a rule looks first and writes later, or does nothing at all: two
requests at the same time both find nothing and both write, and the duplicates then break every place that
relies on one row. Only the database can refuse the second one.

A key over a part of the rule's columns backs it too, in any order; so does a partial index and one over an
expression such as ``lower(email)``. A unique index over a column like ``deleted_at`` does not: it is NULL in live
rows, and NULLs are never equal; adding such an index for a rule is reported at the index.

Deliberately ignored: rules moved or reformatted; scopes and keys computed at run time; tables and columns
that the schema at head does not have (form objects, virtual attributes); calls under a lock; tests, seeds,
rake tasks, commands and migrations; association tables. Other frameworks are not covered.

Confidence is 90 for a validation or declaration, 80 where it holds under a condition, and 75, not blocking, for
find-or-create and check-then-insert.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from draftgate.checks.base import Change, Check, Example
from draftgate.checks.bounds import within_bounds
from draftgate.checks.database.django_models import Models
from draftgate.checks.database.new_rules import (
    WrittenRule,
    new_django_rules,
    new_rails_rules,
    new_sqlalchemy_rules,
)
from draftgate.checks.database.toothless_indexes import ToothlessIndex, find_toothless
from draftgate.checks.database.unique_keys import SOFT_DELETE, Table, tables_at_head, tables_of_alembic
from draftgate.checks.database.uniqueness_rule import RuleKind, UniquenessRule
from draftgate.checks.lines import lines_of
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind, Category, Decoration, Evidence, Finding, Label, Place
from draftgate.domain.paths import printable

_ID = "db.unique-validation"
_MAX_EVIDENCE_LINES = 7
_MAX_RELATED = 200


def run(change: Change) -> Iterator[Finding]:
    """Yields one finding per rule without a key, in the order of the diff; then the indexes without teeth."""
    change = within_bounds(change, _ID)
    yield from _unbacked_rails_rules(change)
    yield from _unbacked_django_rules(change)
    yield from _uncreated_constraints(change)
    yield from map(_toothless, find_toothless(change))


def _unbacked_rails_rules(change: Change) -> Iterator[Finding]:
    rules = new_rails_rules(change)
    if not rules:
        return
    tables = tables_at_head(change, {table for places in rules for table in places[0].rule.tables})
    for places in rules:
        found = _table_of(places[0].rule, tables)
        if found is not None:
            yield from _judge_rails(places, *found, tables[found[0]])


def _judge_rails(places: list[WrittenRule], name: str, columns: list[str], table: Table) -> Iterator[Finding]:
    wanted = frozenset(columns)
    live = [column for column in columns if column not in SOFT_DELETE]
    if not table.guarantees(wanted):
        where = f', where: "{min(SOFT_DELETE & wanted)} IS NULL"' if len(live) < len(columns) else ""
        remedy = f"add_index :{name}, {_symbols(live)}, unique: true{where}"
        yield _finding(places, f"`{name}`", _names(columns), remedy, "ActiveRecord::RecordNotUnique")
    elif len(live) < len(columns) and table.refuses(frozenset(live)):
        yield _stricter(places[0], name, live, min(SOFT_DELETE & wanted))


def _table_of(rule: UniquenessRule, tables: dict[str, Table]) -> tuple[str, list[str]] | None:
    """The table the rule is about and its columns there; ``None`` if no table has them all."""
    for name in rule.tables:
        mapped = [tables[name].columns_for(attribute) for attribute in rule.attributes] if name in tables else [None]
        known = [columns for columns in mapped if columns is not None]
        if len(known) == len(mapped):
            return name, list(dict.fromkeys(column for group in known for column in sorted(group)))
    return None


def _unbacked_django_rules(change: Change) -> Iterator[Finding]:
    models = Models(change.head)
    for places in new_django_rules(change):
        rule = places[0].rule
        if models.guarantee(rule) is False:
            listed = ", ".join(f'"{name}"' for name in rule.attributes)
            remedy = f"models.UniqueConstraint(fields=[{listed}], name=…)"
            yield _finding(places, f"`{rule.model}`", _names(rule.attributes), remedy, "django.db.IntegrityError")


def _uncreated_constraints(change: Change) -> Iterator[Finding]:
    """Constraints that SQLAlchemy models newly declare and no Alembic migration creates."""
    rules = new_sqlalchemy_rules(change)
    tables = tables_of_alembic(change, {table for places in rules for table in places[0].rule.tables})
    for places in rules:
        rule = places[0].rule
        table = tables.get(rule.tables[0])
        if table is not None and not table.guarantees(frozenset(rule.attributes)):
            yield _uncreated(places, rule.tables[0])


def _symbols(columns: list[str]) -> str:
    return f":{columns[0]}" if len(columns) == 1 else "[" + ", ".join(f":{name}" for name in columns) + "]"


def _names(columns: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in columns)


def _finding(places: list[WrittenRule], table: str, columns: str, remedy: str, error: str) -> Finding:
    rule = places[0].rule
    is_validation = rule.kind is RuleKind.VALIDATION
    partial = " If the rule holds for some rows only, make the index partial." if rule.conditional else ""
    return _at_rule(
        places,
        decorations=(Decoration.BLOCKING,) if is_validation else (),
        confidence=(80 if rule.conditional else 90) if is_validation else 75,
        subject=f"Nothing in the database keeps {columns} unique in {table}",
        body=(
            f"`{rule.call}` looks for another row first and writes later, so two requests at the same time can both "
            f"pass and both write. At head no unique index or constraint covers {columns}.\n\n"
            f"Add one (`{remedy}`), and handle `{error}` where the row is written.{partial}"
        ),
    )


def _uncreated(places: list[WrittenRule], table: str) -> Finding:
    rule = places[0].rule
    columns = ", ".join(f'"{name}"' for name in rule.attributes)
    return _at_rule(
        places,
        decorations=(Decoration.BLOCKING,),
        confidence=90,
        subject=f"No migration makes {_names(rule.attributes)} unique in `{table}`",
        body=(
            f"`{rule.call}` on the model only declares the constraint; a database built by the migrations at head "
            f"does not have it, and lets duplicates in.\n\n"
            f'Add `op.create_unique_constraint(…, "{table}", [{columns}])` to a migration.'
        ),
    )


def _stricter(place: WrittenRule, table: str, live: list[str], soft: str) -> Finding:
    remedy = f'add_index :{table}, {_symbols(live)}, unique: true, where: "{soft} IS NULL"'
    return _at_rule(
        [place],
        decorations=(),
        confidence=75,
        subject=f"The unique index over {_names(live)} of `{table}` counts deleted rows, this rule does not",
        body=(
            f"The rule is scoped to `{soft}`, so it lets a row through whose only twin is deleted; the unique index "
            f"has no such scope and refuses it, with `ActiveRecord::RecordNotUnique` instead of a validation error.\n\n"
            f"Make the index partial (`{remedy}`), or drop the scope."
        ),
    )


def _at_rule(
    places: list[WrittenRule], *, decorations: tuple[Decoration, ...], confidence: int, subject: str, body: str
) -> Finding:
    """A finding at the first place of a rule that names the others."""
    first, *others = places
    rule, path = first.rule, first.file.path
    return Finding(
        check=_ID,
        sources=("builtin",),
        label=Label.ISSUE,
        decorations=decorations,
        confidence=confidence,
        category=Category.DATABASE,
        subject=subject,
        body=body,
        anchor=Anchor(AnchorKind.LINE, path, Side.RIGHT, line=first.line),
        evidence=_evidence(path, first.text, rule.start, rule.end, first.line or rule.line),
        related=tuple(Place(place.file.path, place.rule.line) for place in others[:_MAX_RELATED]),
    )


def _toothless(found: ToothlessIndex) -> Finding:
    index, migration = found.index, found.migration
    soft = min(SOFT_DELETE & set(index.columns))
    rest = [column for column in index.columns if column not in SOFT_DELETE]
    remedy = f'add_index :{index.table}, {_symbols(rest)}, unique: true, where: "{soft} IS NULL"'
    return Finding(
        check=_ID,
        sources=("builtin",),
        label=Label.ISSUE,
        decorations=(Decoration.BLOCKING,),
        confidence=90,
        category=Category.DATABASE,
        subject=f"This unique index lets live rows of `{index.table}` repeat",
        body=(
            f"`{soft}` is NULL in every live row, and NULLs are never equal in a unique index, so it does not stop the "
            f"duplicates that the rule at `{printable(found.model_file)}:{found.rule.line}` is about.\n\n"
            f"Make it partial instead: `{remedy}`."
        ),
        anchor=Anchor(AnchorKind.LINE, migration.path, Side.RIGHT, line=index.span.line),
        evidence=_evidence(migration.path, migration.text, index.span.start, index.span.end, index.span.line),
        related=(Place(found.model_file, found.rule.line),),
    )


def _evidence(path: str, text: str, start: int, end: int, line: int) -> Evidence:
    """The statement's lines, bounded, and in any case the one that matters."""
    first = start if line - start < _MAX_EVIDENCE_LINES else line
    last = min(end, first + _MAX_EVIDENCE_LINES - 1)
    return Evidence(path, first, lines_of(text)[first - 1 : max(last, line)])


_USERS = """\
ActiveRecord::Schema[7.1].define(version: 2026_01_01_000000) do
  create_table "users" do |t|
    t.string "email"
    t.bigint "team_id"
    t.datetime "deleted_at"
  end
end
"""
_ADD_INDEX = """\
class AddIndexToUsers < ActiveRecord::Migration[7.1]
  def change
    add_index :users, {columns}, unique: true
  end
end
"""
_MODEL = "class User < ApplicationRecord\n{body}end\n"
_EMAIL = "  validates :email, uniqueness: true\n"
_EMAIL_IN_TEAM = "  validates :email, uniqueness: { scope: :team }\n"
_EMAIL_ALIVE = "  validates :email, uniqueness: { scope: :deleted_at }\n"
_TAGS = "class Tag(models.Model):\n    name = models.CharField(max_length=80{options})\n"
_MAPPED_TAG = """\
class Tag(db.Model):
    __tablename__ = "tags"
    name = Column(Text, unique=True)
"""
_CREATE_TAGS = """\
def upgrade():
    op.create_table("tags", sa.Column("name", sa.Text(){options}))
"""
_TAG_FORM = """\
class TagForm(forms.Form):
    def clean_name(self):
        name = self.cleaned_data["name"]
        if Tag.objects.filter(name__iexact=name).exists():
            raise forms.ValidationError("This name is already taken")
        return name
"""

_POSITIVE = (
    Example(
        name="a validation over a column without a unique index",
        base={"app/models/user.rb": _MODEL.format(body=""), "db/schema.rb": _USERS},
        head={"app/models/user.rb": _MODEL.format(body=_EMAIL), "db/schema.rb": _USERS},
        findings=("app/models/user.rb:2",),
    ),
    Example(
        name="a validation becomes stricter than its index",
        base={
            "app/models/user.rb": _MODEL.format(body="  validates :team_id, uniqueness: { scope: :email }\n"),
            "db/schema.rb": _USERS,
        },
        head={
            "app/models/user.rb": _MODEL.format(body="  validates :team_id, uniqueness: true\n"),
            "db/schema.rb": _USERS.replace("  end\nend", '    t.index ["email", "team_id"], unique: true\n  end\nend'),
        },
        findings=("app/models/user.rb:2",),
    ),
    Example(
        name="find or create without a unique index",
        base={"db/schema.rb": _USERS},
        head={
            "app/services/sign_up.rb": "class SignUp\n  def call = User.find_or_create_by!(email: @email)\nend\n",
            "db/schema.rb": _USERS,
        },
        findings=("app/services/sign_up.rb:2",),
    ),
    Example(
        name="a unique index over a soft-delete column lets live rows repeat",
        base={"app/models/user.rb": _MODEL.format(body=_EMAIL_ALIVE), "db/schema.rb": _USERS},
        head={
            "app/models/user.rb": _MODEL.format(body=_EMAIL_ALIVE),
            "db/schema.rb": _USERS,
            "db/migrate/20260102000000_add_index_to_users.rb": _ADD_INDEX.format(columns="[:email, :deleted_at]"),
        },
        findings=("db/migrate/20260102000000_add_index_to_users.rb:3",),
        related=("app/models/user.rb:2",),
    ),
    Example(
        name="a Django serializer's UniqueValidator over a plain field",
        base={"tags/models.py": _TAGS.format(options="")},
        head={
            "tags/models.py": _TAGS.format(options=""),
            "tags/serializers.py": (
                "class TagSerializer(Serializer):\n"
                "    name = CharField(validators=[UniqueValidator(queryset=Tag.objects.all())])\n"
            ),
        },
        findings=("tags/serializers.py:2",),
    ),
    Example(
        name="a Django form that looks for the row and then lets it be written",
        base={"tags/models.py": _TAGS.format(options="")},
        head={"tags/models.py": _TAGS.format(options=""), "tags/forms.py": _TAG_FORM},
        findings=("tags/forms.py:4",),
    ),
    Example(
        name="get_or_create over a plain field",
        base={"tags/models.py": _TAGS.format(options="")},
        head={
            "tags/models.py": _TAGS.format(options=""),
            "tags/services.py": "def tag(name):\n    return Tag.objects.get_or_create(name=name)[0]\n",
        },
        findings=("tags/services.py:2",),
    ),
    Example(
        name="a SQLAlchemy model declares what no Alembic migration creates",
        base={},
        head={"tags/models.py": _MAPPED_TAG, "migrations/versions/1a_tags.py": _CREATE_TAGS.format(options="")},
        findings=("tags/models.py:3",),
    ),
)
_NEGATIVE = (
    Example(
        name="a migration of the change adds the index, columns in another order",
        base={"app/models/user.rb": _MODEL.format(body=""), "db/schema.rb": _USERS},
        head={
            "app/models/user.rb": _MODEL.format(body=_EMAIL_IN_TEAM),
            "db/schema.rb": _USERS,
            "db/migrate/20260102000000_add_index_to_users.rb": _ADD_INDEX.format(columns="[:team_id, :email]"),
        },
    ),
    Example(
        name="an index over a part of the columns guarantees it as well",
        base={"app/models/user.rb": _MODEL.format(body=""), "db/schema.rb": _USERS},
        head={
            "app/models/user.rb": _MODEL.format(body=_EMAIL_IN_TEAM),
            "db/schema.rb": _USERS,
            "db/migrate/20260102000000_add_index_to_users.rb": _ADD_INDEX.format(columns='"lower(email)"'),
        },
    ),
    Example(
        name="a partial index over the live rows backs a rule about them",
        base={"app/models/user.rb": _MODEL.format(body=""), "db/schema.rb": _USERS},
        head={
            "app/models/user.rb": _MODEL.format(body=_EMAIL_ALIVE),
            "db/schema.rb": _USERS,
            "db/migrate/20260102000000_add_index_to_users.rb": _ADD_INDEX.format(
                columns=":email, where: 'deleted_at IS NULL'"
            ),
        },
    ),
    Example(
        name="an old rule is only written differently",
        base={"app/models/user.rb": _MODEL.format(body=_EMAIL), "db/schema.rb": _USERS},
        head={
            "app/models/user.rb": _MODEL.format(body="  validates :email,\n            uniqueness: true\n"),
            "db/schema.rb": _USERS,
        },
    ),
    Example(
        name="a form object has no table",
        base={"db/schema.rb": _USERS},
        head={
            "app/forms/invite.rb": "class Invite\n  validates :code, uniqueness: true\nend\n",
            "db/schema.rb": _USERS,
        },
    ),
    Example(
        name="the database's refusal is handled, so its author relies on an index",
        base={"db/schema.rb": _USERS},
        head={
            "app/services/sign_up.rb": (
                "class SignUp\n  def call\n    User.find_or_create_by!(email: @email)\n"
                "  rescue ActiveRecord::RecordNotUnique\n    retry\n  end\nend\n"
            ),
            "db/schema.rb": _USERS,
        },
    ),
    Example(
        name="the Django field is unique",
        base={"tags/models.py": _TAGS.format(options=", unique=True")},
        head={"tags/models.py": _TAGS.format(options=", unique=True"), "tags/forms.py": _TAG_FORM},
    ),
    Example(
        name="a constraint of the Django model covers a part of the lookup",
        base={},
        head={
            "tags/models.py": (
                f"{_TAGS.format(options='')}    team = models.ForeignKey(Team)\n    color = models.CharField()\n"
                "    class Meta:\n        constraints = [UniqueConstraint(fields=['team', 'name'], name='tag')]\n"
            ),
            "tags/services.py": "def tag(name):\n    return Tag.objects.get_or_create(name=name, team_id=1, color=2)\n",
        },
    ),
    Example(
        name="an Alembic migration creates what the SQLAlchemy model declares",
        base={},
        head={
            "tags/models.py": _MAPPED_TAG,
            "migrations/versions/1a_tags.py": _CREATE_TAGS.format(options=", unique=True"),
        },
    ),
)

CHECK = Check(
    id=_ID,
    summary="A uniqueness rule is added with no unique constraint behind it",
    label=Label.ISSUE,
    decorations=(Decoration.BLOCKING,),
    confidence=90,
    category=Category.DATABASE,
    covers=("*.rb", "*.py"),
    run=run,
    examples=(*_POSITIVE, *_NEGATIVE),
)
