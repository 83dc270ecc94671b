"""Rows of the directory that may be meant: few, whatever was typed, and however many rows there are."""

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
_MANY = 20  # words to compare with, for all meanings together


@dataclass(frozen=True, slots=True)
class Candidate:
    """The columns of a provider that are needed to rank it."""

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
# The materialized part is planned as if all of it were needed, yet stops when there are enough rows. If the planner
# knew the limit, it would expect to find so many by a sequential scan, comparing the words of each row.
_FITTING = f"""
WITH fitting AS MATERIALIZED (
    SELECT id, {", ".join(_COLUMNS[1:])} FROM directory_provider WHERE vanished_at IS NULL AND {{conditions}}
) SELECT * FROM fitting LIMIT {MOST}
"""  # noqa: S608 # nosec B608 - of constants alone
# Rows that may be one provider with a head: the first of each directory, then the second of each, so that no directory
# crowds out the others; and always the head itself.
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
    """Those whose name has this prefix, by name; first the one with exactly this name."""
    return _fetched(_listed().filter(plain_name__startswith=plain).order_by("plain_name", "pk")[:MOST_BY_NAME])


def with_all(meanings: Sequence[Meaning]) -> list[Candidate]:
    """Those that have a word for each meaning, unordered."""
    telling = [meaning for meaning in meanings if len(meaning.typed) > 1] or meanings
    wanted = [list(meaning.words) for meaning in telling]
    with _by_index() if sum(map(len, wanted)) > _MANY else nullcontext(), connection.cursor() as cursor:
        cursor.execute(_FITTING.format(conditions=" AND ".join([_HAS_ONE] * len(wanted))), wanted)
        return [Candidate(*row) for row in cursor.fetchall()]


def with_most(meanings: Sequence[Meaning]) -> list[Candidate]:
    """Those that lack one meaning: the one that nobody has, or else the least specific. Nothing for a single meaning.
    Makes at most one query per meaning."""
    by_telling = sorted(meanings, key=lambda meaning: (meaning.is_known, -meaning.uses))
    for left_out in by_telling:
        rest = [meaning for meaning in meanings if meaning is not left_out]
        if rest and all(meaning.is_known for meaning in rest) and (found := with_all(rest)):
            return found
    return []


def practice() -> list[Candidate]:
    """The sandbox's providers."""
    return _fetched(_listed().filter(is_sandbox=True).order_by("name", "pk")[:MOST_BY_NAME])


def these(pks: Collection[UUID]) -> list[Candidate]:
    """Listed providers with these ids."""
    return _fetched(_listed().filter(pk__in=pks))


def alike(heads: Sequence[Candidate]) -> list[UUID]:
    """The ids of providers with the name of one of these and the words of its place: for each at most so many."""
    telling = [head for head in heads if head.plain_name]
    if not telling:
        return []
    asked = [(head.pk, head.plain_name, head.is_sandbox, _place_words(head)) for head in telling]
    with connection.cursor() as cursor:
        cursor.execute(_ALIKE.format(heads=", ".join([_HEAD] * len(asked))), [part for head in asked for part in head])
        return [pk for (pk,) in cursor.fetchall()]


def all_alike(head: Candidate, *, skip: int, most: int) -> list[UUID]:
    """The ids of all of those, page by page, ordered by postal code."""
    if not head.plain_name:
        return [head.pk][skip:]
    rows = _listed().filter(plain_name=head.plain_name, is_sandbox=head.is_sandbox, words__contains=_place_words(head))
    rows = rows.filter(city="") if not _place_words(head) else rows.exclude(city="")
    return list(
        rows.order_by("postal_code", "directory", "directory_id").values_list("pk", flat=True)[skip : skip + most]
    )


def of(provider: Provider) -> Candidate:
    """The candidate for a provider that is loaded."""
    return Candidate(*(getattr(provider, column) for column in _COLUMNS))


@contextmanager
def _by_index() -> Iterator[None]:
    """Disables sequential scans: for lists of many rare words the planner overestimates the rows by far."""
    is_inner = connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        yield
        if is_inner:  # it is not our transaction that ends here
            cursor.execute("SET LOCAL enable_seqscan = DEFAULT")


def _place_words(head: Candidate) -> list[str]:
    """The words of the city find all rows alike. Those of the state are used only with a city."""
    words = spelling.plain_words(head.city)
    return [word[: spelling.LONGEST_WORD] for word in (*words, *(spelling.state_words(head.state) if words else ()))]


def _listed() -> QuerySet[Provider]:
    return Provider.objects.filter(vanished_at__isnull=True)


def _fetched(rows: QuerySet[Provider]) -> list[Candidate]:
    return [Candidate(*row) for row in rows.values_list(*_COLUMNS)]
