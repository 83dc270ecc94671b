"""Search words: those that some provider is found by, and how each may be mistyped."""

from collections.abc import Iterable

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import connection, models, transaction
from django.db.models import F, Q
from django.db.models.functions import Left

from apps.directory.words import mistyping


class SearchWord(models.Model):
    """The vocabulary of the directory: what was typed is turned into words of it, and those are looked up. Learnt when
    a provider is stored, counted by `directory.searching.vocabulary`."""

    LOCK = 0x776F7264  # shared by whoever learns a few words, alone for whoever learns them while it does other things

    word = models.CharField(max_length=60, primary_key=True, db_collation="C")
    uses = models.PositiveIntegerField(default=1)

    class Meta:
        indexes = [
            # The commonest words that begin with one or two letters, without reading all of them; without those of a
            # single provider, most of a long list's
            models.Index(Left("word", 1), F("uses").desc(), name="common_first_letter", condition=Q(uses__gt=1)),
            models.Index(Left("word", 2), F("uses").desc(), name="common_two_letters", condition=Q(uses__gt=1)),
        ]

    class Privacy:
        operational = ("word", "uses")

    def __str__(self) -> str:
        return self.word

    @staticmethod
    def wait_for_imports() -> None:
        """Until none is under way, and let none begin in this transaction: for whoever holds rows before they learn."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [SearchWord.LOCK])

    @staticmethod
    def learn(words: Iterable[str]) -> None:
        """Add those that are not known. Waits for an import under way, which holds words of its own: two that each wait
        for a word of the other would never end."""
        known = sorted(set(words))
        made = ((word, mistyping.neighbours(word)) for word in known)
        near = [WordNeighbours(word=word, neighbours=sorted(neighbours)) for word, neighbours in made if neighbours]
        with transaction.atomic():
            SearchWord.wait_for_imports()
            rows = [SearchWord(word=word) for word in known]
            SearchWord.objects.bulk_create(rows, ignore_conflicts=True, batch_size=2000)
            WordNeighbours.objects.bulk_create(near, ignore_conflicts=True, batch_size=2000)


class WordNeighbours(models.Model):
    """How a word of the vocabulary may be mistyped. Apart from it: what is counted anew with each list is written
    anew in all its indexes."""

    word = models.CharField(max_length=60, primary_key=True, db_collation="C")
    # What is left of its beginnings without a letter or two: shared with every word that is nearly it.
    neighbours = ArrayField(models.CharField(max_length=60))

    class Meta:
        # sorted in thousands at once
        indexes = [GinIndex(fields=["neighbours"], name="word_neighbours")]

    class Privacy:
        operational = ("word", "neighbours")

    def __str__(self) -> str:
        return self.word
