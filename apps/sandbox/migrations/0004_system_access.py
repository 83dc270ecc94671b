"""Remember which assertions system accounts used."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sandbox", "0003_developers")]

    operations = [
        migrations.CreateModel(
            name="SystemAssertion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("jti_sha256", models.CharField(max_length=64)),
                ("expires_at", models.DateTimeField()),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assertions",
                        to="sandbox.systemaccount",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("account", "jti_sha256"), name="sandbox_one_system_assertion")
                ],
            },
        ),
    ]
