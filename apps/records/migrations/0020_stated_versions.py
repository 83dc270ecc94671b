"""Which FHIR version a provider stated at a check."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("records", "0019_turned_away")]

    operations = [
        migrations.AddField(
            "syncrun", "stated_version", models.CharField(blank=True, db_default="", default="", max_length=8)
        ),
    ]
