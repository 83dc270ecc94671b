"""Whose owner is to be told, found each minute without reading all shares."""

from django.db import migrations, models

from apps.vault.migrations._indexes import AddIndexBeside


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("sharing", "0002_telling")]

    operations = [
        AddIndexBeside(
            "share",
            models.Index(fields=["tell_at"], condition=models.Q(tell_at__isnull=False), name="shares_to_tell_of"),
        ),
    ]
