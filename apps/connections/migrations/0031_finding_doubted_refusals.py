"""Find what is doubted without reading what is not."""

from django.db import migrations, models
from django.db.models import Q

from apps.vault.migrations._indexes import AddIndexBeside


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("connections", "0030_doubted_refusals")]

    operations = [
        AddIndexBeside(
            model_name="storedtokenset",
            index=models.Index(
                condition=Q(refused_at__isnull=False), fields=["registration", "refused_at"], name="refreshes_doubted"
            ),
        ),
    ]
