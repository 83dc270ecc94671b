"""How words may be mistyped moves to the table of its own.

The column of before stays with its index, for searches of the version before while it is replaced; nobody writes it, and
the release after the next may drop both. What the version before learns meanwhile, the next import completes. Whoever goes
back gets neighbours of words learnt since into the column: the version before makes none of a word that it knows.
"""

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations

from apps.vault.migrations._indexes import AddIndexBeside

_LOT = 2000
GIVE_BACK = """
UPDATE directory_searchword AS word SET neighbours = known.neighbours
FROM directory_wordneighbours AS known WHERE known.word = word.word AND word.neighbours = '{}'
"""


def copy(apps, schema_editor):
    words = apps.get_model("directory", "SearchWord").objects.exclude(neighbours=[]).order_by("word")
    neighbours = apps.get_model("directory", "WordNeighbours")
    last = ""
    while lot := list(words.filter(word__gt=last).values_list("word", "neighbours")[:_LOT]):
        rows = [neighbours(word=word, neighbours=made) for word, made in lot]
        neighbours.objects.bulk_create(rows, ignore_conflicts=True)
        last, _made = lot[-1]


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("directory", "0027_word_neighbours"),
    ]

    operations = [
        # as in 0017: in collation C the key's own index serves LIKE
        migrations.RunSQL("DROP INDEX IF EXISTS directory_wordneighbours_word_b22558d1_like", migrations.RunSQL.noop),
        migrations.RunPython(copy, migrations.RunPython.noop),
        migrations.RunSQL(migrations.RunSQL.noop, GIVE_BACK),
        AddIndexBeside("wordneighbours", GinIndex(fields=["neighbours"], name="word_neighbours")),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE directory_searchword ALTER COLUMN neighbours SET DEFAULT '{}'",
                    migrations.RunSQL.noop,
                )
            ],
            state_operations=[
                migrations.RemoveIndex("searchword", "search_word_neighbours"),
                migrations.RemoveField("searchword", "neighbours"),
            ],
        ),
    ]
