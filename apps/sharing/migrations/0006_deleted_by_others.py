"""Let a process of an earlier release close an account whose owner shared something, or whose visitors opened files."""

from django.db import migrations

from apps.vault.migrations._references import FollowDeletion


class Migration(migrations.Migration):
    atomic = False  # rows are checked while the site goes on

    dependencies = [("sharing", "0005_files")]

    operations = [
        FollowDeletion("share", "user"),
        FollowDeletion("opening", "share"),
        FollowDeletion("fileopening", "opening"),
    ]
