"""What the refresh engine needs to know of a token set, and a connection of its end.

Columns alone, each empty or with a default of the database's: that takes no time, and processes of before go on writing
rows that know nothing of them. 0021 fills those.
"""

import django.db.models.deletion
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("connections", "0012_terms_of_a_trial"), ("directory", "0016_rotation_seen")]

    operations = [
        migrations.AddField(
            model_name="storedtokenset",
            name="registration",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="directory.clientregistration",
            ),
        ),
        migrations.AddField(
            model_name="storedtokenset", name="refresh_used_at", field=models.DateTimeField(null=True)
        ),
        migrations.AddField(
            model_name="storedtokenset", name="is_rotated", field=models.BooleanField(null=True)
        ),
        migrations.AddField(
            model_name="storedtokenset",
            name="is_session_bound",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="storedtokenset",
            name="tries",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(model_name="connection", name="lapses_at", field=models.DateTimeField(null=True)),
        migrations.AlterField(
            model_name="connection",
            name="reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("grant_ended", "the provider ended the permission"),
                    ("window_over", "the provider's time limit passed"),
                    ("not_renewable", "the provider gave no means to renew"),
                    ("session_over", "the session at the provider ended"),
                    ("idle_limit_over", "the permission rested too long"),
                ],
                max_length=40,
            ),
        ),
    ]
