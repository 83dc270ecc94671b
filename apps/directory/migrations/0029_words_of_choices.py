"""Staff read what an interface and a method are called. Django alone notices: no SQL."""

from django.db import migrations, models

from apps.directory.models.client_registration import authentications
from apps.directory.models.endpoint import interfaces


class Migration(migrations.Migration):
    dependencies = [("directory", "0028_neighbours_apart")]

    operations = [
        migrations.AlterField(
            model_name="endpoint",
            name="interface",
            field=models.CharField(choices=interfaces, max_length=20, verbose_name="interface"),
        ),
        migrations.AlterField(
            model_name="clientregistration",
            name="authentication",
            field=models.CharField(
                choices=authentications, max_length=20, verbose_name="how the client proves itself"
            ),
        ),
    ]
