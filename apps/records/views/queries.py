"""What the query of an address asks for. What makes no sense asks for nothing."""

from uuid import UUID

from django.http import QueryDict

from apps.records.viewing.opening.whole import Owner


def source(query: QueryDict) -> UUID | None:
    """The one connection whose entries are wanted; None for those of all."""
    return _id(query, "from")


def person(query: QueryDict) -> UUID | None:
    """A connection of the one person whose entries are wanted; None for those of all."""
    return _id(query, "of")


def kept(owner: Owner | None) -> str:
    """What the address of another page ends with, so that it is of the same person's record."""
    return f"?of={owner.connection_id}" if owner else ""


def kept_of(query: QueryDict) -> str:
    """The same for a page of one entry, which need not know whose records there are: the next page does."""
    asked = person(query)
    return f"?of={asked}" if asked else ""


def _id(query: QueryDict, name: str) -> UUID | None:
    try:
        return UUID(query.get(name, ""))
    except ValueError:
        return None


def carried(query: QueryDict, *names: str) -> dict[str, str]:
    """What an address that leads on to another takes along there: these, as far as they are asked for."""
    return {name: query.get(name, "") for name in names if name in query}
