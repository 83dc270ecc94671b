"""Query parameters of our addresses: how they are read and written. Invalid ones are ignored."""

from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict

from apps.records.viewing.opening.whole import Owner

SOURCE: Final = "from"
PERSON: Final = "of"
SEARCH: Final = "number"


def source(query: QueryDict) -> UUID | None:
    """The one connection whose entries are wanted; None for all."""
    return _id(query, SOURCE)


def person(query: QueryDict) -> UUID | None:
    """Any connection of the one person whose entries are wanted; None for all."""
    return _id(query, PERSON)


def kept(owner: Owner | None) -> str:
    """The query string that keeps another page to the same person's record."""
    return kept_by(owner.connection_id if owner else None)


def kept_of(query: QueryDict) -> str:
    """The same for the page of one entry, which need not know the reader's other records: the next page does."""
    return kept_by(person(query))


def kept_by(connection_id: UUID | None, *, search: str = "") -> str:
    """The same, given a connection of that person or None for everybody's, and the number of the search that is
    shown."""
    asked = {PERSON: str(connection_id or ""), SEARCH: search}
    told = {name: value for name, value in asked.items() if value}
    return f"?{urlencode(told)}" if told else ""


def _id(query: QueryDict, name: str) -> UUID | None:
    try:
        return UUID(query.get(name, ""))
    except ValueError:
        return None


def carried(query: QueryDict, *names: str) -> dict[str, str]:
    """The parameters that an address hands on to another: those of these names that are present."""
    return {name: query.get(name, "") for name in names if name in query}
