"""Let a process of an earlier release delete endpoints, sign-ins and registrations that staff have compared hosts of."""

from django.db import migrations

from apps.vault.migrations._references import FollowDeletion


class Migration(migrations.Migration):
    atomic = False  # rows are checked while the site goes on

    dependencies = [("directory", "0034_finding_what_moved")]

    operations = [
        FollowDeletion("endpoint", "moved_from"),
        FollowDeletion("knownorigins", "endpoint"),
        FollowDeletion("knownorigins", "registration"),
    ]
