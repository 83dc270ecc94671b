"""Know since when an endpoint's records answer nobody. A table of its own, so that no other is touched."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("connections", "0027_silent_since"), ("directory", "0024_parallel_requests")]

    operations = [
        migrations.CreateModel(
            name="EndpointSilence",
            fields=[
                (
                    "endpoint",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="silence",
                        serialize=False,
                        to="directory.endpoint",
                    ),
                ),
                ("began_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                ("turns", models.PositiveIntegerField(db_default=1, default=1)),
            ],
            options={
                "verbose_name": "silence of an endpoint",
                "verbose_name_plural": "silences of endpoints",
            },
        ),
    ]
