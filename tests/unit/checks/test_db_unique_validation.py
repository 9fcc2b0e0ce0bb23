"""Which uniqueness rules of an application count, and what backs one."""

from __future__ import annotations

import pytest

from draftgate.checks.rules.db_unique_validation import CHECK
from draftgate.domain.finding import Decoration, Finding
from tests.unit.checks.changes import findings_of

MIGRATION = "db/migrate/20260102000000_index.rb"
EMAIL = "validates :email, uniqueness: true"


def schema(*lines: str, table: str = "users", columns: str = "email team_id owner_id owner_type deleted_at") -> str:
    body = [f't.string "{column}"' for column in columns.split()] + list(lines)
    return f'ActiveRecord::Schema.define do\n  create_table "{table}" do |t|\n' + "\n".join(body) + "\n  end\nend\n"


def model(*lines: str, header: str = "class User < ApplicationRecord") -> str:
    return "\n".join((header, *(f"  {line}" for line in lines), "end", ""))


def migration(statement: str) -> str:
    return f"class Index < ActiveRecord::Migration[7.1]\n  def change\n    {statement}\n  end\nend\n"


def rails_findings(*rules: str, index: str = "", files: dict[str, str] | None = None) -> list[Finding]:
    base = {"db/schema.rb": schema(*index.splitlines()), "app/models/user.rb": model()} | (files or {})
    return findings_of(CHECK, base, base | {"app/models/user.rb": model(*rules)})


def django_findings(code: str, fields: str = "", meta: str = "", path: str = "shop/services.py") -> list[Finding]:
    body = "    name = models.CharField()\n    team = models.ForeignKey(Team)\n    code = models.SlugField()\n"
    meta = f"    class Meta:\n        {meta}\n" if meta else ""
    files = {"shop/models.py": f"class Tag(models.Model):\n{body}{fields}{meta}"}
    return findings_of(CHECK, files, {**files, path: code})


@pytest.mark.parametrize(
    "rule",
    [
        EMAIL,
        "validates :email, presence: true, uniqueness: { case_sensitive: false }",
        "validates :email, :uniqueness => { :scope => :team_id }",
        "validates :email, uniqueness: { scope: %i[team_id owner_type] }",
        "validates_uniqueness_of :email",
        "validates_uniqueness_of :email, scope: [:team_id]",
        "validates_uniqueness_of_without_deleted :email",
        "validates :team, uniqueness: true",
        "validates :owner, uniqueness: true",
    ],
)
def test_a_rails_validation_without_an_index_is_reported(rule: str) -> None:
    (finding,) = rails_findings(rule)

    assert (finding.anchor.line, finding.confidence, finding.decorations) == (2, 90, (Decoration.BLOCKING,))


@pytest.mark.parametrize(
    "rule",
    [
        "validates :email, uniqueness: false",
        "validates :email, uniqueness: OPTIONS",
        "validates :email, uniqueness: { scope: SCOPE }",
        "validates :nickname, uniqueness: true",
        "validates :email, presence: true",
        "# validates :email, uniqueness: true",
        "validates :email, uniqueness: true # rubocop:disable Rails/UniqueValidationWithoutIndex",
        "validates :id, uniqueness: true",
    ],
    ids=[
        "off",
        "computed",
        "computed scope",
        "no column",
        "no rule",
        "comment",
        "decided by the author",
        "primary key",
    ],
)
def test_what_is_no_rule_over_known_columns_is_silent(rule: str) -> None:
    assert rails_findings(rule) == []


@pytest.mark.parametrize(
    ("rule", "index"),
    [
        (EMAIL, 't.index ["email"], unique: true'),
        (EMAIL, 't.index ["email"], unique: true, where: "deleted_at IS NULL"'),
        (EMAIL, 't.index "lower((email)::text)", unique: true'),
        (EMAIL, 't.unique_constraint ["email"]'),
        ("validates :email, uniqueness: { scope: :team }", 't.index ["team_id", "email"], unique: true'),
        ("validates :email, uniqueness: { scope: :team }", 't.index ["email"], unique: true'),
        ("validates :owner, uniqueness: true", 't.index ["owner_type", "owner_id"], unique: true'),
        (
            "validates :email, uniqueness: { scope: :deleted_at }",
            't.index ["email", "deleted_at"], unique: true, nulls_not_distinct: true',
        ),
    ],
)
def test_a_unique_index_over_these_or_fewer_columns_backs_a_rule(rule: str, index: str) -> None:
    assert rails_findings(rule, index=index) == []


@pytest.mark.parametrize(
    ("rule", "index"),
    [
        (EMAIL, 't.index ["email"]'),
        (EMAIL, 't.index ["email", "team_id"], unique: true'),
        ("validates :email, uniqueness: { scope: :deleted_at }", 't.index ["email", "deleted_at"], unique: true'),
    ],
    ids=["plain", "over more columns", "over a column that is NULL in live rows"],
)
def test_an_index_that_lets_duplicates_in_backs_nothing(rule: str, index: str) -> None:
    assert len(rails_findings(rule, index=index)) == 1


def test_an_index_that_counts_deleted_rows_is_stricter_than_a_rule_about_live_ones() -> None:
    (finding,) = rails_findings(
        "validates :email, uniqueness: { scope: :deleted_at }", index='t.index ["email"], unique: true'
    )

    assert (finding.confidence, finding.decorations) == (75, ())
    assert 'where: "deleted_at IS NULL"' in finding.body


def test_a_rule_under_a_condition_is_less_sure_and_asks_for_a_partial_index() -> None:
    (finding,) = rails_findings("validates :email, uniqueness: true, if: :active?")

    assert finding.confidence == 80
    assert "partial" in finding.body


def test_the_text_names_the_index_to_add_and_the_error_to_handle() -> None:
    (finding,) = rails_findings("validates :email, uniqueness: { scope: [:team, :deleted_at] }")

    assert finding.subject == "Nothing in the database keeps `email`, `team_id`, `deleted_at` unique in `users`"
    assert 'add_index :users, [:email, :team_id], unique: true, where: "deleted_at IS NULL"' in finding.body
    assert "ActiveRecord::RecordNotUnique" in finding.body


@pytest.mark.parametrize(
    "earlier",
    [
        {"app/models/user.rb": model("validates_presence_of :name", EMAIL.replace(", ", ",\n    "))},
        {"app/models/person.rb": model(EMAIL)},
        {"app/models/concerns/mailed.rb": f"module Mailed\n  included do\n    {EMAIL}\n  end\nend\n"},
    ],
    ids=["written differently", "in another file", "in a module"],
)
def test_a_rule_that_stood_at_base_is_not_new(earlier: dict[str, str]) -> None:
    files = {"db/schema.rb": schema()}

    assert findings_of(CHECK, files | earlier, {**files, "app/models/user.rb": model(EMAIL)}) == []


@pytest.mark.parametrize(
    ("header", "table"),
    [
        ("class Admin < User", "users"),
        ("class Legacy::Account < ApplicationRecord", "legacy_accounts"),
        ("class Spree::Category < Spree::Base", "spree_categories"),
        ('class Person < ApplicationRecord\n  self.table_name = "users"', "users"),
        ("User.class_eval do", "users"),
    ],
)
def test_the_table_of_a_class_is_found_by_rails_conventions(header: str, table: str) -> None:
    files = {"db/schema.rb": schema(table=table)}

    (finding,) = findings_of(CHECK, files, {**files, "app/models/a.rb": model(EMAIL, header=header)})

    assert f"`{table}`" in finding.subject


def test_a_structure_file_is_a_schema_too() -> None:
    sql = "CREATE TABLE public.users (\n  id bigint NOT NULL,\n  email text\n);\n"
    unique = "CREATE UNIQUE INDEX email ON public.users USING btree (lower(email));\n"

    def findings(structure: str) -> list[Finding]:
        files = {"db/structure.sql": structure}
        return findings_of(CHECK, files, {**files, "app/models/user.rb": model(EMAIL)})

    assert len(findings(sql)) == 1
    assert findings(sql + unique) == []


def test_an_engine_without_a_schema_file_is_read_from_its_migrations() -> None:
    create = migration('create_table "users" do |t|\n      t.string :email\n    end')
    add, drop = migration("add_index :users, :email, unique: true"), migration("remove_index :users, :email")
    migrations = {f"db/migrate/{number}_a.rb": text for number, text in enumerate((create, add, drop), start=1)}

    def findings(count: int) -> list[Finding]:
        files = dict(list(migrations.items())[:count])
        return findings_of(CHECK, files, {**files, "app/models/user.rb": model(EMAIL)})

    assert [len(findings(count)) for count in range(4)] == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("code", "reported"),
    [
        ("User.find_or_create_by(email: email)", True),
        ("User.create_or_find_by!(email: email, team: team)", True),
        ("User.find_or_create_by(email: email) { |user| user.team = team }", True),
        ("User.find_or_create_by(attributes)", False),
        ("User.find_or_create_by(email: email, nickname: nickname)", False),
        ("team.users.find_or_create_by(email: email)", False),
        ("team.with_lock { User.find_or_create_by(email: email) }", False),
        ("User.find_or_create_by(id: id)", False),
    ],
)
def test_find_or_create_is_reported_where_its_columns_are_known(code: str, reported: bool) -> None:  # noqa: FBT001
    files = {"db/schema.rb": schema()}

    findings = findings_of(CHECK, files, {**files, "app/a.rb": f"def a\n  {code}\nend\n"})

    assert [(f.anchor.line, f.confidence, f.decorations) for f in findings] == ([(2, 75, ())] if reported else [])


def test_one_rule_in_several_places_is_one_finding() -> None:
    files = {"db/schema.rb": schema()}
    code = "def a\n  User.find_or_create_by(email: 1)\n  User.find_or_create_by(email: 2)\nend\n"

    (finding,) = findings_of(CHECK, files, {**files, "app/a.rb": code})

    assert (finding.anchor.line, [place.line for place in finding.related]) == (2, [3])


@pytest.mark.parametrize("path", ["spec/a_spec.rb", "db/seeds.rb", "lib/tasks/a.rb", "db/migrate/20260101000000_a.rb"])
def test_tests_seeds_tasks_and_migrations_are_silent(path: str) -> None:
    files = {"db/schema.rb": schema()}

    assert findings_of(CHECK, files, {**files, path: "User.find_or_create_by(email: email)\n"}) == []


@pytest.mark.parametrize(
    ("statement", "rule", "reported"),
    [
        ("add_index :users, [:email, :deleted_at], unique: true", "scope: :deleted_at", True),
        ("add_index :users, [:email, :deleted_at], unique: true", "scope: :team_id", False),
        (
            "add_index :users, [:email, :deleted_at], unique: true, where: 'deleted_at IS NULL'",
            "scope: :deleted_at",
            False,
        ),
        ("add_index :users, [:email, :deleted_at]", "scope: :deleted_at", False),
    ],
    ids=["over the rule's columns", "over other columns", "partial", "plain"],
)
def test_a_new_unique_index_that_stops_nothing_is_reported(statement: str, rule: str, reported: bool) -> None:  # noqa: FBT001
    validation = f"validates :email, uniqueness: {{ {rule} }}"
    files = {"db/schema.rb": schema(), "app/models/user.rb": model(validation)}

    findings = findings_of(CHECK, files, {**files, MIGRATION: migration(statement)})

    assert [(f.anchor.path, f.anchor.line) for f in findings] == ([(MIGRATION, 3)] if reported else [])


@pytest.mark.parametrize(
    ("code", "reported"),
    [
        ("Tag.objects.get_or_create(name=name)", True),
        ("models.Tag.objects.update_or_create(name=name, team=team, defaults={'code': code})", True),
        ("Tag.objects.get_or_create(name__iexact=name)", True),
        ("Tag.objects.get_or_create(name__startswith=name)", False),
        ("Tag.objects.get_or_create(**lookup)", False),
        ("Tag.objects.get_or_create(id=1, name=name)", False),
        ("Tag.objects.get_or_create(color=color)", False),
        ("Other.objects.get_or_create(name=name)", False),
        ("team.tags.get_or_create(name=name)", False),
        ("Tag.objects.create(name=name)", False),
    ],
)
def test_get_or_create_is_reported_where_its_fields_are_known(code: str, reported: bool) -> None:  # noqa: FBT001
    findings = django_findings(f"def tag(name, team):\n    return {code}\n")

    assert [(f.anchor.line, f.confidence) for f in findings] == ([(2, 75)] if reported else [])


@pytest.mark.parametrize("around", ["with lock(team):", "try:"])
def test_get_or_create_that_is_locked_or_ready_for_the_refusal_is_silent(around: str) -> None:
    handler = "    except IntegrityError:\n        pass\n" if around == "try:" else ""

    assert (
        django_findings(f"def tag(name):\n    {around}\n        Tag.objects.get_or_create(name=name)\n{handler}") == []
    )


@pytest.mark.parametrize(
    ("fields", "meta"),
    [
        ("    name = models.CharField(unique=True)\n", ""),
        ("", "unique_together = ('team', 'name')"),
        ("", "unique_together = [['name', 'team']]"),
        ("", "constraints = [models.UniqueConstraint(fields=['name'], name='tag')]"),
        ("", "constraints = [UniqueConstraint(fields=['name'], condition=Q(team=None), name='tag')]"),
        ("", "constraints = [UniqueConstraint(Lower('name'), name='tag')]"),
        ("    name = models.OneToOneField(Name)\n", ""),
    ],
    ids=["field", "together", "together in lists", "constraint", "partial", "expression", "one to one"],
)
def test_what_a_django_model_guarantees_backs_a_rule(fields: str, meta: str) -> None:
    code = "def tag(name, team):\n    return Tag.objects.get_or_create(name=name, team_id=team)\n"

    assert django_findings(code, fields, meta) == []


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("class S(Serializer):\n    name = CharField(validators=[UniqueValidator(Tag.objects.all())])\n", 2),
        ("class S(Serializer):\n    name = CharField(validators=[UniqueValidator(queryset=Tag.objects)])\n", 2),
        ("v = UniqueTogetherValidator(\n    queryset=Tag.objects.all(), fields=('name', 'team'),\n)\n", 1),
        ("v = UniqueTogetherValidator(queryset=Tag.objects.all(), fields=FIELDS)\n", None),
        ("class S(Serializer):\n    name = CharField(validators=[UniqueValidator(queryset=tags())])\n", None),
    ],
)
def test_validators_of_django_rest_framework_count(code: str, line: int | None) -> None:
    assert [f.anchor.line for f in django_findings(code)] == ([] if line is None else [line])


@pytest.mark.parametrize(
    ("condition", "raised", "reported"),
    [
        ("Tag.objects.filter(name=name).exists()", 'ValidationError("already taken")', True),
        ("Tag.objects.filter(name=name).exclude(pk=self.pk).exists()", 'ValidationError("must be unique")', True),
        ("Tag.objects.filter(team=other).exists()", 'ValidationError("already used by a tag")', False),
        ("Tag.objects.filter(name=name).exists()", 'ValidationError("cannot be deleted")', False),
        ("not Tag.objects.filter(name=name).exists()", "Http404", False),
    ],
    ids=["looks for the row", "looks for another row", "looks for something else", "says something else", "not a rule"],
)
def test_check_then_insert_is_reported_in_a_clean_method(condition: str, raised: str, reported: bool) -> None:  # noqa: FBT001
    code = f"class F(Form):\n    def clean_name(self):\n        if {condition}:\n            raise {raised}\n"

    assert [f.anchor.line for f in django_findings(code)] == ([3] if reported else [])


def test_a_model_with_a_base_from_elsewhere_is_judged_by_its_own_fields_only() -> None:
    files = {"shop/models.py": "class User(AbstractUser):\n    nickname = models.CharField()\n"}

    def findings(field: str) -> list[Finding]:
        code = f"def user(value):\n    return User.objects.get_or_create({field}=value)\n"
        return findings_of(CHECK, files, {**files, "shop/services.py": code})

    assert findings("username") == []
    assert len(findings("nickname")) == 1


def alembic_findings(declared: str, migrations: list[str], args: str = "") -> list[Finding]:
    create = 'op.create_table("tags", sa.Column("id", primary_key=True), sa.Column("name"), sa.Column("team"))'
    texts = {f"migrations/versions/{number}.py": f"def upgrade():\n    {statement}\n" for number, statement in
             enumerate((create, *migrations))}  # fmt: skip
    table_args = f"    __table_args__ = ({args},)\n" if args else ""
    code = f'class Tag(Base):\n    __tablename__ = "tags"\n{table_args}    name = {declared}\n'
    return findings_of(CHECK, texts, {**texts, "models.py": code})


@pytest.mark.parametrize(
    ("declared", "args"),
    [
        ("Column(Text, unique=True)", ""),
        ("mapped_column(unique=True)", ""),
        ("Column(Text)", 'UniqueConstraint("name", "team", name="tag")'),
        ("Column(Text)", 'Index("tag", "name", unique=True)'),
    ],
)
def test_a_declared_constraint_that_no_migration_creates_is_reported(declared: str, args: str) -> None:
    (finding,) = alembic_findings(declared, [], args)

    assert (finding.anchor.line, finding.confidence, finding.decorations) == (3, 90, (Decoration.BLOCKING,))


@pytest.mark.parametrize(
    "statement",
    [
        'op.create_unique_constraint("tag", "tags", ["name"])',
        'op.create_index("tag", "tags", ["name"], unique=True)',
        'op.execute("CREATE UNIQUE INDEX tag ON tags (name)")',
    ],
)
def test_any_migration_may_create_a_declared_constraint(statement: str) -> None:
    assert alembic_findings("Column(Text, unique=True)", [statement]) == []


@pytest.mark.parametrize(
    ("declared", "args"),
    [("Column(Text)", 'Index("tag", "name")'), ("Column(Text)", "UniqueConstraint(*NAMES)"), ("tag(unique=True)", "")],
    ids=["plain index", "computed", "no column"],
)
def test_what_declares_nothing_unique_is_silent(declared: str, args: str) -> None:
    assert alembic_findings(declared, [], args) == []


def test_a_table_that_no_migration_creates_is_not_judged() -> None:
    code = 'class Tag(Base):\n    __tablename__ = "tags"\n    name = Column(Text, unique=True)\n'

    assert findings_of(CHECK, {}, {"models.py": code}) == []


def test_an_index_follows_its_column_through_a_rename() -> None:
    index = 't.index ["mail"], unique: true'
    files = {"db/schema.rb": schema(index, columns="mail"), "app/models/user.rb": model()}
    head = {MIGRATION: migration("rename_column :users, :mail, :email"), "app/models/user.rb": model(EMAIL)}

    assert findings_of(CHECK, files, {**files, **head}) == []
