"""What Home says: whose records these are, what needs the patient, and their providers with the last check."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.accounts.models import User
from apps.connections import standing
from apps.connections.models import Connection
from apps.connections.standing import Standing
from apps.records import shelving

# More would hide the first; the rest is a number and a link (patient experience 2.1).
MOST_NEEDS = 3


@dataclass(frozen=True)
class ProviderRow:
    """One connection. `person` is the name the provider sent, or empty."""

    standing: Standing
    person: str

    @property
    def connection(self) -> Connection:
        """Whose row it is."""
        return self.standing.connection


@dataclass(frozen=True)
class Home:
    """`needs_you` is at most MOST_NEEDS long; `more_needs` counts the others."""

    people: tuple[str, ...]
    needs_you: Sequence[Standing]
    more_needs: int
    providers: tuple[ProviderRow, ...]


def of(user: User, *, at: datetime) -> Home:
    """Home of one user: three queries, however many connections there are."""
    standings = [one for one in standing.of_user(user, at=at) if not _is_overdue(one.connection, at=at)]
    confirmed = [one for one in standings if one.connection.confirmed_at is not None]
    names = shelving.names(user.pk, connection_ids=[one.connection.pk for one in confirmed])
    rows = tuple(ProviderRow(one, names.get(one.connection.pk, "")) for one in confirmed)
    needs = [one for one in standings if one.needs_you]
    return Home(
        people=tuple(dict.fromkeys(row.person for row in rows if row.person)),
        needs_you=needs[:MOST_NEEDS],
        more_needs=len(needs[MOST_NEEDS:]),
        providers=rows,
    )


def _is_overdue(connection: Connection, *, at: datetime) -> bool:
    """Nobody answered in time whose record it is: beat is about to drop it."""
    return connection.confirm_by_at is not None and connection.confirm_by_at <= at
