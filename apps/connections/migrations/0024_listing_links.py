"""Operators list links by how they stand, a page at a time, without sorting all that stand so."""

from django.db import migrations, models
from django.db.models import Q

from apps.vault.migrations._indexes import AddIndexBeside


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("connections", "0023_indexes_of_links")]

    operations = [
        AddIndexBeside(model_name="connection", index=models.Index(fields=["status", "id"], name="links_in_order")),
        AddIndexBeside(
            model_name="connection",
            index=models.Index(condition=~Q(reason=""), fields=["reason", "id"], name="reasons_in_order"),
        ),
    ]
