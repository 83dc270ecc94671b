"""Which way of building made a shelf: all that stand already are of before there were forms, and are built anew.

It may be killed at any line and run again: what is there already is left.
"""

from django.db import migrations, models

from apps.vault.migrations._indexes import AddIndexBeside

ADD = """
ALTER TABLE records_shelf
    ADD COLUMN IF NOT EXISTS form smallint DEFAULT 0 NOT NULL, ADD COLUMN IF NOT EXISTS tried_at timestamptz NULL
"""
REMOVE = "ALTER TABLE records_shelf DROP COLUMN IF EXISTS form, DROP COLUMN IF EXISTS tried_at"


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("records", "0014_deaths_of_workers")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(ADD, REMOVE)],
            state_operations=[
                migrations.AddField("shelf", "form", models.SmallIntegerField(db_default=0, default=0)),
                migrations.AddField("shelf", "tried_at", models.DateTimeField(null=True)),
            ],
        ),
        AddIndexBeside("shelf", models.Index(fields=["form", "tried_at"], name="shelves_by_form")),
    ]
