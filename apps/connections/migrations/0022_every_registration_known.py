"""Every token set has a registration. Rows are read while everybody goes on writing; only then is it made a rule."""

import django.db.models.deletion
from django.db import migrations, models

_TABLE = "ALTER TABLE connections_storedtokenset"
_PROMISE = f"""
{_TABLE} DROP CONSTRAINT IF EXISTS registration_is_known;
{_TABLE} ADD CONSTRAINT registration_is_known CHECK (registration_id IS NOT NULL) NOT VALID;
"""
_LOOK = f"{_TABLE} VALIDATE CONSTRAINT registration_is_known"
# Where a valid check says so already, Postgres does not read the rows again.
_RULE = f"{_TABLE} ALTER COLUMN registration_id SET NOT NULL, DROP CONSTRAINT registration_is_known"


class Migration(migrations.Migration):
    atomic = False  # or the first statement's lock would be held while the rows are read
    dependencies = [("connections", "0021_links_of_before")]

    operations = [
        migrations.RunSQL(_PROMISE, f"{_TABLE} ALTER COLUMN registration_id DROP NOT NULL"),
        migrations.RunSQL(_LOOK, migrations.RunSQL.noop),
        # Altering the field would take the foreign key away and check every row again.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="storedtokenset",
                    name="registration",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="directory.clientregistration",
                    ),
                ),
            ],
            database_operations=[migrations.RunSQL(_RULE, migrations.RunSQL.noop)],
        ),
    ]
