"""What operators are told of links: how refreshes ended, and until when our own certificate holds."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("connections", "0015_lapse_warnings"), ("directory", "0016_rotation_seen")]

    operations = [
        migrations.CreateModel(
            name="SiteCertificate",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("origin", models.CharField(max_length=300, unique=True)),
                ("tried_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField(null=True)),
                ("ends_at", models.DateTimeField(null=True)),
                ("fault", models.CharField(blank=True, max_length=20)),
                ("told_at", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name": "site certificate",
                "verbose_name_plural": "site certificates",
            },
        ),
        migrations.CreateModel(
            name="RefreshTally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("succeeded", "succeeded"),
                            ("waited", "to be tried again later"),
                            ("refused", "refused: the patient must sign in again"),
                            ("operator", "refused: staff must mend the registration"),
                            ("ours", "failed: our fault, or an answer we cannot read"),
                        ],
                        max_length=12,
                    ),
                ),
                ("shard", models.PositiveSmallIntegerField()),
                ("times", models.BigIntegerField(db_default=0, default=0)),
                (
                    "registration",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="directory.clientregistration",
                    ),
                ),
            ],
            options={
                "verbose_name": "refresh tally",
                "verbose_name_plural": "refresh tallies",
                "constraints": [
                    models.UniqueConstraint(fields=("registration", "outcome", "shard"), name="one_tally_a_shard")
                ],
            },
        ),
    ]
