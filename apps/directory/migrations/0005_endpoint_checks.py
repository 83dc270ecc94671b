import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0004_provider_portals"),
    ]

    operations = [
        migrations.CreateModel(
            name="EndpointCheck",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("checked_at", models.DateTimeField(verbose_name="checked")),
                ("is_latest", models.BooleanField(default=True, verbose_name="the latest one")),
                (
                    "outcome",
                    models.CharField(choices=[("well", "well"), ("ill", "ill")], max_length=4, verbose_name="outcome"),
                ),
                (
                    "faults",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40),
                        default=list,
                        size=None,
                        verbose_name="what is wrong",
                    ),
                ),
                (
                    "warnings",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40),
                        default=list,
                        size=None,
                        verbose_name="what to look at",
                    ),
                ),
                ("fhir_version", models.CharField(blank=True, max_length=8, verbose_name="FHIR version it states")),
                ("software", models.CharField(blank=True, max_length=200, verbose_name="software")),
                (
                    "types",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64),
                        default=list,
                        size=None,
                        verbose_name="kinds of entries it states",
                    ),
                ),
                ("types_digest", models.CharField(blank=True, max_length=64)),
                ("authorize_url", models.CharField(blank=True, max_length=1000, verbose_name="authorize address")),
                ("token_url", models.CharField(blank=True, max_length=1000, verbose_name="token address")),
                ("issuer", models.CharField(blank=True, max_length=1000, verbose_name="issuer")),
                ("certificates", models.JSONField(default=list, verbose_name="certificates")),
                ("certificate_ends_at", models.DateTimeField(null=True, verbose_name="first certificate ends")),
                ("changes", models.JSONField(default=list, verbose_name="what changed since the check before")),
                (
                    "endpoint",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="checks",
                        to="directory.endpoint",
                        verbose_name="endpoint",
                    ),
                ),
            ],
            options={
                "verbose_name": "endpoint check",
                "verbose_name_plural": "endpoint checks",
                "indexes": [
                    models.Index(fields=["endpoint", "-id"], name="checks_of_an_endpoint"),
                    models.Index(
                        condition=models.Q(("is_latest", True)),
                        fields=["outcome", "endpoint"],
                        name="latest_checks_by_outcome",
                    ),
                    models.Index(
                        condition=models.Q(("is_latest", True)),
                        fields=["certificate_ends_at"],
                        name="latest_checks_by_end",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("is_latest", True)), fields=("endpoint",), name="one_latest_check"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="LinkDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("date", models.DateField(db_index=True, verbose_name="day")),
                ("completed", models.PositiveIntegerField(default=0, verbose_name="connected")),
                ("refused_by_patient", models.PositiveIntegerField(default=0, verbose_name="refused by the patient")),
                ("failed_there", models.PositiveIntegerField(default=0, verbose_name="failed at the provider")),
                ("failed_here", models.PositiveIntegerField(default=0, verbose_name="failed here")),
                ("abandoned", models.PositiveIntegerField(default=0, verbose_name="nobody came back")),
                (
                    "endpoint",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="link_days",
                        to="directory.endpoint",
                        verbose_name="endpoint",
                    ),
                ),
            ],
            options={
                "verbose_name": "day of links",
                "verbose_name_plural": "days of links",
                "constraints": [
                    models.UniqueConstraint(fields=("endpoint", "date"), name="one_row_per_endpoint_and_day")
                ],
            },
        ),
    ]
