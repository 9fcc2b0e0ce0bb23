"""What a person rejected is that finding and no other."""

from __future__ import annotations

from pathlib import Path

from tests.git_builder import Repo
from tests.program import draftgate

MIGRATION = """\
class {name} < ActiveRecord::Migration[7.0]
  def change
    {body}
  end
end
"""

SCHEMA = """\
ActiveRecord::Schema[7.0].define(version: 2020_01_01_000000) do
  create_table "teams" do |t|
    t.string "plan"
    t.integer "seats"
  end
end
"""


def test_rejecting_one_column_silences_no_other_of_the_same_line(tmp_path: Path) -> None:
    """Both findings quote the same line; one is rejected and its readers go, the other must not be taken for it."""
    repo = Repo.create(tmp_path)
    create = "create_table(:teams) { |t| t.string :plan; t.integer :seats }"
    repo.commit(
        {
            "db/migrate/20200101000000_a.rb": MIGRATION.format(name="A", body=create),
            "db/schema.rb": SCHEMA,
            "app/models/team.rb": "class Team < ApplicationRecord\nend\n",
            "app/models/b.rb": "class B\n  def x\n    Team.where(plan: 1)\n  end\nend\n",
            "app/models/c.rb": "class C\n  def x\n    Team.where(seats: 1)\n  end\nend\n",
        }
    )
    repo.branch("work")
    removal = MIGRATION.format(name="B", body="remove_columns :teams, :plan, :seats")
    repo.commit({"db/migrate/20210101000000_b.rb": removal})
    first = draftgate("review", "--format", "json", cwd=tmp_path, expect=0).document
    assert ["teams.plan" in each["subject"] for each in first["findings"]] == [True, False]
    draftgate("do", "/drop-finding 1 we know", cwd=tmp_path, expect=0)
    draftgate("approve", "none", cwd=tmp_path, expect=0)
    draftgate("finalize", "--head", "nobody", cwd=tmp_path, expect=0)
    repo.write({"app/models/b.rb": "class B\nend\n"})
    repo.git("commit", "--quiet", "--all", "-m", "plan is not read any more")

    second = draftgate("review", "--format", "json", cwd=tmp_path, expect=0).document

    # (what was left out stays away: give `approve 2` instead of `none` to see it as previously raised)
    assert [entry["reason"] for entry in second["dropped"]] == ["left-out before"]
