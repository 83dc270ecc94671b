"""Let a process of an earlier release close the account of somebody who was told of a breach."""

from django.db import migrations

from apps.vault.migrations._references import FollowDeletion


class Migration(migrations.Migration):
    atomic = False  # rows are checked while the site goes on

    dependencies = [("accounts", "0010_breachnotice_breach_name")]

    operations = [FollowDeletion("breachnotice", "breach"), FollowDeletion("breachnotice", "user")]
