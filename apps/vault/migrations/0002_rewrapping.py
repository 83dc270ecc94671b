"""Re-wrapping data keys. The index is built beside everybody else; where that was cut short, drop it and migrate again."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("vault", "0001_initial")]

    operations = [
        AddIndexConcurrently(
            model_name="datakey",
            index=models.Index(fields=["wrapping_key_id", "id"], name="vault_data_keys_of_key"),
        ),
        RemoveIndexConcurrently(model_name="datakey", name="vault_data_key_wrapped_by"),
    ]
