"""How often workers died over a run and over each of its steps, and a reason for what is given up for it."""

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
]
_COUNT = models.PositiveSmallIntegerField(db_default=0, default=0)


class Migration(migrations.Migration):
    dependencies = [("records", "0013_refers")]

    operations = [
        migrations.AddField("syncrun", "deaths", _COUNT),
        migrations.AddField("syncstep", "deaths", _COUNT.clone()),
        migrations.AddField("syncstep", "claim_id", models.UUIDField(null=True)),
        migrations.AlterField("syncstep", "gap", models.CharField(blank=True, choices=_GAPS, max_length=20)),
        migrations.AddIndex(
            "syncstep",
            models.Index(fields=["finished_at"], condition=models.Q(gap="worker_died"), name="sync_steps_given_up"),
        ),
    ]
