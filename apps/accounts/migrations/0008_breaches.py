"""What people are told after a breach, and whom it has reached."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_user_asks_before_grave_news"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="has_breach_to_read",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.CreateModel(
            name="Breach",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("english", models.TextField(verbose_name="in English")),
                ("spanish", models.TextField(verbose_name="in Spanish")),
                ("announced_at", models.DateTimeField(verbose_name="announced")),
            ],
            options={
                "verbose_name": "breach",
                "verbose_name_plural": "breaches",
            },
        ),
        migrations.CreateModel(
            name="BreachNotice",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("mail_due_at", models.DateTimeField(null=True)),
                ("mailed_at", models.DateTimeField(null=True)),
                ("read_at", models.DateTimeField(null=True)),
                (
                    "breach",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="notices", to="accounts.breach"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="breach_notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "notice of a breach",
                "verbose_name_plural": "notices of breaches",
                "indexes": [
                    models.Index(
                        condition=models.Q(("mail_due_at__isnull", False)),
                        fields=["mail_due_at"],
                        name="breach_mail_in_order",
                    )
                ],
                "constraints": [models.UniqueConstraint(fields=("breach", "user"), name="one_notice_of_a_breach")],
            },
        ),
    ]
