"""A check may end unsure: then the endpoint is asked again within minutes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0018_known_hosts"),
    ]

    operations = [
        migrations.AlterField(
            "endpointcheck",
            "outcome",
            models.CharField(
                choices=[
                    ("well", "well"),
                    ("ill", "ill"),
                    ("ask", "did not answer, and is asked again within minutes"),
                ],
                max_length=4,
                verbose_name="outcome",
            ),
        ),
    ]
