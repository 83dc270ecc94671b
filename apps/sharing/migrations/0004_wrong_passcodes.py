"""The wrong passcodes that were typed on the page of a share, sealed: none takes two tries."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sharing", "0003_shares_to_tell_of")]

    operations = [migrations.AddField("share", "sealed_wrong", models.BinaryField(null=True))]
