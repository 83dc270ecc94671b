"""Let staff say how many requests a server takes at once for one connection."""

from django.db import migrations, models

from apps.directory.models.limits import Between


class Migration(migrations.Migration):
    dependencies = [("directory", "0023_hosts_seen")]

    operations = [
        migrations.AddField(
            "clientregistration",
            "parallel_requests",
            models.PositiveIntegerField(
                blank=True, null=True, validators=[Between(1, 16)], verbose_name="requests at once"
            ),
        ),
    ]
