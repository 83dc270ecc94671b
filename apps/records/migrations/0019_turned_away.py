"""A reason for a type that refuses a token which opens all else."""

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
    ("worker_died", "our worker died over it"),
    ("unseen", "not seen, in doubt"),
    ("turned_away", "a good token refused"),
]


class Migration(migrations.Migration):
    dependencies = [("records", "0018_rows_in_doubt")]

    operations = [
        migrations.AlterField("syncstep", "gap", models.CharField(blank=True, choices=_GAPS, max_length=20)),
    ]
