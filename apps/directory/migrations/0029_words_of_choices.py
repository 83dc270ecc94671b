"""Staff read what an interface and a method are called. Django alone notices: no SQL."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("directory", "0028_neighbours_apart")]

    operations = [
        migrations.AlterField(
            model_name="endpoint",
            name="interface",
            field=models.CharField(
                choices=[("patient-access", "Patient access API"), ("smart", "SMART deployment")],
                max_length=20,
                verbose_name="interface",
            ),
        ),
        migrations.AlterField(
            model_name="clientregistration",
            name="authentication",
            field=models.CharField(
                choices=[
                    ("query", "secret in the address (query)"),
                    ("client_secret_basic", "secret in a header (client_secret_basic)"),
                    ("client_secret_post", "secret in the body (client_secret_post)"),
                    ("private_key_jwt", "signed with our key (private_key_jwt)"),
                    ("bearer_jwt", "signed, in a header (Bearer)"),
                    ("none", "not at all: a public client (none)"),
                ],
                max_length=20,
                verbose_name="how the client proves itself",
            ),
        ),
    ]
