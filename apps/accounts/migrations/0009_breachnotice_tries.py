"""How often each person's mail about a breach was tried."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_breaches"),
    ]

    operations = [
        migrations.AddField(
            model_name="breachnotice",
            name="tries",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
    ]
