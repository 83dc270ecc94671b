"""Name a dropped address among the reasons."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("connections", "0034_where_tokens_were_issued")]

    operations = [
        migrations.AlterField(
            model_name="connection",
            name="reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("grant_ended", "the provider ended the permission"),
                    ("data_refused", "the provider does not open the record"),
                    ("window_over", "the provider's time limit passed"),
                    ("not_renewable", "the provider gave no means to renew"),
                    ("session_over", "the session at the provider ended"),
                    ("idle_limit_over", "the permission rested too long"),
                    ("earlier_copy", "refused after a backup was restored"),
                    ("address_dropped", "given at an address that staff no longer approve"),
                ],
                max_length=40,
                verbose_name="reason",
            ),
        ),
    ]
