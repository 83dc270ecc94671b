"""What Home says: whose records these are, what needs the patient, and their providers with the last check."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from apps.accounts.models import User
from apps.connections.presenting import standing
from apps.connections.presenting.standing import Standing

# More would hide the first; the rest is a number and a link (patient experience 2.1).
MOST_NEEDS = 3


@dataclass(frozen=True)
class Home:
    """`providers` has a row for each connection that was confirmed, `people` whose records these are, by name, each
    with one connection of theirs. `needs_you` is at most MOST_NEEDS long; `more_needs` counts the others."""

    people: Mapping[str, UUID]
    needs_you: Sequence[Standing]
    more_needs: int
    providers: Sequence[Standing]


def of(user: User, *, at: datetime) -> Home:
    """Home of one user: two queries, however many connections there are."""
    standings = standing.of_user(user, at=at)
    needs = [one for one in standings if one.needs_you]
    people: dict[str, UUID] = {}
    for one in standings:
        if one.person:
            people.setdefault(one.person, one.connection.pk)
    return Home(
        people=people,
        needs_you=needs[:MOST_NEEDS],
        more_needs=len(needs[MOST_NEEDS:]),
        providers=[one for one in standings if one.connection.confirmed_at is not None],
    )
