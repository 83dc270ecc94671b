"""Warnings before a permission lapses: which were sent, and for which ends none are planned yet.

The indexes of connections that this needs are built in 0023, beside everybody else.
"""

import datetime

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

_NEVER = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


class Migration(migrations.Migration):
    dependencies = [
        ("connections", "0014_refresh_schedule"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="connection",
            name="warnings_planned_for",
            field=models.DateTimeField(db_default=_NEVER, default=_NEVER, editable=False),
        ),
        migrations.AddField(
            model_name="connection", name="is_muted", field=models.BooleanField(db_default=False, default=False)
        ),
        migrations.AddField(
            model_name="connection",
            name="more_url",
            field=models.URLField(blank=True, db_default="", default="", max_length=1000),
        ),
        migrations.CreateModel(
            name="LapseWarning",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ends_at", models.DateTimeField()),
                ("hours_before", models.PositiveSmallIntegerField()),
                ("due_at", models.DateTimeField()),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("sent_at", models.DateTimeField(null=True)),
                (
                    "connection",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="lapse_warnings",
                        to="connections.connection",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "lapse warning",
                "verbose_name_plural": "lapse warnings",
                "indexes": [
                    models.Index(
                        condition=models.Q(("sent_at__isnull", True)), fields=["due_at"], name="warnings_to_send"
                    ),
                    models.Index(fields=["ends_at"], name="warnings_by_end"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("connection", "ends_at", "hours_before"), name="one_warning_of_an_end"
                    )
                ],
            },
        ),
    ]
