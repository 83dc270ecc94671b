"""Rows of the directory that may be meant: few, whatever was typed, and however many there are."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet

from apps.directory.models import Provider
from apps.directory.searching.meanings import Meaning
from apps.directory.words import spelling

MOST = 120
MOST_BY_NAME = 40
MOST_ALIKE = 50
_MANY = 20  # words to compare with, of all that is asked


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
_HAS_ONE = "words && %s::varchar[]"
# The part that is materialized is planned as if all of it were wanted, and yet ends when there are enough: told of the
# limit, the planner would hope to come by so many while reading all rows, and compare the words of each.
_FITTING = f"""
WITH fitting AS MATERIALIZED (
    SELECT id, {", ".join(_COLUMNS[1:])} FROM directory_provider WHERE vanished_at IS NULL AND {{conditions}}
) SELECT * FROM fitting LIMIT {MOST}
"""  # noqa: S608 # nosec B608 - of constants alone
# Rows that may be one provider with a head: of each directory the first, then of each the second, so that none of them
# can crowd out the others, and the head in any case.
_ALIKE = f"""
SELECT found.id FROM (VALUES {{heads}}) AS head (id, plain_name, is_sandbox, words)
CROSS JOIN LATERAL (
    SELECT alike.id FROM directory_provider AS alike
    WHERE alike.vanished_at IS NULL AND alike.plain_name = head.plain_name COLLATE "C"
        AND alike.is_sandbox = head.is_sandbox AND alike.words @> head.words
        AND (alike.city = '') = (cardinality(head.words) = 0)
    ORDER BY alike.id = head.id DESC, row_number() OVER (PARTITION BY directory ORDER BY directory_id), directory
    LIMIT {MOST_ALIKE}
) AS found
"""  # noqa: S608 # nosec B608 - of constants alone
_HEAD = "(%s::uuid, %s::text, %s::boolean, %s::varchar[])"


def named(plain: str) -> list[Candidate]:
    """Those whose name begins so, in order of their names, and the one that is named so before all."""
    return _fetched(_listed().filter(plain_name__startswith=plain).order_by("plain_name", "pk")[:MOST_BY_NAME])


def with_all(meanings: Sequence[Meaning]) -> list[Candidate]:
    """Those that have a word for each meaning, in no order."""
    telling = [meaning for meaning in meanings if len(meaning.typed) > 1] or meanings
    wanted = [list(meaning.words) for meaning in telling]
    with _by_index() if sum(map(len, wanted)) > _MANY else nullcontext(), connection.cursor() as cursor:
        cursor.execute(_FITTING.format(conditions=" AND ".join([_HAS_ONE] * len(wanted))), wanted)
        return [Candidate(*row) for row in cursor.fetchall()]


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


def alike(heads: Sequence[Candidate]) -> list[UUID]:
    """The ids of those that are named as one of these and have the words of its place: so many of each at most."""
    telling = [head for head in heads if head.plain_name]
    if not telling:
        return []
    asked = [(head.pk, head.plain_name, head.is_sandbox, _place_words(head)) for head in telling]
    with connection.cursor() as cursor:
        cursor.execute(_ALIKE.format(heads=", ".join([_HEAD] * len(asked))), [part for head in asked for part in head])
        return [pk for (pk,) in cursor.fetchall()]


def all_alike(head: Candidate, *, skip: int, most: int) -> list[UUID]:
    """The ids of all of those, page by page: those of one postal code together."""
    if not head.plain_name:
        return [head.pk][skip:]
    rows = _listed().filter(plain_name=head.plain_name, is_sandbox=head.is_sandbox, words__contains=_place_words(head))
    rows = rows.filter(city="") if not _place_words(head) else rows.exclude(city="")
    return list(
        rows.order_by("postal_code", "directory", "directory_id").values_list("pk", flat=True)[skip : skip + most]
    )


def of(provider: Provider) -> Candidate:
    """A row that was read whole."""
    return Candidate(*(getattr(provider, column) for column in _COLUMNS))


@contextmanager
def _by_index() -> Iterator[None]:
    """Within it no table is read row by row. Of lists of many rare words the planner expects far too much."""
    is_inner = connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        yield
        if is_inner:  # it is not our transaction that ends here
            cursor.execute("SET LOCAL enable_seqscan = DEFAULT")


def _place_words(head: Candidate) -> list[str]:
    """By those of its city all its twins are found. Those of the state tell nothing where no city is given."""
    words = spelling.plain_words(head.city)
    return [word[: spelling.LONGEST_WORD] for word in (*words, *(spelling.state_words(head.state) if words else ()))]


def _listed() -> QuerySet[Provider]:
    return Provider.objects.filter(vanished_at__isnull=True)


def _fetched(rows: QuerySet[Provider]) -> list[Candidate]:
    return [Candidate(*row) for row in rows.values_list(*_COLUMNS)]
