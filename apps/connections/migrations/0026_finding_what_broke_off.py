"""Count what broke off without reading what did not."""

from django.db import migrations, models
from django.db.models import Q

from apps.vault.migrations._indexes import AddIndexBeside


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("connections", "0025_broke_off")]

    operations = [
        AddIndexBeside(
            model_name="storedtokenset",
            index=models.Index(
                condition=Q(broke_off_at__isnull=False), fields=["registration"], name="refreshes_broken_off"
            ),
        ),
    ]
