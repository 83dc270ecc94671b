"""A holder may have a retired key beside the one that seals. Going back wants that no key is retired: otherwise the
constraint of before cannot be made, and nothing is changed."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations, models

from apps.vault.migrations._indexes import AddUniqueBeside

_BEFORE = "vault_one_data_key_per_holder"


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("vault", "0003_retired_keys")]

    operations = [
        ValidateConstraint(model_name="datakey", name="vault_retired_key_is_whole"),
        AddUniqueBeside(
            model_name="datakey",
            constraint=models.UniqueConstraint(
                "holder_kind", "holder_id", "is_retired", nulls_distinct=False, name="vault_one_data_key_of_each_state"
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveConstraint(model_name="datakey", name=_BEFORE)],
            database_operations=[
                migrations.RunSQL(
                    f"ALTER TABLE vault_datakey DROP CONSTRAINT IF EXISTS {_BEFORE}",
                    f"ALTER TABLE vault_datakey DROP CONSTRAINT IF EXISTS {_BEFORE}, ADD CONSTRAINT {_BEFORE} "
                    "UNIQUE NULLS NOT DISTINCT (holder_kind, holder_id)",
                )
            ],
        ),
    ]
