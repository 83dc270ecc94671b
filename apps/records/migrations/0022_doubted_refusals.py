"""Which steps were refused and not believed. False at first: what was doubted before is doubted for two days more."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("records", "0021_index_of_gaps")]

    operations = [
        migrations.AddField("syncstep", "is_refusal_doubted", models.BooleanField(db_default=False, default=False)),
    ]
