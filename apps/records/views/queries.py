"""What the query of an address asks for. What makes no sense asks for nothing."""

from uuid import UUID

from django.http import QueryDict


def source(query: QueryDict) -> UUID | None:
    """The one connection whose entries are wanted; None for those of all."""
    try:
        return UUID(query.get("from", ""))
    except ValueError:
        return None


def carried(query: QueryDict, *names: str) -> dict[str, str]:
    """What an address that leads on to another takes along there: these, as far as they are asked for."""
    return {name: query.get(name, "") for name in names if name in query}
