"""Which references an earlier run asked for in vain."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("records", "0015_forms_of_shelves")]

    operations = [
        migrations.AddField("pendingread", "is_owed", models.BooleanField(db_default=False, default=False)),
    ]
