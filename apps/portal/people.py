"""Whose records an account has, and which providers these come from: names and dates, nothing from a record."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext

from apps.connections.authorization_responses import candidates
from apps.connections.presenting.standing import ShownConnection
from apps.portal import homepage
from apps.portal.homepage import Line
from apps.records.viewing.opening import telling_apart
from apps.vault.sealing import KeyRing


@dataclass(frozen=True)
class Person:
    """A person by the name that tells them apart on pages of the record, with their first connection and a line for
    each."""

    name: str
    connection_id: UUID
    lines: tuple[Line, ...]


def of(found: Sequence[ShownConnection], ring: KeyRing) -> list[Person]:
    """Everybody whose record was confirmed; the person of the oldest connection first. One query."""
    kept = [one for one in found if one.connection.confirmed_at is not None]
    kept.sort(key=lambda one: (one.connection.created_at, one.connection.pk))
    people = candidates.find_people_with(ring, (one.connection for one in kept))
    named = telling_apart.told_apart((one.connection.pk for one in kept), people)
    alone = next((person.name for person in people.values() if person.name), gettext("Name not given"))
    theirs: dict[str, list[Line]] = {}
    for line in homepage.lines(kept):
        theirs.setdefault(named.get(line.standing.connection.pk, alone), []).append(line)
    return [Person(name, lines[0].standing.connection.pk, tuple(lines)) for name, lines in theirs.items()]
