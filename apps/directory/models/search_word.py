"""Search words: those by which providers are found, and how each may be mistyped."""

from collections.abc import Iterable

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import connection, models, transaction
from django.db.models import F, Q
from django.db.models.functions import Left

from apps.directory.words import mistyping


class SearchWord(models.Model):
    """The vocabulary of the directory: what was typed is mapped to words of it, which are then looked up. Words are
    added when a provider is stored, and counted by `directory.searching.vocabulary`."""

    LOCK = 0x776F7264  # shared while few words are added, exclusive while an import adds them among other work

    word = models.CharField(max_length=60, primary_key=True, db_collation="C")
    uses = models.PositiveIntegerField(default=1)

    class Meta:
        indexes = [
            # The most common words with a prefix of one or two letters, without reading all of them; words of a single
            # provider, which are most of a long list's, are left out
            models.Index(Left("word", 1), F("uses").desc(), name="common_first_letter", condition=Q(uses__gt=1)),
            models.Index(Left("word", 2), F("uses").desc(), name="common_two_letters", condition=Q(uses__gt=1)),
        ]

    class Privacy:
        operational = ("word", "uses")

    def __str__(self) -> str:
        return self.word

    @staticmethod
    def wait_for_imports() -> None:
        """Wait until no import is running, and keep others from starting until this transaction ends. Call it before
        locking rows whose words are then added."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [SearchWord.LOCK])

    @staticmethod
    def learn(words: Iterable[str]) -> None:
        """Add unknown words. Waits for a running import, which has added words of its own: otherwise the two could
        deadlock."""
        known = sorted(set(words))
        made = ((word, mistyping.neighbours(word)) for word in known)
        near = [WordNeighbours(word=word, neighbours=sorted(neighbours)) for word, neighbours in made if neighbours]
        with transaction.atomic():
            SearchWord.wait_for_imports()
            rows = [SearchWord(word=word) for word in known]
            SearchWord.objects.bulk_create(rows, ignore_conflicts=True, batch_size=2000)
            WordNeighbours.objects.bulk_create(near, ignore_conflicts=True, batch_size=2000)


class WordNeighbours(models.Model):
    """How a word of the vocabulary may be mistyped. A separate table, because counts change with each list, and
    updating them would rewrite all indexes of the row."""

    word = models.CharField(max_length=60, primary_key=True, db_collation="C")
    # Its prefixes with one or two letters deleted: shared with every word that is nearly the same.
    neighbours = ArrayField(models.CharField(max_length=60))

    class Meta:
        # sorted in thousands at once
        indexes = [GinIndex(fields=["neighbours"], name="word_neighbours")]

    class Privacy:
        operational = ("word", "neighbours")

    def __str__(self) -> str:
        return self.word
