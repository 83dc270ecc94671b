"""When the owner of a share is to be told that wrong passcodes ended it. Of those of before nobody is told."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sharing", "0001_initial")]

    operations = [migrations.AddField("share", "tell_at", models.DateTimeField(null=True))]
