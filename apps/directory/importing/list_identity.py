"""Is a list the one whose directory it names? Many files are called alike, and a file may call itself as it likes.

A directory is known by what it holds: a list of which it holds hardly anything is another list, and one of practice
providers is never one of real ones.
"""

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from re import sub
from typing import BinaryIO

from django.db import connection

from apps.directory.reading.elements import Broken
from apps.directory.reading.lists import ListFile
from apps.directory.reading.rows import NotADirectory
from apps.directory.reading.terms import Terms

_SMALL = 10  # directories of fewer providers are looked after by hand, and may shrink as they like
_LONGEST_FACT = 64

_HELD = """
SELECT count(DISTINCT provider.id), count(DISTINCT endpoint.id) FROM directory_provider AS provider
LEFT JOIN directory_providerportal AS portal ON portal.provider_id = provider.id
LEFT JOIN directory_endpoint AS endpoint ON endpoint.id = portal.endpoint_id AND endpoint.vanished_at IS NULL
WHERE provider.directory = %s AND provider.vanished_at IS NULL
"""
_KINDS = "SELECT DISTINCT is_sandbox FROM directory_provider WHERE directory = %s"
_LISTED = """
SELECT (SELECT count(*) FROM import_listed) + (SELECT count(*) FROM import_kept), (SELECT count(*) FROM import_met)
"""
_LOST = """
SELECT count(*) FILTER (WHERE NOT provider.is_listed), (
    SELECT count(DISTINCT endpoint.id) FROM directory_provider AS provider
    JOIN directory_providerportal AS portal ON portal.provider_id = provider.id
    JOIN directory_endpoint AS endpoint ON endpoint.id = portal.endpoint_id AND endpoint.vanished_at IS NULL
    WHERE provider.directory = %(directory)s AND provider.vanished_at IS NULL
        AND NOT EXISTS (SELECT FROM import_met WHERE endpoint_id = endpoint.id)
) FROM (
    SELECT EXISTS (SELECT FROM import_listed AS listed WHERE listed.directory_id = held.directory_id)
        OR EXISTS (SELECT FROM import_kept AS kept WHERE kept.directory_id = held.directory_id) AS is_listed
    FROM directory_provider AS held WHERE directory = %(directory)s AND vanished_at IS NULL
) AS provider
"""


class AnotherList(Exception):
    """The directory holds another list. The text names it and says why; `is_replaceable` where staff may wish it."""

    def __init__(self, text: str, *, is_replaceable: bool) -> None:
        super().__init__(text)
        self.is_replaceable = is_replaceable


@dataclass(frozen=True)
class Amount:
    """So many rows of a directory."""

    providers: int
    endpoints: int


@dataclass(frozen=True)
class Held:
    """What is listed of a directory before an import, and whether its rows are the sandbox's: of both kinds, or of
    none where it is new."""

    amount: Amount
    kinds: frozenset[bool]


def name_of(file_name: str, file: BinaryIO, terms: Terms) -> str:
    """The name of the directory that a list would be: read as far as its first row. What is no list has its file's."""
    one = ListFile(file, terms)
    with suppress(NotADirectory, Broken, OSError):  # whoever imports it says so
        next(one.rows(), None)
    return one.name or file_name


def as_fact(directory: str) -> str:
    """The name as an audit event may hold it: itself, or what is left of it and by what names differ."""
    plain = sub(r"[^A-Za-z0-9 ._:/-]", "-", directory)
    if plain == directory and len(plain) <= _LONGEST_FACT:
        return directory
    digest = sha256(directory.encode()).hexdigest()[:8]
    return f"{plain[: _LONGEST_FACT - len(digest) - 1]} {digest}"


def held(directory: str) -> Held:
    """What the directory has now."""
    with connection.cursor() as cursor:
        cursor.execute(_HELD, [directory])
        amount = Amount(*cursor.fetchone())
    return Held(amount, _kinds(directory))


def check_kind(directory: str, before: Held) -> None:
    """Once all rows are stored. Raises AnotherList where sandbox rows came among others, or the reverse."""
    if before.kinds and not _kinds(directory) <= before.kinds:
        whose = "practice providers of the sandbox" if True in before.kinds else "no practice providers"
        raise AnotherList(f'the directory "{directory}" holds {whose}: the two cannot be mixed', is_replaceable=False)


def has_shrunk(directory: str, before: Held) -> bool:
    """Whether less than half of what the directory held is still listed. Raises AnotherList where, besides, most of
    what is listed was not held: a list of hardly any overlap."""
    held = before.amount
    if held.providers == 0:
        return False
    with connection.cursor() as cursor:
        cursor.execute(_LISTED)
        listed = Amount(*cursor.fetchone())
        cursor.execute(_LOST, {"directory": directory})
        lost = Amount(*cursor.fetchone())
    still = Amount(max(held.providers - lost.providers, 0), max(held.endpoints - lost.endpoints, 0))
    if _is_another(held, listed, still):
        raise AnotherList(
            f'the directory "{directory}" holds another list: of its {held.providers:,} providers this one has '
            f"{still.providers:,}, and of their {held.endpoints:,} endpoints {still.endpoints:,}",
            is_replaceable=True,
        )
    lost_half = still.providers * 2 < held.providers or still.endpoints * 2 < held.endpoints
    return lost_half and held.providers >= _SMALL


def _is_another(held: Amount, listed: Amount, still: Amount) -> bool:
    """Of a small directory only where nothing is left of it."""
    if held.providers < _SMALL:
        return held.providers > 0 and listed.providers > 0 and still.providers == 0
    return still.providers * 2 < min(held.providers, listed.providers) or still.endpoints * 2 < min(
        held.endpoints, listed.endpoints
    )


def _kinds(directory: str) -> frozenset[bool]:
    with connection.cursor() as cursor:
        cursor.execute(_KINDS, [directory])
        return frozenset(is_sandbox for (is_sandbox,) in cursor.fetchall())
