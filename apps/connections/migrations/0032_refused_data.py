"""Know since when it is the data that is refused, and not the tokens; and name it among the reasons."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("connections", "0031_finding_doubted_refusals")]

    operations = [
        migrations.AddField(
            model_name="storedtokenset", name="data_refused_at", field=models.DateTimeField(null=True)
        ),
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
                ],
                max_length=40,
            ),
        ),
    ]
