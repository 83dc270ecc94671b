"""Which rows name what is read after them, so that their shelves are built once more when it came."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("records", "0012_not_enabled")]

    operations = [
        # Of steps that stand already nobody knows: a run that is open may have met names.
        migrations.AddField("syncstep", "refers", models.BooleanField(db_default=True, default=False)),
        migrations.AlterField("syncstep", "refers", models.BooleanField(db_default=False, default=False)),
    ]
