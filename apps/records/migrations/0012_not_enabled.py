"""A reason for what a provider refuses altogether."""

from django.db import migrations, models

_GAPS = [
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
]


class Migration(migrations.Migration):
    dependencies = [("records", "0011_pages_put_aside")]

    operations = [
        migrations.AlterField("syncstep", "gap", models.CharField(blank=True, choices=_GAPS, max_length=20)),
    ]
