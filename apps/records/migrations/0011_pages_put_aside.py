"""Pages that came, kept while their rows are being stored."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("records", "0010_attachments")]

    operations = [
        migrations.AddField("syncstep", "sealed_page", models.BinaryField(null=True)),
    ]
