"""Keys that are retired: the columns. Nothing is retired before `renew_data_keys`; see 0004."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("vault", "0002_rewrapping")]

    operations = [
        migrations.AddField(
            model_name="datakey", name="is_retired", field=models.BooleanField(db_default=False, default=False)
        ),
        migrations.AddField(model_name="datakey", name="unused_since", field=models.DateTimeField(null=True)),
        AddConstraintNotValid(
            model_name="datakey",
            constraint=models.CheckConstraint(
                condition=Q(is_retired=False, unused_since__isnull=True) | Q(is_retired=True, shredded_at__isnull=True),
                name="vault_retired_key_is_whole",
            ),
        ),
    ]
