"""The registration desk finds the hosts that wait for a look without reading every endpoint."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0020_strangers_of_before"),
    ]

    operations = [
        migrations.AddIndex(
            "endpoint",
            models.Index(
                condition=Q(is_stranger=True, vanished_at=None),
                fields=["switched_off_at", "fhir_base_url"],
                name="hosts_to_look_at",
            ),
        ),
    ]
