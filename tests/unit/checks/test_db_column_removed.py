"""What counts as a reader of a removed column, what does not, and how sure a finding is."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pytest

from draftgate.checks.base import Change, Match
from draftgate.checks.rules.db_column_removed import CHECK
from draftgate.domain.finding import Decoration, Finding
from tests.unit.checks.changes import Tree, change_between, findings_of

RAILS = "db/migrate/20260101000000_drop_total.rb"
DJANGO = "shop/orders/migrations/0002_drop_total.py"
ALEMBIC = "shop/migrations/versions/0a1b_drop_total.py"


def rails(statement: str = "remove_column :orders, :total") -> str:
    return f"class DropTotal < ActiveRecord::Migration[7.1]\n  def change\n    {statement}\n  end\nend\n"


def django(operation: str = 'RemoveField(model_name="order", name="total")') -> str:
    return f"class Migration(migrations.Migration):\n    operations = [\n        migrations.{operation},\n    ]\n"


def alembic(statement: str = 'op.drop_column("orders", "total")') -> str:
    return f"def upgrade():\n    {statement}\n"


def rails_findings(files: dict[str, str], model: str = "", statement: str | None = None) -> list[Finding]:
    head = {"app/models/order.rb": f"class Order < ApplicationRecord\n{model}end\n"}
    head[RAILS] = rails(statement) if statement else rails()
    return findings_of(CHECK, {}, head | files)


def django_findings(files: dict[str, str], model: str = "    pass\n") -> list[Finding]:
    head = {"shop/orders/models.py": f"class Order(models.Model):\n{model}", DJANGO: django()}
    return findings_of(CHECK, {}, head | files)


def places(findings: list[Finding]) -> list[str]:
    return [f"{place.path}:{place.line}" for finding in findings for place in finding.related]


@pytest.mark.parametrize(
    "code",
    [
        "Order.where(total: 1)",
        "Order.active.order(:total)",
        "Order.order('total DESC')",
        "Order.where('total > ?', 0)",
        "shop.orders.sum(:total)",
        'Order.find_by_sql("select orders.total from orders")',
        "Order.joins(:lines).where(orders: { total: 1 })",
        "Line.joins(:order).where(orders: { total: 1 })",
        "@order.total",
        "current_order&.total",
        "line.order.total = 3",
        "order[:total] || order.send(:total)",
        "json.extract! order, :id, :total",
    ],
)
def test_ruby_that_reads_the_column_of_the_model_is_named(code: str) -> None:
    findings = rails_findings({"app/services/report.rb": f"def report\n  {code}\nend\n"})

    assert places(findings) == ["app/services/report.rb:2"]
    assert findings[0].confidence == 90
    assert findings[0].decorations == (Decoration.BLOCKING,)


@pytest.mark.parametrize(
    "code",
    [
        "line.total",
        "Line.where(total: 1)",
        "order.lines.sum(:total)",
        "Order.where(kind: :total)",
        "Order.joins(:lines).where(lines: { total: 1 })",
        "Order.select('sum(price) AS total')",
        "order.total(:net)",
        "params.require(:order).permit(:total)",
        "total = 3\n  total + 1",
        "# order.total",
        "order_group.total",
        "t('orders.total_of')",
    ],
)
def test_ruby_that_reads_something_else_is_silent(code: str) -> None:
    other = {"app/models/line.rb": "class Line < ApplicationRecord\n  def total = 1\nend\n"}

    findings = rails_findings({"app/services/report.rb": f"def report\n  {code}\nend\n", **other})

    assert findings == []


@pytest.mark.parametrize(
    ("model", "is_read"),
    [
        ("  validates :total, presence: true\n", True),
        ("  enum :total, [:a]\n", True),
        ("  def net = total - 1\n", True),
        ("  scope :big, -> { where('total > 1') }\n", True),
        ("  attr_accessor :total\n  validates :total, presence: true\n", False),
        ("  has_many :lines, -> { order(:total) }\n", False),
        ("  def net(total) = total - 1\n", False),
        ("  scope :total, -> { all }\n", False),
    ],
    ids=[
        "validation",
        "enum",
        "bare name",
        "scope",
        "accessor",
        "scope of an association",
        "parameter",
        "name of a scope",
    ],
)
def test_the_model_itself_may_read_the_column(model: str, is_read: bool) -> None:  # noqa: FBT001
    assert bool(rails_findings({}, model)) is is_read


def test_a_method_of_that_name_answers_reads_but_no_query() -> None:
    files = {"app/services/report.rb": "def report(order)\n  order.total\n  Order.where(total: 1)\nend\n"}

    findings = rails_findings(files, "  def total = lines.sum(:price)\n")

    assert places(findings) == ["app/services/report.rb:3"]


def test_a_concern_may_take_the_name_over() -> None:
    files = {
        "app/models/concerns/priced.rb": "module Priced\n  def total = 1\nend\n",
        "app/views/orders/show.html.erb": "<%= @order.total %>\n",
    }

    assert rails_findings(files, "  include Priced\n") == []


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("app/views/orders/show.html.erb", "<%= order.total %>\n", 1),
        ("app/views/orders/_form.html.erb", "<%= form_for(@order) do |f| %>\n<%= f.text_field :total %>\n", 2),
        ("app/views/carts/show.html.haml", "%p= @order.total\n", 1),
        ("app/views/api/order.json.jbuilder", "json.sum @order.total\n", 1),
        ("app/views/api/carts/show.rabl", "child :order do\n  attributes :id, :total\nend\n", 2),
    ],
)
def test_templates_that_read_the_column_are_named(path: str, text: str, line: int) -> None:
    assert places(rails_findings({path: text})) == [f"{path}:{line}"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app/views/orders/show.html.erb", "order.total\n<%# order.total %><!-- order.total -->\n"),
        ("app/views/orders/show.html.haml", "%p= t('order.total')\n"),
        ("app/views/orders/_form.html.erb", "<%= f.label :total %>\n"),
        ("spec/models/order_spec.rb", "order.total\n"),
        ("docs/order.rb", "order.total\n"),
        ("app/assets/javascripts/order.js", "order.total\n"),
        ("db/migrate/20200101000000_old.rb", "Order.update_all(total: 1)\n"),
    ],
)
def test_text_tests_documents_and_browser_code_are_silent(path: str, text: str) -> None:
    assert rails_findings({path: text}) == []


@pytest.mark.parametrize(
    "statement",
    [
        "remove_columns :orders, :note, :total",
        "rename_column :orders, :total, :sum",
        "change_table(:orders) { |t| t.remove :total }",
        'execute "ALTER TABLE orders DROP COLUMN total"',
        "%i[note total].each { |name| remove_column :orders, name }",
    ],
)
def test_every_way_to_remove_a_column_counts(statement: str) -> None:
    findings = rails_findings({"app/a.rb": "def a = Order.sum(:total)\n"}, statement=statement)

    assert [(f.anchor.path, f.anchor.line) for f in findings] == [(RAILS, 3)]


@pytest.mark.parametrize(
    "statement",
    [
        "add_column :orders, :total, :integer",
        "remove_column :lines, :total",
        "reversible { |dir| dir.down { remove_column :orders, :total } }",
        "revert { remove_column :orders, :total }",
        "drop_table :orders; remove_column :orders, :total",
    ],
)
def test_what_removes_no_column_of_the_model_is_silent(statement: str) -> None:
    assert rails_findings({"app/a.rb": "def a = Order.sum(:total)\n"}, statement=statement) == []


def test_only_lines_that_the_change_adds_count() -> None:
    files = {RAILS: rails(), "app/a.rb": "def a = Order.sum(:total)\n"}

    assert findings_of(CHECK, files, files | {RAILS: f"# why\n{rails()}"}) == []


def test_a_schema_that_still_has_the_column_wins() -> None:
    schema = 'ActiveRecord::Schema.define do\n  create_table "orders" do |t|\n    t.integer "total"\n  end\nend\n'

    assert rails_findings({"app/a.rb": "def a = Order.sum(:total)\n", "db/schema.rb": schema}) == []


def test_a_rare_name_on_an_unknown_object_is_a_weaker_finding() -> None:
    files = {"app/a.rb": "def a(thing) = thing.gross_total\n"}

    findings = rails_findings(files, statement="remove_column :orders, :gross_total")

    assert [(f.confidence, f.decorations) for f in findings] == [(60, ())]


def test_a_rare_name_that_something_else_has_is_silent() -> None:
    files = {"app/a.rb": "def a(thing) = thing.gross_total\n", "app/b.rb": "def gross_total = 1\n"}

    assert rails_findings(files, statement="remove_column :orders, :gross_total") == []


def test_a_place_inside_something_named_after_the_model_is_less_sure() -> None:
    files = {"app/resources/order_resource.rb": "class OrderResource\n  field :total, as: :number\nend\n"}

    assert [f.confidence for f in rails_findings(files)] == [80]


def test_a_hidden_admin_field_reads_nothing() -> None:
    field = "field :total, visible: ->(_) { false }"

    assert rails_findings({"app/order_resource.rb": f"class OrderResource\n  {field}\nend\n"}) == []


def test_two_models_that_lose_the_same_name_do_not_share_a_place() -> None:
    files = {
        "app/models/line.rb": "class Line < ApplicationRecord\nend\n",
        "app/a.rb": "def a = Order.sum(:total)\n",
        "app/b.rb": "def b(line) = line.total\n",
    }

    findings = rails_findings(files, statement="remove_column :orders, :total; remove_column :lines, :total")

    assert [places([finding]) for finding in findings] == [["app/a.rb:1"], ["app/b.rb:1"]]


@pytest.mark.parametrize(
    "code",
    [
        "Order.objects.filter(total=1)",
        "Order.objects.filter(open=True).order_by('-total')",
        "customer.order_set.values('total')",
        "customer.purchases.create(total=1)",
        "Order(total=1)",
        "Order.objects.update(open=F('total'))",
        "get_object_or_404(Order, total=1)",
        "print(order.total, request.order.total)",
        "getattr(order, 'total')",
    ],
)
def test_python_that_reads_the_column_of_the_model_is_named(code: str) -> None:
    model = "    buyer = models.ForeignKey(Customer, related_name='purchases')\n"

    findings = django_findings({"shop/report.py": f"def report():\n    {code}\n"}, model)

    assert places(findings) == ["shop/report.py:2"]


@pytest.mark.parametrize(
    "code",
    [
        "Line.objects.filter(total=1)",
        "Order.objects.annotate(total=Sum('price'))",
        "order.total()",
        "order.total = 1",
        "{'total': 1}",
        "total(total=1)",
        "order.lines.create(total=1)",
        "row['total']",
    ],
)
def test_python_that_reads_something_else_is_silent(code: str) -> None:
    assert django_findings({"shop/report.py": f"def report():\n    {code}\n"}) == []


@pytest.mark.parametrize(
    ("body", "is_read"),
    [
        ("    class Meta:\n        model = Order\n        fields = ['id', 'total']\n", True),
        ("    total = IntegerField()\n    class Meta:\n        model = models.Order\n", True),
        ("    class Meta:\n        model = Line\n        fields = ['id', 'total']\n", False),
        (
            "    total = SerializerMethodField()\n    class Meta:\n        model = Order\n        fields = ['total']\n",
            False,
        ),
        ("    total = IntegerField(source='sum')\n    class Meta:\n        model = Order\n", False),
        (
            "    class Meta:\n        model = Order\n        fields = ['total']\n    def total(self): ...\n",
            False,
        ),
    ],
    ids=["listed", "declared", "another model", "computed", "another source", "own method"],
)
def test_a_serializer_reads_what_it_does_not_compute(body: str, is_read: bool) -> None:  # noqa: FBT001
    files = {"shop/api.py": f"class OrderSerializer(ModelSerializer):\n{body}"}

    assert bool(django_findings(files)) is is_read


def test_an_admin_page_of_the_model_reads_its_lists() -> None:
    admin = "@admin.register(Order)\nclass Page(admin.ModelAdmin):\n    list_display = ['id', 'total']\n"

    assert places(django_findings({"shop/orders/admin.py": admin})) == ["shop/orders/admin.py:3"]


def test_a_base_class_of_the_model_may_take_the_name_over() -> None:
    files = {
        "shop/orders/models.py": "class Order(Priced):\n    pass\n",
        "shop/priced.py": "class Priced(Base):\n    @property\n    def total(self):\n        return 1\n",
        "templates/order.html": "{{ order.total }}\n",
    }

    assert django_findings(files) == []


@pytest.mark.parametrize(
    ("column", "is_read"),
    [
        ("total = Column(Integer)", True),
        ("total: Mapped[int] = mapped_column(Integer)", True),
        ("total = orm.relationship(Total)", False),
        ("total = column_property(func.sum(1))", False),
    ],
)
def test_a_mapping_of_the_dropped_column_is_a_reader(column: str, is_read: bool) -> None:  # noqa: FBT001
    model = f'class Order(db.Model):\n    __tablename__ = "orders"\n    {column}\n'

    findings = findings_of(CHECK, {}, {ALEMBIC: alembic(), "shop/models.py": model})

    assert places(findings) == (["shop/models.py:3"] if is_read else [])


def test_the_text_names_each_place_and_says_what_to_do() -> None:
    code = "".join(f"a{number} = Order.sum(:total) # `{'x' * 120}`\n" for number in range(14))

    (finding,) = rails_findings({"app/a.rb": code})

    assert finding.subject == "`orders.total` is removed but still read in 14 places"
    assert "- `app/a.rb:1` — `a0 = Order.sum(:total) # 'xxx" in finding.body
    assert "- and 2 more" in finding.body
    assert "Deprecate first, remove later" in finding.body
    assert len(finding.related) == 14


def test_the_text_of_a_rename_names_the_new_column() -> None:
    statement = "rename_column :orders, :total, :sum"

    (finding,) = rails_findings({"app/a.rb": "def a = Order.sum(:total)\n"}, statement=statement)

    assert finding.subject == "`orders.total` is renamed to `sum` but still read in 1 place"
    assert "`sum`" in finding.body


class Unsearchable(Tree):
    """A tree that must not be searched."""

    def read(self, path: str) -> str | None:
        return rails("add_column :orders, :total, :integer")

    def grep(self, words: Collection[str], *, globs: Collection[str] = ()) -> Iterator[Match]:
        raise AssertionError(words)


def test_a_change_without_a_removal_searches_nothing() -> None:
    files = change_between({}, {RAILS: rails("add_column :orders, :total, :integer")}).files

    findings = list(CHECK.run(Change(files, Unsearchable({}), Unsearchable({}))))

    assert findings == []
