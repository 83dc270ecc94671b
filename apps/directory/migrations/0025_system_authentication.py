"""Let staff say how a registration's system account proves itself."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("directory", "0024_parallel_requests")]

    operations = [
        migrations.AddField(
            "clientregistration",
            "system_authentication",
            models.CharField(
                blank=True,
                choices=[
                    ("client_secret_basic", "secret in a header (Basic)"),
                    ("bearer_jwt", "signed, in a header (Bearer)"),
                    ("private_key_jwt", "signed, in the form (client_assertion)"),
                ],
                db_default="",
                default="",
                max_length=20,
                verbose_name="how the system account proves itself",
            ),
        ),
    ]
