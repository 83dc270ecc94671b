"""What a trial was begun with. Of those there are it is not known, so whoever relies on one tries again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("connections", "0011_switched_off_outcome")]

    operations = [
        migrations.AddField(
            model_name="trial",
            name="terms",
            field=models.CharField(db_default="", default="", editable=False, max_length=64),
        ),
    ]
