"""Know where tokens were issued: if staff withdraw an approval, those of there are sent nowhere."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("connections", "0033_names_of_columns")]

    operations = [
        migrations.AddField(
            model_name=name,
            name="token_origin",
            field=models.CharField(blank=True, db_default="", default="", max_length=300),
        )
        for name in ("storedtokenset", "pendingrevocation")
    ]
