"""Migrations of each framework become the same operations; nothing a migration may hold makes the readers fail."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draftgate.checks.database.alembic_migrations import read_alembic
from draftgate.checks.database.django_migrations import app_of, read_django
from draftgate.checks.database.inflection import plural, singular, words
from draftgate.checks.database.migration_files import Framework, framework_of
from draftgate.checks.database.operations import (
    AddColumn,
    AddIndex,
    CreateTable,
    DropColumn,
    DropIndex,
    DropTable,
    Operation,
)
from draftgate.checks.database.rails_migrations import read_rails
from draftgate.checks.database.sql_statements import column_of, read_sql

DJANGO_PATH = "shop/orders/migrations/0002_change.py"


def short(operations: tuple[Operation, ...] | list[Operation]) -> list[str]:
    """Each operation as ``verb table.columns``, with its line where it matters."""
    return [_short(operation) for operation in operations]


def _short(operation: Operation) -> str:
    match operation:
        case DropColumn(table, column, _, renamed_to):
            return f"rename {table}.{column} {renamed_to}" if renamed_to else f"drop {table}.{column}"
        case AddColumn(table, column):
            return f"add {table}.{column}"
        case CreateTable(table):
            return f"create {table}"
        case DropTable(table, _, renamed_to):
            return f"rename {table} {renamed_to}" if renamed_to else f"drop {table}"
        case AddIndex():
            marks = "unique " * operation.unique + "partial " * operation.partial
            return f"{marks}index {operation.table}({','.join(operation.columns)})"
        case DropIndex(table, columns, name):
            return f"drop index {name or ','.join(columns)} of {table}"


def rails(*statements: str) -> str:
    return "class Change < ActiveRecord::Migration[7.1]\n  def change\n" + "\n".join(statements) + "\n  end\nend\n"


@pytest.mark.parametrize(
    ("statement", "operations"),
    [
        ("remove_column :users, :name, :string", ["drop users.name"]),
        ('remove_column "users", "name"', ["drop users.name"]),
        ("remove_columns :users, :a, :b, type: :string", ["drop users.a", "drop users.b"]),
        ("rename_column :users, :a, :b", ["rename users.a b", "add users.b"]),
        ("remove_reference :users, :team, foreign_key: true", ["drop users.team_id"]),
        ("remove_belongs_to :users, :owner, polymorphic: true", ["drop users.owner_id", "drop users.owner_type"]),
        ("remove_timestamps :users", ["drop users.created_at", "drop users.updated_at"]),
        ("safety_assured { remove_column :users, :name }", ["drop users.name"]),
        ("change_table(:users) { |t| t.remove :a, :b; t.rename :c, :d }",
         ["drop users.a", "drop users.b", "rename users.c d", "add users.d"]),
        ("[:a, :b].each { |name| remove_column :users, name }", ["drop users.a", "drop users.b"]),
        ("TABLES.each { |table| remove_column table, :name }", []),
        ("remove_column :users, :name unless column_exists?(:users, :name)", ["drop users.name"]),
        ("add_index :users, [:team_id, :email], unique: true", ["unique index users(team_id,email)"]),
        ("add_index :users, %i[a b]", ["index users(a,b)"]),
        ('add_index :users, "lower(email), team_id", unique: true, where: "x"',
         ["unique partial index users(email,team_id)"]),
        ("remove_index :users, name: :old", ["drop index old of users"]),
        ("remove_index :users, column: [:a, :b]", ["drop index a,b of users"]),
        ("add_reference :users, :team, index: { unique: true }", ["add users.team_id", "unique index users(team_id)"]),
        ("drop_table :users", ["drop users"]),
        ("rename_table :users, :people", ["rename users people"]),
        ("create_join_table :users, :teams", ["create teams_users"]),
        ("create_table(:users, id: false) { |t| t.string :a, :b; t.index [:a], unique: true }",
         ["create users", "add users.a", "add users.b", "unique index users(a)"]),
        ("create_table(:users) { |t| t.string :a, index: { unique: true }; t.timestamps }",
         ["create users", "add users.id", "add users.a", "unique index users(a)",
          "add users.created_at", "add users.updated_at"]),
        ("execute 'ALTER TABLE users DROP COLUMN name'", ["drop users.name"]),
        ("execute(<<~SQL)\n  ALTER TABLE users DROP COLUMN name;\nSQL", ["drop users.name"]),
        ("reversible do |dir|\n dir.up { remove_column :users, :a }\n dir.down { remove_column :users, :b }\nend",
         ["drop users.a"]),
        ("revert { remove_column :users, :a }", []),
    ],
)  # fmt: skip
def test_rails_statements_are_read(statement: str, operations: list[str]) -> None:
    assert short(read_rails(rails(statement))) == operations


@pytest.mark.parametrize("method", ["down", "self.down"])
def test_the_way_back_of_a_rails_migration_is_left_out(method: str) -> None:
    assert read_rails(f"class A\n  def {method}\n    remove_column :users, :name\n  end\nend\n") == ()


def test_an_operation_knows_its_lines() -> None:
    (operation,) = read_rails(rails("remove_column(", "  :users,", "  :name", ")"))

    assert (operation.span.start, operation.span.end, operation.span.line) == (3, 6, 3)


@pytest.mark.parametrize(
    ("operation", "operations"),
    [
        ('RemoveField(model_name="Order", name="total")', ["drop orders.order.total"]),
        ('RemoveField("order", "total")', ["drop orders.order.total"]),
        ('RenameField(model_name="order", old_name="a", new_name="b")',
         ["rename orders.order.a b", "add orders.order.b"]),
        ('AddField("order", "total", models.IntegerField())', ["add orders.order.total"]),
        ('DeleteModel(name="Order")', ["drop orders.order"]),
        ('RenameModel("Order", "Sale")', ["rename orders.order orders.sale"]),
        ('CreateModel(name="Order", fields=[("id", A()), ("total", B())])',
         ["create orders.order", "add orders.order.id", "add orders.order.total"]),
        ('AlterUniqueTogether(name="order", unique_together={("a", "b")})', ["unique index orders.order(a,b)"]),
        ('AddConstraint("order", models.UniqueConstraint(fields=["a"], condition=Q(b=1), name="x"))',
         ["unique partial index orders.order(a)"]),
        ('SeparateDatabaseAndState(state_operations=[migrations.RemoveField("order", "total")])', []),
        ('SeparateDatabaseAndState(database_operations=[migrations.RemoveField("order", "total")])',
         ["drop orders.order.total"]),
        ('RunSQL("ALTER TABLE orders DROP COLUMN total")', []),
    ],
)  # fmt: skip
def test_django_operations_are_read(operation: str, operations: list[str]) -> None:
    text = f"class Migration(migrations.Migration):\n    operations = [migrations.{operation}]\n"

    assert short(read_django(DJANGO_PATH, text)) == operations


@pytest.mark.parametrize(
    ("path", "app"),
    [
        ("shop/orders/migrations/0001_initial.py", "orders"),
        ("orders/migrations/0001_initial.py", "orders"),
        ("orders/migrations/old/0001_initial.py", "orders"),
        ("migrations/0001_initial.py", None),
        ("orders/models.py", None),
    ],
)
def test_the_app_is_the_folder_above_the_migrations(path: str, app: str | None) -> None:
    assert app_of(path) == app


@pytest.mark.parametrize(
    ("statement", "operations"),
    [
        ('op.drop_column("users", "name")', ["drop users.name"]),
        ('op.alter_column("users", "a", new_column_name="b")', ["rename users.a b", "add users.b"]),
        ('op.alter_column("users", "a", nullable=True)', []),
        ('op.add_column("users", sa.Column("name", sa.Text()))', ["add users.name"]),
        ('op.drop_table("users")', ["drop users"]),
        ('op.rename_table("users", "people")', ["rename users people"]),
        ('op.create_table("users", sa.Column("id"), sa.UniqueConstraint("a", "b"))',
         ["create users", "add users.id", "unique index users(a,b)"]),
        ('op.create_index("name", "users", ["a"], unique=True)', ["unique index users(a)"]),
        ('op.create_unique_constraint("name", "users", ["a", "b"])', ["unique index users(a,b)"]),
        ('op.execute("ALTER TABLE users DROP COLUMN name")', ["drop users.name"]),
        ('with op.batch_alter_table("users") as batch:\n        batch.drop_column("name")', ["drop users.name"]),
        ("op.drop_column(TABLE, 'name')", []),
    ],
)  # fmt: skip
def test_alembic_operations_are_read(statement: str, operations: list[str]) -> None:
    text = f"def upgrade():\n    {statement}\n\ndef downgrade():\n    op.drop_column('users', 'other')\n"

    assert short(read_alembic(text)) == operations


@pytest.mark.parametrize(
    ("sql", "operations"),
    [
        ("ALTER TABLE users DROP COLUMN a, DROP COLUMN IF EXISTS b;", ["drop users.a", "drop users.b"]),
        ('alter table only "public"."users" drop column "a" cascade', ["drop users.a"]),
        ("ALTER TABLE `users` RENAME COLUMN `a` TO `b`", ["rename users.a b"]),
        ("ALTER TABLE users DROP CONSTRAINT a", []),
        ("-- ALTER TABLE users DROP COLUMN a", []),
        ("ALTER TABLE ONLY users ADD CONSTRAINT k PRIMARY KEY (id);", ["unique index users(id)"]),
        ("CREATE UNIQUE INDEX CONCURRENTLY k ON users USING btree (lower((a)::text), b) WHERE (c IS NULL);",
         ["unique partial index users(a,b)"]),
        ("CREATE INDEX ON users (a)", ["index users(a)"]),
        ("CREATE TABLE users (id bigint PRIMARY KEY, price numeric(8, 2), UNIQUE (id, price), CHECK (price > 0));",
         ["create users", "add users.id", "unique index users(id)", "add users.price", "unique index users(id,price)"]),
    ],
)  # fmt: skip
def test_sql_statements_are_read(sql: str, operations: list[str]) -> None:
    assert short(list(read_sql(sql, 1))) == operations


def test_sql_operations_know_their_line() -> None:
    (operation,) = read_sql("ALTER TABLE users\n  ADD COLUMN b int,\n  DROP COLUMN a;", 10)

    assert operation.span.line == 12


@pytest.mark.parametrize(
    ("expression", "column"),
    [
        ("email", "email"),
        ('"email" DESC', "email"),
        ("lower((email)::text)", "email"),
        ("email varchar_pattern_ops", "email"),
    ],
)
def test_an_index_expression_is_about_a_column(expression: str, column: str) -> None:
    assert column_of(expression) == column


@pytest.mark.parametrize(
    ("path", "text", "framework"),
    [
        ("db/migrate/20260101000000_add.rb", "", Framework.RAILS),
        ("core/db/migrate/20130228210442_create.spree.rb", "", Framework.RAILS),
        ("db/animals_migrate/20260101000000_add.rb", "", Framework.RAILS),
        ("app/models/user.rb", "", None),
        ("shop/orders/migrations/0001_initial.py", "class Migration(migrations.Migration):\n", Framework.DJANGO),
        ("shop/migrations/versions/1a_add.py", "def upgrade():\n", Framework.ALEMBIC),
        ("shop/migrations/helpers.py", "def run():\n", None),
        ("shop/models.py", "class Migration(Base):\n", None),
    ],
)
def test_the_framework_is_known_by_place_and_text(path: str, text: str, framework: Framework | None) -> None:
    assert framework_of(path, text) is framework


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("user", "users"),
        ("category", "categories"),
        ("spree_stock_item", "spree_stock_items"),
        ("address", "addresses"),
        ("tax", "taxes"),
        ("day", "days"),
        ("person", "people"),
        ("status", "statuses"),
        ("purchase", "purchases"),
        ("house", "houses"),
    ],
)
def test_names_are_inflected_both_ways(one: str, many: str) -> None:
    assert plural(one) == many
    assert singular(many) == one


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("StockItem", ("stock", "item")),
        ("Spree::StockItem", ("spree", "stock", "item")),
        ("@@stock_items", ("stock", "items")),
        ("OIDCProvider", ("oidc", "provider")),
        ("current_user", ("current", "user")),
    ],
)
def test_names_fall_into_words(name: str, parts: tuple[str, ...]) -> None:
    assert words(name) == parts


_FRAGMENTS = st.lists(
    st.sampled_from(
        "class A def change end do |t| { } ( ) [ ] :a \"b\" 'c' , => = . add_index remove_column rename_column "
        "create_table t.index t.remove execute <<~SQL SQL ALTER TABLE DROP COLUMN CREATE UNIQUE INDEX ON op. "
        "drop_column upgrade(): migrations.RemoveField( name= operations \n \\ # \x00 é unique: true".split(" ")
    ),
    max_size=40,
).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(_FRAGMENTS)
def test_no_text_makes_a_reader_fail(text: str) -> None:
    for operations in (read_rails(text), read_django(DJANGO_PATH, text), read_alembic(f"def upgrade():\n    {text}")):
        assert all(operation.span.start <= operation.span.end for operation in operations)
    assert all(operation.table for operation in read_sql(text, 1))


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("a(", ")"), ("(", ")"), ("a { ", " }"), ("-", "1")])
def test_deep_nesting_is_bounded(opening: str, closing: str) -> None:
    """A hostile migration must not exhaust the stack."""
    deep = opening * 5_000 + closing * 5_000

    assert short(read_rails(rails("remove_column :users, :name", f"a {deep}"))) == ["drop users.name"]
    assert read_django(DJANGO_PATH, f"operations = {deep}") == ()
    assert read_alembic(f"def upgrade():\n    op.drop_column({deep})\n") == ()
