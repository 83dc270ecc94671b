"""Find at once the links whose answer got lost a moment ago."""

from django.db import migrations, models

from apps.vault.migrations._indexes import AddIndexBeside


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("connections", "0018_links_by_standing")]

    operations = [
        AddIndexBeside(
            model_name="storedtokenset",
            index=models.Index(
                fields=["registration", "attempt_started_at"],
                condition=models.Q(attempt_started_at__isnull=False),
                name="refreshes_unanswered",
            ),
        ),
    ]
