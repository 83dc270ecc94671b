"""What staff read above columns and beside fields, so that it has a Spanish. Django alone notices: no SQL."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("connections", "0033_names_of_columns"),
        ("records", "0023_rows_concluded"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="record",
            name="confirmed_at",
            field=models.DateTimeField(verbose_name="last confirmed"),
        ),
        migrations.AlterField(
            model_name="record",
            name="connection",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="records",
                to="connections.connection",
                verbose_name="connection",
            ),
        ),
        migrations.AlterField(
            model_name="record",
            name="first_received_at",
            field=models.DateTimeField(verbose_name="first received"),
        ),
        migrations.AlterField(
            model_name="record",
            name="received_at",
            field=models.DateTimeField(verbose_name="received as it is"),
        ),
        migrations.AlterField(
            model_name="record",
            name="resource_type",
            field=models.CharField(max_length=64, verbose_name="resource type"),
        ),
        migrations.AlterField(
            model_name="record",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="records",
                to=settings.AUTH_USER_MODEL,
                verbose_name="user",
            ),
        ),
        migrations.AlterField(
            model_name="syncrun",
            name="cause",
            field=models.CharField(
                choices=[
                    ("confirmed", "first copy after confirmation"),
                    ("patient", "the patient asked"),
                    ("schedule", "by the clock"),
                ],
                max_length=12,
                verbose_name="cause",
            ),
        ),
        migrations.AlterField(
            model_name="syncrun",
            name="claim_id",
            field=models.UUIDField(null=True, verbose_name="held by"),
        ),
        migrations.AlterField(
            model_name="syncrun",
            name="connection",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="sync_runs",
                to="connections.connection",
                verbose_name="connection",
            ),
        ),
        migrations.AlterField(
            model_name="syncrun",
            name="created_at",
            field=models.DateTimeField(verbose_name="opened"),
        ),
        migrations.AlterField(
            model_name="syncrun",
            name="finished_at",
            field=models.DateTimeField(null=True, verbose_name="finished"),
        ),
        migrations.AlterField(
            model_name="syncrun",
            name="is_full",
            field=models.BooleanField(db_default=True, default=True, verbose_name="whole run"),
        ),
        migrations.AlterField(
            model_name="syncrun",
            name="lease_until",
            field=models.DateTimeField(null=True, verbose_name="held or paused until"),
        ),
        migrations.AlterField(
            model_name="syncrun",
            name="outcome",
            field=models.CharField(
                blank=True,
                choices=[("complete", "complete"), ("partial", "partial"), ("failed", "failed")],
                max_length=12,
                verbose_name="outcome",
            ),
        ),
        migrations.AlterField(
            model_name="syncrun",
            name="pauses",
            field=models.PositiveSmallIntegerField(default=0, verbose_name="pauses"),
        ),
        migrations.AlterField(
            model_name="syncrun",
            name="planned_at",
            field=models.DateTimeField(null=True, verbose_name="planned"),
        ),
        migrations.AlterField(
            model_name="syncrun",
            name="stated_version",
            field=models.CharField(
                blank=True, db_default="", default="", max_length=8, verbose_name="FHIR version it states"
            ),
        ),
        migrations.AlterField(
            model_name="syncrun",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="user",
            ),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="asked",
            field=models.JSONField(null=True, verbose_name="how it is asked for"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="bytes_got",
            field=models.PositiveBigIntegerField(default=0, verbose_name="bytes received"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="claim_id",
            field=models.UUIDField(null=True, verbose_name="held by"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="finished_at",
            field=models.DateTimeField(null=True, verbose_name="finished"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="gap",
            field=models.CharField(
                blank=True,
                choices=[
                    ("not_shared", "not shared"),
                    ("not_offered", "not offered"),
                    ("not_enabled", "everything refused"),
                    ("refused", "request refused"),
                    ("unavailable", "provider not answering"),
                    ("unreadable", "answer not readable"),
                    ("stopped_short", "fewer than counted"),
                    ("sign_in_needed", "sign-in needed"),
                    ("other_patient", "rows of another patient"),
                    ("too_much", "more than we take"),
                    ("worker_died", "our worker died over it"),
                    ("unseen", "not seen, in doubt"),
                    ("turned_away", "a good token refused"),
                ],
                max_length=20,
                verbose_name="reason for the gap",
            ),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="is_refusal_doubted",
            field=models.BooleanField(db_default=False, default=False, verbose_name="refused, in doubt"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="needs_shelf",
            field=models.BooleanField(db_default=False, default=False, verbose_name="not on the shelves yet"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="pages",
            field=models.PositiveIntegerField(default=0, verbose_name="pages"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="refers",
            field=models.BooleanField(db_default=False, default=False, verbose_name="names what is read after it"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="resource_type",
            field=models.CharField(max_length=64, verbose_name="resource type"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="rows_changed",
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name="rows new or changed"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="rows_concluded",
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name="results concluded"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="rows_counted",
            field=models.PositiveIntegerField(null=True, verbose_name="rows by the provider's count"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="rows_got",
            field=models.PositiveIntegerField(default=0, verbose_name="rows received"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="rows_kept",
            field=models.PositiveIntegerField(default=0, verbose_name="rows kept"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="rows_missing",
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name="references without an answer"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="rows_refused",
            field=models.PositiveIntegerField(default=0, verbose_name="rows of another patient"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="rows_removed",
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name="rows gone"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="rows_unreadable",
            field=models.PositiveIntegerField(default=0, verbose_name="rows not readable"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="steps",
                to="records.syncrun",
                verbose_name="sync run",
            ),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="since_at",
            field=models.DateTimeField(null=True, verbose_name="asks for changes since"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="started_at",
            field=models.DateTimeField(null=True, verbose_name="started"),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="status",
            field=models.CharField(
                choices=[
                    ("waiting", "waiting"),
                    ("getting", "getting"),
                    ("complete", "complete"),
                    ("gap", "something is missing"),
                ],
                default="waiting",
                max_length=12,
                verbose_name="status",
            ),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="user",
            ),
        ),
        migrations.AlterField(
            model_name="syncstep",
            name="watermark_at",
            field=models.DateTimeField(null=True, verbose_name="covered until"),
        ),
    ]
