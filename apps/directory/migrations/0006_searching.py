import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models
from django.db.models.functions import Left

from apps.directory.migrations import _words

ROWS = 2000


def relearn(apps, schema_editor):
    """Rows that were there before are found by the words of today, and the vocabulary knows them."""
    Provider, SearchWord = apps.get_model("directory", "Provider"), apps.get_model("directory", "SearchWord")
    batch, known = [], set()
    for row in Provider.objects.iterator(chunk_size=ROWS):
        row.plain_name = _words.plain(row.name)[:200]
        row.words = _words.provider_words(row)
        known.update(row.words)
        batch.append(row)
        if len(batch) == ROWS:
            Provider.objects.bulk_update(batch, ["plain_name", "words"])
            batch = []
    Provider.objects.bulk_update(batch, ["plain_name", "words"])
    rows = [SearchWord(word=word, neighbours=sorted(_words.neighbours(word))) for word in sorted(known)]
    SearchWord.objects.bulk_create(rows, batch_size=ROWS, ignore_conflicts=True)


class Migration(migrations.Migration):

    dependencies = [
        ("directory", "0005_endpoint_checks"),
    ]

    operations = [
        migrations.CreateModel(
            name="SearchWord",
            fields=[
                ("word", models.CharField(db_collation="C", max_length=60, primary_key=True, serialize=False)),
                ("uses", models.PositiveIntegerField(default=1)),
                ("neighbours", django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), default=list, size=None)),
            ],
        ),
        migrations.RemoveField("provider", "search_words"),
        migrations.AlterField("provider", "plain_name", models.CharField(db_collation="C", default="", editable=False, max_length=200)),
        migrations.RunPython(relearn, migrations.RunPython.noop),
        migrations.AddIndex("provider", django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=["words"], name="provider_words")),
        migrations.AddIndex("provider", models.Index(fields=["plain_name"], name="provider_plain_name")),
        migrations.AddIndex("searchword", django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=["neighbours"], name="search_word_neighbours")),
        migrations.AddIndex("searchword", models.Index(Left("word", 1), models.F("uses").desc(), name="search_word_first_letter")),
        migrations.AddIndex("searchword", models.Index(Left("word", 2), models.F("uses").desc(), name="search_word_two_letters")),
    ]
