"""Which way of building made a shelf: all that stand already are of before there were forms, and are built anew.

The index is built beside everybody else; where that was cut short, drop it and migrate again.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("records", "0014_deaths_of_workers")]

    operations = [
        migrations.AddField("shelf", "form", models.SmallIntegerField(db_default=0, default=0)),
        migrations.AddField("shelf", "tried_at", models.DateTimeField(null=True)),
        AddIndexConcurrently("shelf", models.Index(fields=["form", "tried_at"], name="shelves_by_form")),
    ]
