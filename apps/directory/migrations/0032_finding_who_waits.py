"""Find the few wishes that somebody waits for among all others."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations, models
from django.db.models import Q

from apps.vault.migrations._indexes import AddIndexBeside


class Migration(migrations.Migration):
    atomic = False  # the index is built while the site goes on

    dependencies = [("directory", "0031_waiting_wishes")]

    operations = [
        ValidateConstraint("wish", "who_waits_is_told"),
        AddIndexBeside(
            model_name="wish",
            index=models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="wishes_due"),
        ),
    ]
