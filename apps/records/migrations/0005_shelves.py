"""Shelves in leaves. Old shelves go: they are built anew by `rebuild_shelves`, or when the next step ends."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def drop_shelves(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Their shape is not read any more."""
    apps.get_model("records", "Shelf").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("records", "0004_syncing"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(drop_shelves, migrations.RunPython.noop, elidable=True),
        migrations.RenameField(model_name="shelf", old_name="sealed_summaries", new_name="sealed_index"),
        migrations.CreateModel(
            name="Leaf",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("build", models.UUIDField()),
                ("arrangement", models.CharField(max_length=12)),
                ("number", models.PositiveIntegerField()),
                ("sealed_rows", models.BinaryField()),
                (
                    "shelf",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="leaves",
                        to="records.shelf",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "leaf",
                "verbose_name_plural": "leaves",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("shelf", "build", "arrangement", "number"), name="one_leaf_per_place"
                    )
                ],
            },
        ),
    ]
