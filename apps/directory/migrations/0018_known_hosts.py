"""Whether a host is known is asked of the index of addresses alike: by how they begin, whatever the collation."""

import django.contrib.postgres.indexes
import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0017_fewer_indexes"),
    ]

    operations = [
        migrations.RemoveIndex("endpoint", "endpoint_alike"),
        migrations.AddIndex(
            "endpoint",
            models.Index(
                django.contrib.postgres.indexes.OpClass(
                    django.db.models.functions.text.Lower(
                        models.Func("fhir_base_url", models.Value("/"), function="rtrim")
                    ),
                    name="text_pattern_ops",
                ),
                name="endpoint_alike",
            ),
        ),
    ]
