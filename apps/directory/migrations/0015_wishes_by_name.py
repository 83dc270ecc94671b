"""Wishes for what no directory lists are counted by the database, under the name and city as searching compares them."""

from typing import Any

from django.db import migrations, models
from django.db.models import Q

from apps.directory.migrations import _words


def fill_plain_names(apps: Any, _editor: Any) -> None:
    """As saving a wish does."""
    wish = apps.get_model("directory", "Wish")
    changed = []
    for row in wish.objects.filter(provider__isnull=True).only("name", "city").iterator(chunk_size=2000):
        row.plain_name, row.plain_city = _words.plain(row.name)[:200], _words.plain(row.city)[:100]
        changed.append(row)
        if len(changed) == 2000:
            wish.objects.bulk_update(changed, ["plain_name", "plain_city"])
            changed.clear()
    wish.objects.bulk_update(changed, ["plain_name", "plain_city"])


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0014_first_endpoints"),
    ]

    operations = [
        migrations.AddField(
            "wish", "plain_name", models.CharField(db_default="", default="", editable=False, max_length=200)
        ),
        migrations.AddField(
            "wish", "plain_city", models.CharField(db_default="", default="", editable=False, max_length=100)
        ),
        migrations.RunPython(fill_plain_names, migrations.RunPython.noop, elidable=True),
        migrations.AddIndex(
            "wish",
            models.Index(condition=Q(provider=None), fields=["plain_name", "plain_city"], name="wishes_by_name"),
        ),
    ]
