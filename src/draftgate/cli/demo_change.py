"""The small flawed change that ``draftgate demo`` reviews: two versions of a little Django project.

The change adds invitations to teams. It removes a column that the API still reads, validates a rule that
the database does not keep, and changes a function while one of its callers stays behind.
"""

from __future__ import annotations

BASE = {
    "README.md": "# Rooms\n\nTeams book rooms together.\n",
    "rooms/__init__.py": "",
    "rooms/models.py": """\
from django.db import models


class Team(models.Model):
    name = models.CharField(max_length=80)
    plan = models.CharField(max_length=20, default="free")
    seats = models.IntegerField(default=5)
""",
    "rooms/serializers.py": """\
from rest_framework import serializers

from rooms.models import Team


class TeamSerializer(serializers.ModelSerializer):
    class Meta:
        model = Team
        fields = ["id", "name", "plan", "seats"]
""",
    "rooms/mail.py": """\
def send_welcome(team, address):
    \"\"\"Tell someone that the team is waiting for them.\"\"\"
    return {"to": address, "subject": f"Welcome to {team.name}"}
""",
    "rooms/jobs.py": """\
from rooms.mail import send_welcome


def welcome_everyone(team, addresses):
    return [send_welcome(team, address) for address in addresses]
""",
    "rooms/views.py": """\
from rooms.mail import send_welcome


def join(request, team):
    return send_welcome(team, request.POST["address"])
""",
    "rooms/migrations/__init__.py": "",
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
                ("seats", models.IntegerField(default=5)),
            ],
        ),
    ]
""",
}

HEAD = {
    **BASE,
    "rooms/models.py": """\
from django.db import models


class Team(models.Model):
    name = models.CharField(max_length=80)
    seats = models.IntegerField(default=5)


class Invitation(models.Model):
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    address = models.EmailField()
    role = models.CharField(max_length=20)
""",
    "rooms/serializers.py": """\
from rest_framework import serializers
from rest_framework.validators import UniqueTogetherValidator

from rooms.models import Invitation, Team


class TeamSerializer(serializers.ModelSerializer):
    class Meta:
        model = Team
        fields = ["id", "name", "plan", "seats"]


class InvitationSerializer(serializers.ModelSerializer):
    class Meta:
        model = Invitation
        fields = ["team", "address", "role"]
        validators = [
            UniqueTogetherValidator(queryset=Invitation.objects.all(), fields=["team", "address"]),
        ]
""",
    "rooms/mail.py": """\
def send_welcome(team, address, role):
    \"\"\"Tell someone that the team is waiting for them, and as what.\"\"\"
    return {"to": address, "subject": f"Welcome to {team.name}", "role": role}
""",
    "rooms/views.py": """\
from rooms.mail import send_welcome


def join(request, team):
    return send_welcome(team, request.POST["address"], request.POST["role"])
""",
    "rooms/migrations/0002_invitations.py": """\
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rooms", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.AutoField(primary_key=True)),
                ("team", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="rooms.team")),
                ("address", models.EmailField(max_length=254)),
                ("role", models.CharField(max_length=20)),
            ],
        ),
        migrations.RemoveField(model_name="team", name="plan"),
    ]
""",
}
