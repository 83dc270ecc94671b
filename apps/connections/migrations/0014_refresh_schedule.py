"""How fast each registration may be asked. The indexes of what is due are built in 0023, beside everybody else."""

import django.db.models.deletion
from django.db import migrations, models

# A token set is written twice for each refresh. What is dead of it is cleared away before the indexes are mostly that,
# however many rows there are: the usual fifth of a million rows would be days of it.
_STORE = """
ALTER TABLE connections_storedtokenset SET (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05
)
"""
_STORE_AS_USUAL = """
ALTER TABLE connections_storedtokenset RESET (
    autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor
)
"""


class Migration(migrations.Migration):
    dependencies = [("connections", "0013_links_that_hold")]

    operations = [
        migrations.CreateModel(
            name="RefreshPace",
            fields=[
                (
                    "registration",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="refresh_pace",
                        serialize=False,
                        to="directory.clientregistration",
                    ),
                ),
                ("next_at", models.DateTimeField()),
                ("slowed_per_second", models.FloatField(null=True)),
                ("slowed_at", models.DateTimeField(null=True)),
                ("silences", models.PositiveIntegerField(db_default=0, default=0)),
            ],
            options={"verbose_name": "refresh pace", "verbose_name_plural": "refresh paces"},
        ),
        migrations.RunSQL(_STORE, _STORE_AS_USUAL),
    ]
