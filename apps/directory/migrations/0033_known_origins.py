"""Remember where an endpoint leads that moved, and which origins staff approved for a client registration."""

import django.db.models.deletion
from django.db import migrations, models

_ADDRESS = {"blank": True, "db_default": "", "default": "", "editable": False, "max_length": 1000}


class Migration(migrations.Migration):
    dependencies = [("directory", "0032_finding_who_waits")]

    operations = [
        migrations.AddField("endpoint", "named_authorize_url", models.CharField(**_ADDRESS)),
        migrations.AddField("endpoint", "named_token_url", models.CharField(**_ADDRESS)),
        migrations.AddField(
            "endpoint",
            "moved_from",
            models.ForeignKey(
                db_index=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="directory.authorizationserver",
            ),
        ),
        migrations.CreateModel(
            "KnownOrigins",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("authorize_origin", models.CharField(max_length=300, verbose_name="where patients sign in")),
                ("token_origin", models.CharField(max_length=300, verbose_name="where tokens are given")),
                ("approved_at", models.DateTimeField(verbose_name="approved")),
                ("withdrawn_at", models.DateTimeField(null=True, verbose_name="withdrawn")),
                (
                    "endpoint",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="directory.endpoint",
                        verbose_name="endpoint that named them",
                    ),
                ),
                (
                    "registration",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="known_origins",
                        to="directory.clientregistration",
                        verbose_name="client registration",
                    ),
                ),
            ],
            {"verbose_name": "known origins", "verbose_name_plural": "known origins"},
        ),
        migrations.AddConstraint(
            "knownorigins",
            models.UniqueConstraint(
                condition=models.Q(("withdrawn_at", None)),
                fields=("registration", "authorize_origin", "token_origin"),
                name="approved_once",
            ),
        ),
    ]
