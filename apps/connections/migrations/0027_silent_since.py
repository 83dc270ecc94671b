"""Know since when a provider has not answered for a link, for its patient's page."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("connections", "0026_finding_what_broke_off")]

    operations = [
        migrations.AddField(
            model_name="storedtokenset", name="silent_since", field=models.DateTimeField(null=True)
        ),
    ]
