"""How words may be mistyped gets a table of its own, which the next migration fills: a word that is counted anew leaves
it alone."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0026_common_beginnings"),
    ]

    operations = [
        migrations.CreateModel(
            name="WordNeighbours",
            fields=[
                ("word", models.CharField(db_collation="C", max_length=60, primary_key=True, serialize=False)),
                ("neighbours", ArrayField(base_field=models.CharField(max_length=60), size=None)),
            ],
        ),
    ]
