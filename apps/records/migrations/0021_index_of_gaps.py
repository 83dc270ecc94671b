"""What is missing in the runs of the last hour, found without reading the steps of all runs there are."""

from django.db import migrations, models

from apps.vault.migrations._indexes import AddIndexBeside


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("records", "0020_stated_versions")]

    operations = [
        AddIndexBeside(
            "syncstep",
            models.Index(
                fields=["run"],
                include=["gap"],
                condition=models.Q(status="gap") & ~models.Q(gap__in=["not_offered", "not_shared"]),
                name="sync_steps_with_gaps",
            ),
        ),
    ]
