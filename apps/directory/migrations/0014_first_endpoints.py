"""The registration desk finds the first endpoints of a registration by an index, however many there are; and whether any
was not discovered, or refuses us."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0013_strangers"),
    ]

    operations = [
        migrations.AddIndex(
            "endpoint",
            models.Index(fields=["authorization_server", "fhir_version", "fhir_base_url"], name="endpoints_in_order"),
        ),
        migrations.AlterField(
            "endpoint",
            "authorization_server",
            models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="endpoints",
                to="directory.authorizationserver",
            ),
        ),
        migrations.AddIndex(
            "endpoint",
            models.Index(
                condition=Q(vanished_at=None) & ~Q(discovery_fault=""),
                fields=["authorization_server"],
                name="endpoints_not_discovered",
            ),
        ),
        migrations.AddIndex(
            "enablement",
            models.Index(condition=Q(is_enabled=False), fields=["registration", "since_at"], name="refusals"),
        ),
    ]
