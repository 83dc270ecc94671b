"""New words wait until they are sorted into their indexes together, and words without neighbours stay out: filling both
takes half the time."""

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations
from django.db.models import Q

_NEIGHBOURS = GinIndex(fields=["neighbours"], name="search_word_neighbours", condition=~Q(neighbours=[]))


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0011_practice_providers"),
    ]

    operations = [
        migrations.RunSQL(
            "ALTER INDEX provider_words SET (fastupdate = on)",
            "ALTER INDEX provider_words SET (fastupdate = off)",
            state_operations=[
                migrations.RemoveIndex("provider", "provider_words"),
                migrations.AddIndex("provider", GinIndex(fields=["words"], name="provider_words")),
            ],
        ),
        migrations.RemoveIndex("searchword", "search_word_neighbours"),
        migrations.AddIndex("searchword", _NEIGHBOURS),
    ]
