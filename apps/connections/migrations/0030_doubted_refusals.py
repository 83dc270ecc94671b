"""Know which links were refused and are asked for again, and when a server last took somebody's tokens. The index is
built in 0031."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("connections", "0029_longer_patient_ids")]

    operations = [
        migrations.AddField(
            model_name="storedtokenset", name="refused_at", field=models.DateTimeField(null=True)
        ),
        migrations.AddField(model_name="refreshtally", name="last_at", field=models.DateTimeField(null=True)),
    ]
