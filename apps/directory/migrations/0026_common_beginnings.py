"""Words of a single provider, most of a long list's, stay out of the two indexes of the commonest: an import fills both
for each word. Both are built beside the old ones, which go when they are there."""

from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import Left

from apps.vault.migrations._indexes import AddIndexBeside

_SEVERAL = Q(uses__gt=1)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("directory", "0025_system_authentication"),
    ]

    operations = [
        AddIndexBeside(
            "searchword",
            models.Index(Left("word", 1), F("uses").desc(), name="common_first_letter", condition=_SEVERAL),
        ),
        AddIndexBeside(
            "searchword",
            models.Index(Left("word", 2), F("uses").desc(), name="common_two_letters", condition=_SEVERAL),
        ),
        RemoveIndexConcurrently("searchword", "search_word_first_letter"),
        RemoveIndexConcurrently("searchword", "search_word_two_letters"),
    ]
