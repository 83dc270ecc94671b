"""Rows of the directory that may be meant: few, whatever was typed, and however many there are."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from apps.directory.models import Provider
from apps.directory.searching.meanings import Meaning

MOST = 200
MOST_BY_NAME = 60


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is needed of a provider to put it in its place among others."""

    pk: UUID
    name: str
    plain_name: str
    aliases: list[str]
    city: str
    state: str
    postal_code: str
    website: str
    is_sandbox: bool
    part_of_id: UUID | None


_COLUMNS = Candidate.__slots__


def named(plain: str) -> list[Candidate]:
    """Those whose name begins so, in order of their names, and the one that is named so before all."""
    return _fetched(_listed().filter(plain_name__startswith=plain).order_by("plain_name", "pk")[:MOST_BY_NAME])


def with_all(meanings: Sequence[Meaning]) -> list[Candidate]:
    """Those that have a word for each meaning, in no order."""
    telling = [meaning for meaning in meanings if len(meaning.typed) > 1] or meanings
    rows = _listed().filter(*(Q(words__overlap=list(meaning.words)) for meaning in telling))
    with transaction.atomic(), connection.cursor() as cursor:
        # The planner takes comparing lists of words for nearly free, and would read all rows rather than the index.
        cursor.execute("SET LOCAL enable_seqscan = off")
        found = _fetched(rows[:MOST])
        cursor.execute("SET LOCAL enable_seqscan = DEFAULT")  # where the transaction is another's
    return found


def with_most(meanings: Sequence[Meaning]) -> list[Candidate]:
    """Those that lack one meaning: the one that nobody has, or else the one that tells least. Nothing for a single one.
    A query for each meaning at most."""
    by_telling = sorted(meanings, key=lambda meaning: (meaning.is_known, -meaning.uses))
    for left_out in by_telling:
        rest = [meaning for meaning in meanings if meaning is not left_out]
        if rest and all(meaning.is_known for meaning in rest) and (found := with_all(rest)):
            return found
    return []


def practice() -> list[Candidate]:
    """The sandbox's."""
    return _fetched(_listed().filter(is_sandbox=True).order_by("name", "pk")[:MOST_BY_NAME])


def these(pks: Collection[UUID]) -> list[Candidate]:
    """Those with these ids that are listed."""
    return _fetched(_listed().filter(pk__in=pks))


def of(provider: Provider) -> Candidate:
    """A row that was read whole."""
    return Candidate(*(getattr(provider, column) for column in _COLUMNS))


def _listed() -> QuerySet[Provider]:
    return Provider.objects.filter(vanished_at__isnull=True)


def _fetched(rows: QuerySet[Provider]) -> list[Candidate]:
    return [Candidate(*row) for row in rows.values_list(*_COLUMNS)]
