"""Which files visitors of a share opened, as hashes of their addresses: the owner reads how many."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sharing", "0004_wrong_passcodes")]

    operations = [
        migrations.CreateModel(
            name="FileOpening",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("file_hash", models.BinaryField(max_length=32)),
                ("at", models.DateTimeField()),
                (
                    "opening",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="sharing.opening",
                    ),
                ),
            ],
            options={
                "verbose_name": "opening of a shared file",
                "verbose_name_plural": "openings of shared files",
                "constraints": [
                    models.UniqueConstraint(fields=["opening", "file_hash"], name="one_opening_of_each_file")
                ],
            },
        ),
    ]
