"""What staff call the breach of a notice. Changes no table."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_breachnotice_tries"),
    ]

    operations = [
        migrations.AlterField(
            model_name="breachnotice",
            name="breach",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="notices",
                to="accounts.breach",
                verbose_name="breach",
            ),
        ),
    ]
