"""When a person wants to be warned of a permission that is about to lapse, and in which time zone times are told."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import apps.accounts.models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_session")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="time_zone",
            field=models.CharField(
                blank=True, db_default="", default="", max_length=64, verbose_name="time zone"
            ),
        ),
        migrations.CreateModel(
            name="WarningChoices",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="warning_choices",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "hours_before",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveSmallIntegerField(),
                        blank=True,
                        default=apps.accounts.models.usual_hours,
                        size=None,
                    ),
                ),
                (
                    "tells_of_ends",
                    models.BooleanField(default=True, verbose_name="also when one ended unexpectedly"),
                ),
                (
                    "names_providers",
                    models.BooleanField(default=False, verbose_name="name my providers in e-mails"),
                ),
                ("changed_at", models.DateTimeField()),
                ("is_taken_up", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "verbose_name": "choices about warnings",
                "verbose_name_plural": "choices about warnings",
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_taken_up", False)), fields=["user"], name="choices_not_taken_up"
                    )
                ],
            },
        ),
    ]
