"""Whoever wished for a provider may wait to be told that it works. Wishes of before send no mail: nobody was told so."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("directory", "0030_names_of_columns")]

    operations = [
        migrations.AddField("wish", "due_at", models.DateTimeField(null=True)),
        migrations.AddField("wish", "needs_sign_in", models.BooleanField(db_default=False, default=False)),
        migrations.AddField("wish", "waits_since", models.DateTimeField(null=True)),
        AddConstraintNotValid(
            "wish",
            models.CheckConstraint(
                condition=Q(waits_since=None, due_at=None)
                | Q(waits_since__isnull=False, due_at__isnull=False, provider__isnull=False),
                name="who_waits_is_told",
            ),
        ),
    ]
