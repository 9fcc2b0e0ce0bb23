"""A migration removes or renames a column that the code at head still reads.

Reports each column that an added line of a Rails, Django or Alembic migration drops or renames while a
serializer, API list, template, query, admin page or the model itself still reads it at head, and names every
such place. It matters because nothing fails until that line runs: then the page, the endpoint or the job
answers with an error, and between the migration and the new code every running process does. Deprecate
first, remove later: stop reading the column in one release, drop it in the next.

Deliberately ignored: mentions in tests, migrations, documentation and browser code; a column that comes
back in the same change or that the model ignores already (``ignored_columns``); a method, property,
association or attachment of the model that took the name over; constants kept in a payload; a table that
goes as a whole; names computed at run time. Whether the removal is safe while the old code still runs is
another question. SQL files that no framework reads and other frameworks are not covered.

Confidence is 90 where a place is tied to the model itself (its class, an instance by its name, a query on it,
a serializer of it), 80 where it stands in something named after the model, and 60, not blocking, where an
unknown object is asked for a name that nothing else at head has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from draftgate.checks.base import Change, Check, Example, Match, Snapshot
from draftgate.checks.bounds import Effort, within_bounds
from draftgate.checks.database.column_mentions import Mention, find_associations, find_mentions, lines_with
from draftgate.checks.database.column_tie import Replacement, Sought, Tie
from draftgate.checks.database.operations import DropColumn
from draftgate.checks.database.owners import Owner, owner_of
from draftgate.checks.database.removals import Removal, find_removals
from draftgate.checks.database.replacements import replacement_of
from draftgate.checks.lines import lines_of
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind, Category, Decoration, Evidence, Finding, Label, Place
from draftgate.domain.paths import printable

_ID = "db.column-removed"
_CONFIDENCE = {Tie.MODEL: 90, Tie.INSTANCE: 90, Tie.NAMED: 80, Tie.LOOSE: 60}
_MAX_EVIDENCE_LINES = 7
_MAX_LISTED = 12
_MAX_RELATED = 200
MAX_COLUMNS = 500
MAX_CHARACTERS = 50_000_000
"""Read in search of the columns, each file once for each."""
_SHOWN_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class _Reading:
    """A removal and the places that still read its column."""

    removal: Removal
    owner: Owner
    mentions: tuple[Mention, ...]


def run(change: Change) -> Iterator[Finding]:
    """Yields one finding per removed column that is still read, in the order of the diff."""
    change = within_bounds(change, _ID)
    removals = find_removals(change)
    if len(removals) > MAX_COLUMNS:
        change.limited(f"{_ID}: only the first {MAX_COLUMNS} of {len(removals):,} removed columns were looked for")
        removals = removals[:MAX_COLUMNS]
    readings = _find_readings(removals, change)
    firm = {(r.removal.drop.column, m.path, m.line) for r in readings for m in r.mentions if m.tie is not Tie.LOOSE}
    for reading in readings:
        column = reading.removal.drop.column
        # What is firmly another model's place is not loosely this one's.
        mentions = tuple(m for m in reading.mentions if m.tie is not Tie.LOOSE or (column, m.path, m.line) not in firm)
        if mentions:
            yield _finding(reading.removal, reading.owner, mentions)


def _find_readings(removals: Sequence[Removal], change: Change) -> list[_Reading]:
    lines = lines_with((removal.drop.column for removal in removals), change.head)
    owners: dict[tuple[str, str], Owner] = {}
    characters = Effort(MAX_CHARACTERS)
    readings: list[_Reading] = []
    for removal in removals:
        drop, migration = removal.drop, removal.migration
        found = lines.get(drop.column, ())
        if not found and not drop.column.endswith("_id"):
            continue
        if not characters.spend(sum(len(match.text) for match in found)):
            break
        key = drop.table, migration.path.rpartition("/")[0]
        if key not in owners:
            owners[key] = owner_of(migration.framework, drop.table, migration.path, change.head)
        readings += _readings(removal, owners[key], found, change.head, characters)
    if characters.is_spent:
        change.limited(f"{_ID}: not every place of the removed columns was judged, only {MAX_CHARACTERS:,} characters")
    return readings


def _readings(
    removal: Removal, owner: Owner, lines: Sequence[Match], head: Snapshot, characters: Effort
) -> Iterator[_Reading]:
    column = removal.drop.column
    mentions = _mentions(Sought(column, owner), lines, head, characters)
    if not mentions:
        return
    # Dearer than the search for mentions, and needed only to doubt them.
    kept = replacement_of(column, owner, removal.migration.framework, lines, head)
    if kept is not Replacement.ALL:
        mentions = _mentions(Sought(column, owner, kept), lines, head, characters) if kept else mentions
        yield _Reading(removal, owner, mentions)


def _mentions(sought: Sought, lines: Sequence[Match], head: Snapshot, characters: Effort) -> tuple[Mention, ...]:
    mentions = (*find_mentions(sought, lines, head, characters), *find_associations(sought, head))
    found = {(m.path, m.line): m for m in mentions}
    return tuple(found[place] for place in sorted(found))


def _finding(removal: Removal, owner: Owner, mentions: tuple[Mention, ...]) -> Finding:
    drop, migration = removal.drop, removal.migration
    tie = max(mention.tie for mention in mentions)
    span = drop.span
    last = min(span.end, span.start + _MAX_EVIDENCE_LINES - 1)
    start = span.start if span.line <= last else span.line
    evidence = lines_of(migration.text)[start - 1 : max(last, span.line)]
    return Finding(
        check=_ID,
        sources=("builtin",),
        label=Label.ISSUE,
        decorations=() if tie is Tie.LOOSE else (Decoration.BLOCKING,),
        confidence=_CONFIDENCE[tie],
        category=Category.DATABASE,
        subject=_subject(drop, owner, mentions),
        body=_body(drop, mentions),
        anchor=Anchor(AnchorKind.LINE, migration.path, Side.RIGHT, line=span.line),
        evidence=Evidence(migration.path, start, evidence),
        related=tuple(Place(mention.path, mention.line) for mention in mentions[:_MAX_RELATED]),
        about=f"{owner.table}.{drop.column}",
    )


def _subject(drop: DropColumn, owner: Owner, mentions: tuple[Mention, ...]) -> str:
    places = "1 place" if len(mentions) == 1 else f"{len(mentions)} places"
    what = f"renamed to `{drop.renamed_to}`" if drop.renamed_to else "removed"
    return f"`{owner.table}.{drop.column}` is {what} but still read in {places}"


def _body(drop: DropColumn, mentions: tuple[Mention, ...]) -> str:
    listed = [f"- `{printable(m.path)}:{m.line}` — `{_shown(m.text)}`" for m in mentions[:_MAX_LISTED]]
    if len(mentions) > _MAX_LISTED:
        listed.append(f"- and {len(mentions) - _MAX_LISTED} more")
    advice = (
        f"Change these to `{drop.renamed_to}` in the same release, or keep the old name readable until they are."
        if drop.renamed_to
        else "Deprecate first, remove later: stop reading the column, release that, then drop it."
    )
    return "After this migration these lines ask for a column that is gone:\n\n" + "\n".join(listed) + f"\n\n{advice}"


def _shown(text: str) -> str:
    """A line of code fit for inline code: one line, no backticks, bounded."""
    flat = " ".join(text.replace("`", "'").split())
    return flat if len(flat) <= _SHOWN_CHARACTERS else flat[: _SHOWN_CHARACTERS - 1] + "…"


_STORY_RENAME = """\
class ScoreNotUpvotes < ActiveRecord::Migration[7.1]
  def change
    rename_column :stories, :upvotes, :score
  end
end
"""
_REMOVE_PRICE = """\
class RemovePriceFromBooks < ActiveRecord::Migration[7.1]
  def up
    remove_column :books, :price, :integer
  end

  def down
    add_column :books, :price, :integer
  end
end
"""
_REMOVE_HIDDEN = """\
from django.db import migrations


class Migration(migrations.Migration):
    operations = [
        migrations.RemoveField(
            model_name="category",
            name="is_hidden",
        ),
    ]
"""
_DROP_PHONE = """\
from alembic import op


def upgrade():
    op.drop_column("users", "phone_number")


def downgrade():
    op.add_column("users", sa.Column("phone_number", sa.Text()))
"""
_CATEGORY = """\
class Category(models.Model):
    name = models.CharField(max_length=80)
"""
_USER = """\
class User(db.Model):
    __tablename__ = "users"
    name = Column(Text)
"""

_POSITIVE = (
    Example(
        name="a query and a template still use the old name of a renamed column",
        base={"app/models/story.rb": "class Story < ApplicationRecord\nend\n"},
        head={
            "app/models/story.rb": "class Story < ApplicationRecord\nend\n",
            "db/migrate/20260101000000_score_not_upvotes.rb": _STORY_RENAME,
            "config/sitemap.rb": "top = Story.all.maximum('upvotes')\n",
            "app/views/stories/_story.html.erb": "<b><%= story.upvotes %></b>\n",
        },
        findings=("db/migrate/20260101000000_score_not_upvotes.rb:3",),
        related=("app/views/stories/_story.html.erb:1", "config/sitemap.rb:1"),
    ),
    Example(
        name="a serializer and an attribute list for the model still name a removed column",
        base={},
        head={
            "app/models/book.rb": "class Book < ApplicationRecord\nend\n",
            "app/serializers/book_serializer.rb": (
                "class BookSerializer < ActiveModel::Serializer\n  attributes :id, :price\nend\n"
            ),
            "app/helpers/api_helper.rb": "module ApiHelper\n  def book_attributes\n    [:id, :price]\n  end\nend\n",
            "db/migrate/20260101000000_remove_price_from_books.rb": _REMOVE_PRICE,
        },
        findings=("db/migrate/20260101000000_remove_price_from_books.rb:3",),
        related=("app/helpers/api_helper.rb:3", "app/serializers/book_serializer.rb:2"),
    ),
    Example(
        name="the model still belongs to what the removed reference pointed to",
        base={},
        head={
            "app/models/book.rb": "class Book < ApplicationRecord\n  belongs_to :author\nend\n",
            "db/migrate/20260101000000_remove_author.rb": (
                "class RemoveAuthor < ActiveRecord::Migration[7.1]\n"
                "  def change\n    remove_reference :books, :author\n  end\nend\n"
            ),
        },
        findings=("db/migrate/20260101000000_remove_author.rb:3",),
        related=("app/models/book.rb:2",),
    ),
    Example(
        name="a Django serializer, a query and a template still read a removed field",
        base={},
        head={
            "shop/catalog/models.py": _CATEGORY,
            "shop/catalog/migrations/0002_remove_hidden.py": _REMOVE_HIDDEN,
            "shop/catalog/serializers.py": (
                "class CategorySerializer(ModelSerializer):\n"
                "    class Meta:\n        model = Category\n        fields = ['id', 'is_hidden']\n"
            ),
            "shop/catalog/views.py": "shown = Category.objects.filter(is_hidden=False)\n",
            "templates/category/detail.html": "{% if category.is_hidden %}hidden{% endif %}\n",
        },
        findings=("shop/catalog/migrations/0002_remove_hidden.py:8",),
        related=("shop/catalog/serializers.py:4", "shop/catalog/views.py:1", "templates/category/detail.html:1"),
    ),
    Example(
        name="a Jinja template still reads a column that Alembic drops",
        base={},
        head={
            "shop/models.py": _USER,
            "shop/migrations/versions/0a1b_drop_phone.py": _DROP_PHONE,
            "shop/templates/account.html": "{{ request.user.phone_number }}\n",
        },
        findings=("shop/migrations/versions/0a1b_drop_phone.py:5",),
        related=("shop/templates/account.html:1",),
    ),
)
_NEGATIVE = (
    Example(
        name="every reader uses the new name",
        base={},
        head={
            "app/models/story.rb": "class Story < ApplicationRecord\nend\n",
            "db/migrate/20260101000000_score_not_upvotes.rb": _STORY_RENAME,
            "config/sitemap.rb": "top = Story.all.maximum('score')\n",
        },
    ),
    Example(
        name="a method of the model took the name over",
        base={},
        head={
            "app/models/book.rb": "class Book < ApplicationRecord\n  def price = offers.minimum(:amount)\nend\n",
            "app/views/books/show.html.erb": "<%= @book.price %>\n",
            "db/migrate/20260101000000_remove_price_from_books.rb": _REMOVE_PRICE,
        },
    ),
    Example(
        name="another model has a column of that name",
        base={},
        head={
            "app/models/book.rb": "class Book < ApplicationRecord\n  has_many :offers\nend\n",
            "app/models/offer.rb": "class Offer < ApplicationRecord\n  validates :price, presence: true\nend\n",
            "app/views/books/show.html.erb": "<%= @book.offers.first.price %> <%= offer.price %>\n",
            "db/migrate/20260101000000_remove_price_from_books.rb": _REMOVE_PRICE,
        },
    ),
    Example(
        name="the model ignores the column already",
        base={},
        head={
            "app/models/book.rb": (
                "class Book < ApplicationRecord\n  self.ignored_columns += [:price]\n"
                "  has_one :offer\n  delegate :price, to: :offer\nend\n"
            ),
            "app/views/books/show.html.erb": "<%= @book.price %>\n",
            "db/migrate/20260101000000_remove_price_from_books.rb": _REMOVE_PRICE,
        },
    ),
    Example(
        name="only a test and the changelog name the column",
        base={},
        head={
            "app/models/book.rb": "class Book < ApplicationRecord\nend\n",
            "spec/models/book_spec.rb": "expect(book.price).to be_nil\n",
            "CHANGELOG.md": "`book.price` is gone\n",
            "db/migrate/20260101000000_remove_price_from_books.rb": _REMOVE_PRICE,
        },
    ),
    Example(
        name="the column comes back in the same change",
        base={},
        head={
            "app/views/books/show.html.erb": "<%= @book.price %>\n",
            "db/migrate/20260101000000_remove_price_from_books.rb": _REMOVE_PRICE,
            "db/migrate/20260101000001_add_price_to_books.rb": (
                "class AddPrice < ActiveRecord::Migration[7.1]\n"
                "  def change\n    add_column :books, :price, :decimal\n  end\nend\n"
            ),
        },
    ),
    Example(
        name="a property of the Django model took the name over",
        base={},
        head={
            "shop/catalog/models.py": f"{_CATEGORY}    @property\n    def is_hidden(self):\n        return False\n",
            "shop/catalog/migrations/0002_remove_hidden.py": _REMOVE_HIDDEN,
            "templates/category/detail.html": "{% if category.is_hidden %}hidden{% endif %}\n",
        },
    ),
    Example(
        name="the payload keeps the key as a constant",
        base={},
        head={
            "shop/models.py": _USER,
            "shop/migrations/versions/0a1b_drop_phone.py": _DROP_PHONE,
            "shop/api.py": 'def show(user):\n    return {"name": user.name, "phone_number": None}\n',
        },
    ),
)

CHECK = Check(
    id=_ID,
    summary="A migration removes or renames a column that the code still reads",
    label=Label.ISSUE,
    decorations=(Decoration.BLOCKING,),
    confidence=90,
    category=Category.DATABASE,
    covers=("**/*migrate*/**/*.rb", "**/migrations/**/*.py", "**/alembic/**/*.py", "**/versions/**/*.py"),
    run=run,
    examples=(*_POSITIVE, *_NEGATIVE),
)
