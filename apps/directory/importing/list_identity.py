"""Is this list the one of the directory that it names? Many files have the same name, and a file may give itself any
name.

A directory is recognized by its content: a list that shares hardly anything with it is another list, and a list of
practice providers never belongs to a directory of real ones.
"""

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from re import sub
from typing import BinaryIO

from django.db import connection

from apps.directory.list_formats.elements import Broken
from apps.directory.list_formats.lists import ListFile
from apps.directory.list_formats.rows import NotADirectory
from apps.directory.list_formats.terms import Terms

_SMALL = 10  # directories of fewer providers are maintained by hand, and may shrink freely
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
    """The directory holds another list. The text names it and says why; `is_replaceable` if staff may choose to replace
    it."""

    def __init__(self, text: str, *, is_replaceable: bool) -> None:
        super().__init__(text)
        self.is_replaceable = is_replaceable


@dataclass(frozen=True)
class Amount:
    """Numbers of rows of a directory."""

    providers: int
    endpoints: int


@dataclass(frozen=True)
class Held:
    """What is listed of a directory before an import, and whether its rows are the sandbox's: both kinds, or none if it
    is new."""

    amount: Amount
    kinds: frozenset[bool]


def name_of(file_name: str, file: BinaryIO, terms: Terms) -> str:
    """The name of the directory for a list, which is read up to its first row. A file that is no list has its file
    name."""
    one = ListFile(file, terms)
    with suppress(NotADirectory, Broken, OSError):  # whoever imports it says so
        next(one.rows(), None)
    return one.name or file_name


def as_fact(directory: str) -> str:
    """The name as an audit event can store it: unchanged, or simplified and with a digest that distinguishes it."""
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
    """After all rows are stored. Raises AnotherList if sandbox rows were mixed with others."""
    if before.kinds and not _kinds(directory) <= before.kinds:
        whose = "practice providers of the sandbox" if True in before.kinds else "no practice providers"
        raise AnotherList(f'the directory "{directory}" holds {whose}: the two cannot be mixed', is_replaceable=False)


def has_shrunk(directory: str, before: Held) -> bool:
    """Whether less than half of the directory is still listed. Raises AnotherList if in addition most of what is listed
    is new, so that there is hardly any overlap."""
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
    """For a small directory, only if nothing of it is left."""
    if held.providers < _SMALL:
        return held.providers > 0 and listed.providers > 0 and still.providers == 0
    return still.providers * 2 < min(held.providers, listed.providers) or still.endpoints * 2 < min(
        held.endpoints, listed.endpoints
    )


def _kinds(directory: str) -> frozenset[bool]:
    with connection.cursor() as cursor:
        cursor.execute(_KINDS, [directory])
        return frozenset(is_sandbox for (is_sandbox,) in cursor.fetchall())
