"""A small repository with a flawed change on a branch, for tests of whole flows.

The change has one blocker (a column goes that is still read) and two issues (two functions change and each
leaves a caller behind), in three files, so that sets, severities and fixes can be told apart.
"""

from __future__ import annotations

from pathlib import Path

from tests.git_builder import Repo

BRANCH = "invitations"
TITLE = "Invite people to teams"

COLUMN, WELCOME, REMINDER = 1, 2, 3
"""The numbers of the three findings in the first round."""

BASE = {
    "rooms/models.py": """\
from django.db import models


class Team(models.Model):
    name = models.CharField(max_length=80)
    plan = models.CharField(max_length=20, default="free")
""",
    "rooms/plans.py": """\
from rooms.models import Team


def paying():
    return Team.objects.exclude(plan="free")
""",
    "rooms/mail.py": """\
def send_welcome(team, address):
    return {"to": address, "team": team}


def send_reminder(team, address):
    return {"to": address, "about": team}
""",
    "rooms/jobs.py": """\
from rooms.mail import send_reminder, send_welcome


def welcome_everyone(team, addresses):
    return [send_welcome(team, address) for address in addresses]


def remind_everyone(team, addresses):
    return [send_reminder(team, address) for address in addresses]
""",
    "rooms/migrations/0001_initial.py": """\
from django.db import migrations, models


class Migration(migrations.Migration):
    operations = [
        migrations.CreateModel(
            name="Team",
            fields=[
                ("id", models.AutoField(primary_key=True)),
                ("name", models.CharField(max_length=80)),
                ("plan", models.CharField(default="free", max_length=20)),
            ],
        ),
    ]
""",
}

CHANGE = {
    "rooms/models.py": """\
from django.db import models


class Team(models.Model):
    name = models.CharField(max_length=80)
""",
    "rooms/mail.py": """\
def send_welcome(team, address, role):
    return {"to": address, "team": team, "role": role}


def send_reminder(team, address, days):
    return {"to": address, "about": team, "days": days}
""",
    "rooms/migrations/0002_remove_plan.py": """\
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("rooms", "0001_initial")]

    operations = [
        migrations.RemoveField(model_name="team", name="plan"),
    ]
""",
}

WELCOME_FIXED = {
    "rooms/jobs.py": BASE["rooms/jobs.py"].replace(
        "send_welcome(team, address)", 'send_welcome(team, address, "guest")'
    ),
}
"""What a next commit changes so that the finding `WELCOME` is gone; the others move down no line."""

FIXED = {
    "rooms/jobs.py": BASE["rooms/jobs.py"]
    .replace("send_welcome(team, address)", 'send_welcome(team, address, "guest")')
    .replace("send_reminder(team, address)", "send_reminder(team, address, 2)"),
    "rooms/plans.py": None,
}
"""What a next commit changes so that no finding is left."""


def make_flawed_repository(path: Path) -> Repo:
    """A repository whose branch `BRANCH` is checked out, one commit ahead of ``main``."""
    repo = Repo.create(path)
    repo.commit(BASE, "Book rooms in teams")
    repo.branch(BRANCH)
    repo.commit(CHANGE, TITLE)
    return repo


def commit_welcome_fixed(repo: Repo) -> str:
    """A new head on which `WELCOME` is gone; unlike `Repo.commit` it leaves ignored files out. Returns its id."""
    repo.write(WELCOME_FIXED)
    repo.git("commit", "--quiet", "--no-verify", "-m", "Welcome people as guests", "--", *WELCOME_FIXED)
    repo.commits += 1
    return repo.head
