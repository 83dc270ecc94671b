"""Put links of endpoints that staff switched off out of the way of what is due. The index is built in 0023."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("connections", "0019_unanswered"), ("directory", "0016_rotation_seen")]

    operations = [
        migrations.AddField(
            model_name="storedtokenset",
            name="parked_endpoint",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="directory.endpoint",
            ),
        ),
    ]
