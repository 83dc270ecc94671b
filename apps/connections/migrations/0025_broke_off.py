"""Know which links are put off because an attempt broke off by a fault of ours. The index is built in 0026."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("connections", "0024_listing_links")]

    operations = [
        migrations.AddField(
            model_name="storedtokenset", name="broke_off_at", field=models.DateTimeField(null=True)
        ),
    ]
