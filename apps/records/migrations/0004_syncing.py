"""What a whole record needs of runs, steps and records: how each type is asked for, what changed, what is gone, what is
still to be read, and rows in quarantine. Columns have a default in the database: an older release goes on writing."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

_GAPS = [
    ("not_shared", "not shared"),
    ("not_offered", "not offered"),
    ("refused", "request refused"),
    ("unavailable", "provider not answering"),
    ("unreadable", "answer not readable"),
    ("stopped_short", "fewer than counted"),
    ("sign_in_needed", "sign-in needed"),
    ("other_patient", "rows of another patient"),
    ("too_much", "more than we take"),
]


def _counter(name: str) -> migrations.AddField:
    counter: models.Field = models.PositiveIntegerField(db_default=0, default=0)  # type: ignore[type-arg]
    return migrations.AddField(model_name="syncstep", name=name, field=counter)


class Migration(migrations.Migration):
    dependencies = [
        ("records", "0003_finished_sync_runs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(model_name="record", name="removed_at", field=models.DateTimeField(null=True)),
        migrations.AddField(
            model_name="syncrun", name="is_full", field=models.BooleanField(db_default=True, default=True)
        ),
        migrations.AddField(model_name="syncrun", name="planned_at", field=models.DateTimeField(null=True)),
        migrations.AddField(model_name="syncstep", name="asked", field=models.JSONField(null=True)),
        migrations.AddField(model_name="syncstep", name="since_at", field=models.DateTimeField(null=True)),
        migrations.AddField(
            model_name="syncstep", name="needs_shelf", field=models.BooleanField(db_default=False, default=False)
        ),
        _counter("rows_changed"),
        _counter("rows_missing"),
        _counter("rows_removed"),
        migrations.AlterField(
            model_name="syncstep",
            name="gap",
            field=models.CharField(blank=True, choices=_GAPS, max_length=20),
        ),
        migrations.CreateModel(
            name="PendingRead",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("resource_type", models.CharField(max_length=64)),
                ("logical_id", models.CharField(max_length=64)),
                ("depth", models.PositiveSmallIntegerField(default=0)),
                ("is_done", models.BooleanField(default=False)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pending_reads",
                        to="records.syncrun",
                    ),
                ),
            ],
            options={
                "verbose_name": "reference to read",
                "verbose_name_plural": "references to read",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "resource_type", "logical_id"), name="each_reference_once_per_run"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="QuarantinedRow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("resource_type", models.CharField(max_length=64)),
                ("digest", models.BinaryField(max_length=32)),
                ("sealed_body", models.BinaryField()),
                ("received_at", models.DateTimeField()),
                (
                    "connection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="connections.connection"
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="quarantined",
                        to="records.syncrun",
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
                "verbose_name": "row in quarantine",
                "verbose_name_plural": "rows in quarantine",
                "constraints": [models.UniqueConstraint(fields=("run", "digest"), name="one_quarantined_row_per_body")],
            },
        ),
    ]
