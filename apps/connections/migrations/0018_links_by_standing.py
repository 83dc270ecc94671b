"""Let operators count links by how they stand without reading one of them."""

import django.db.models.deletion
from django.db import migrations, models

from apps.vault.migrations._indexes import AddIndexBeside


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("connections", "0017_refused_after_a_restore")]

    operations = [
        AddIndexBeside(
            model_name="connection",
            index=models.Index(fields=["registration", "status", "reason"], name="links_by_standing"),
        ),
        # Only the index of the column goes. Altering the field would take the foreign key away and check every row again.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="connection",
                    name="registration",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="connections",
                        to="directory.clientregistration",
                    ),
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    "DROP INDEX CONCURRENTLY IF EXISTS connections_connection_registration_id_82525c7a",
                    "CREATE INDEX CONCURRENTLY connections_connection_registration_id_82525c7a"
                    " ON connections_connection (registration_id)",
                )
            ],
        ),
    ]
