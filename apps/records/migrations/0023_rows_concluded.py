"""How many results a step brought that had been ordered, or might still have changed. None at first: of those of before
nobody is told once more."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("records", "0022_doubted_refusals")]

    operations = [
        migrations.AddField("syncstep", "rows_concluded", models.PositiveIntegerField(db_default=0, default=0)),
    ]
