"""A share, its sources and its readers, as tests of the life of shares expect them to be."""

from dataclasses import dataclass, field
from datetime import date, datetime

from django.test import Client
from django.urls import reverse

from apps.connections.models import Connection
from apps.sharing import making
from apps.sharing.models import Share
from apps.sharing.terms import Terms
from tests.records.several_people import HERS
from tests.sharing.life_cycle_record import SUBJECTS, Provider, Row


@dataclass
class Source:
    """A link, what its provider has, and what of that was copied."""

    connection: Connection
    provider: Provider
    held: dict[int, Row] = field(default_factory=dict)
    once_grave: set[int] = field(default_factory=set)
    broken: set[int] = field(default_factory=set)
    name: str = HERS


@dataclass
class Opened:
    """Somebody was let in."""

    name: str
    way: str
    at: datetime
    files: set[str] = field(default_factory=set)


@dataclass
class Given:
    """A share as its owner and its readers should find it."""

    share: Share
    terms: Terms
    link: str
    tries: int = making.TRIES
    typed: set[str] = field(default_factory=set)
    opened: list[Opened] = field(default_factory=list)
    owner_opened: int = 0
    refused: int = 0
    is_ended: bool = False
    browsers: list[Client] = field(default_factory=lambda: [Client(), Client()])
    visits: dict[int, Opened] = field(default_factory=dict)
    locations: list[tuple[datetime, str]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return reverse("shared", args=[self.terms.token])


def is_named(terms: Terms, row: Row) -> bool:
    """Whether a page of these terms names the row, apart from what other rows say of it."""
    if SUBJECTS[row.kind].key not in terms.subjects or row.is_withdrawn or not row.is_here:
        return False
    is_lasting = row.kind in {"AllergyIntolerance", "Condition"}
    if terms.since is not None and not is_lasting and date.fromisoformat(row.day) < terms.since:
        return False
    return terms.tells_sensitive or not row.reveals or row.kind == "AllergyIntolerance"
