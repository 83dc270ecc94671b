"""What staff read above columns and beside fields, so that it has a Spanish. Django alone notices: no SQL."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0029_words_of_choices"),
    ]

    operations = [
        migrations.AlterField(
            model_name="clientregistration",
            name="authorization_server",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="registrations",
                to="directory.authorizationserver",
                verbose_name="authorization server",
            ),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="authorization_server",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="endpoints",
                to="directory.authorizationserver",
                verbose_name="authorization server",
            ),
        ),
    ]
