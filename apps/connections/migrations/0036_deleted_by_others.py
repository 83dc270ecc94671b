"""Let a process of an earlier release delete an endpoint that did not answer."""

from django.db import migrations

from apps.vault.migrations._references import FollowDeletion


class Migration(migrations.Migration):
    atomic = False  # rows are checked while the site goes on

    dependencies = [("connections", "0035_address_dropped")]

    operations = [FollowDeletion("endpointsilence", "endpoint")]
