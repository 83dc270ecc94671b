"""Re-wrapping data keys."""

from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations, models

from apps.vault.migrations._indexes import AddIndexBeside


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("vault", "0001_initial")]

    operations = [
        AddIndexBeside(
            model_name="datakey",
            index=models.Index(fields=["wrapping_key_id", "id"], name="vault_data_keys_of_key"),
        ),
        RemoveIndexConcurrently(model_name="datakey", name="vault_data_key_wrapped_by"),
    ]
