"""Indexes and a foreign key that others make superfluous go: an import fills each of them fifty thousand times.

- two that Django adds for `LIKE`: the vocabulary is in collation C, whose own index serves it, and beginnings of FHIR
  base URLs are asked of `endpoint_alike` (0018);
- of providers' portals the one by provider, with which the constraint begins, and a second constraint over the same
  pair, left from the table that joined the two by itself;
- the foreign key from an endpoint to its authorization server alone: that over both columns (0001) says the same and
  more.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0016_rotation_seen"),
    ]

    operations = [
        migrations.RunSQL(
            [
                "DROP INDEX IF EXISTS directory_searchword_word_f011ac44_like",
                "DROP INDEX IF EXISTS directory_endpoint_fhir_base_url_8952bfc1_like",
                "ALTER TABLE directory_providerportal"
                " DROP CONSTRAINT IF EXISTS directory_endpoint_provi_endpoint_id_provider_id_593f28c1_uniq",
            ],
            migrations.RunSQL.noop,
        ),
        migrations.AlterField(
            "providerportal",
            "provider",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="portals",
                to="directory.provider",
                verbose_name="provider",
            ),
        ),
        migrations.AlterField(
            "endpoint",
            "authorization_server",
            models.ForeignKey(
                blank=True,
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="endpoints",
                to="directory.authorizationserver",
            ),
        ),
    ]
