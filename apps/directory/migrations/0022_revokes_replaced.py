"""Let staff say of a server that ending an earlier permission leaves a newer one alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("directory", "0021_hosts_to_look_at")]

    operations = [
        migrations.AddField(
            model_name="clientregistration",
            name="revokes_replaced",
            field=models.BooleanField(blank=True, null=True, verbose_name="revokes what a sign-in replaced"),
        ),
    ]
