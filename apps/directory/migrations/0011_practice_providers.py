from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("directory", "0010_wishes"),
    ]

    operations = [
        migrations.AddIndex("provider", models.Index(condition=models.Q(("is_sandbox", True)), fields=["name"], name="practice_providers")),
    ]
