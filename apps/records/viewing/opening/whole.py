"""Somebody's whole record: the connections it comes from, and all their shelves, opened for one page.

Three queries, however much there is: the connections, the key, the shelves. One more if some record was never checked
as a whole, or not for long.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from apps.accounts import time_zones
from apps.accounts.models import User
from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.models import Connection
from apps.connections.presenting import marks
from apps.records.models import Record
from apps.records.shelving import reading, renewing
from apps.records.shelving.reading import OpenShelf
from apps.records.subjects import Subject
from apps.records.viewing.opening import connected, freshness, looking, overview, telling_apart
from apps.records.viewing.opening.freshness import Freshness
from apps.vault import sealing
from apps.vault.sealing import Holder, KeyRing
from apps.wire import datetimes


@dataclass(frozen=True)
class Source:
    """A connection that contributes: its provider's name, and how current it is. `person` is whose record it is, if
    this reader has records of several people; `way` says how it is read, if one provider sends one person's record in
    several ways, and that it is an earlier copy, if another is read in the same way. `patient` is that person as this
    provider names them, or None if that does not open; `born` is their birth date, if one of their providers states it.
    `proven` is how current each kind of entry is, if the whole is not."""

    connection: Connection
    checked_at: datetime | None
    is_out_of_date: bool
    person: str = ""
    way: str = ""
    patient: Candidate | None = None
    born: date | None = None
    proven: Freshness | None = field(default=None, compare=False)

    @property
    def is_copied(self) -> bool:
        """Whether a first copy has ended, complete or not."""
        return self.checked_at is not None or (self.proven is not None and self.proven.is_copied)

    @property
    def is_arriving(self) -> bool:
        """Whether a first copy is under way, and may bring more."""
        return self.proven is not None and not self.is_copied

    @cached_property
    def provider(self) -> str:
        """The provider's name, with whose record it has and how we read it if there are several."""
        return self._named(self.person, self.way)

    @cached_property
    def name(self) -> str:
        """The same for all ways in which we read one person's record there."""
        return self._named(self.person)

    @cached_property
    def clinic(self) -> str:
        """The provider's name alone. Asked once: each row of a list needs it, and Django looks for it each time."""
        return self.connection.provider.name

    def _named(self, *apart: str) -> str:
        told = ", ".join(filter(None, apart))
        return f"{self.clinic} ({told})" if told else self.clinic


@dataclass(frozen=True)
class Owner:
    """Somebody whose record it is: their name, and one of their connections."""

    name: str
    connection_id: UUID


@dataclass(frozen=True)
class Whole:
    """What a page of the record is made from. `ring` opens its leaves while the page is assembled."""

    user_id: UUID
    sources: Mapping[UUID, Source]
    shelves: tuple[OpenShelf, ...]
    ring: KeyRing
    at: datetime

    def of_the_person_of(self, connection_id: UUID) -> "Whole":
        """The part that belongs to one person: nobody's values are another's."""
        person = self.sources[connection_id].person
        return self._of(pk for pk, source in self.sources.items() if source.person == person)

    def of_one_person(self, connection_id: UUID) -> "Whole":
        """The same for a page that says once whose record it is: there, each source is named by its provider alone."""
        theirs = self.of_the_person_of(connection_id)
        return replace(theirs, sources={pk: replace(source, person="") for pk, source in theirs.sources.items()})

    def of_the_source(self, connection_id: UUID) -> "Whole":
        """The part that came by one connection."""
        return self._of([connection_id])

    def _of(self, connection_ids: Iterable[UUID]) -> "Whole":
        sources = {pk: self.sources[pk] for pk in connection_ids}
        shelves = tuple(shelf for shelf in self.shelves if shelf.connection_id in sources)
        return replace(self, sources=sources, shelves=shelves)

    def sources_of(self, subjects: Collection[Subject]) -> Mapping[UUID, Source]:
        """The same connections, each as current as its entries of these subjects."""
        return {pk: _as_of(source, subjects, at=self.at) for pk, source in self.sources.items()}

    @property
    def people(self) -> tuple[Candidate, ...]:
        """The people it is about, as the providers name them, each once."""
        told = (source.patient for source in self.sources.values() if source.patient is not None)
        return tuple(dict.fromkeys(replace(one, patient_id="") for one in told))

    @property
    def owners(self) -> tuple[Owner, ...]:
        """Each of them once, as pages distinguish them."""
        first: dict[str, UUID] = {}
        for pk, source in self.sources.items():
            first.setdefault(source.person, pk)
        return tuple(Owner(name, pk) for name, pk in first.items())

    def owner_by(self, connection_id: UUID | None) -> Owner | None:
        """Whose record this connection has; None if the connection is not among these."""
        source = self.sources.get(connection_id) if connection_id else None
        return next((one for one in self.owners if source is not None and one.name == source.person), None)

    def of_one(self, connection_id: UUID | None) -> tuple["Whole", Owner | None]:
        """The record of the one person to whom this connection belongs, and that person, if its reader has records of
        several people; else all of it, and None. The page says once whose it is, and not in each row."""
        owner = self.owner_by(connection_id) if len(self.owners) > 1 else None
        return (self.of_one_person(owner.connection_id) if owner else self), owner

    @property
    def more_than_once(self) -> tuple[str, ...]:
        """The providers from which one person's record is here more than once: read in several ways, or with an earlier
        copy. Counts then include duplicates that lists show once."""
        return tuple(dict.fromkeys(source.name for source in self.sources.values() if source.way))

    @property
    def does_not_open(self) -> bool:
        """Whether some shelf cannot be read, so that a page does not show everything."""
        return any(shelf.index is None for shelf in self.shelves)

    @property
    def lacks_some(self) -> bool:
        """Whether there are records that do not open."""
        return any(shelf.lacks_some for shelf in self.shelves)

    def read_again(self) -> "Whole":
        """The same with the shelves as they are now."""
        keys = {shelf.subject for shelf in self.shelves}
        found = reading.shelves(self.user_id, self.ring, subjects=keys)
        return replace(self, shelves=tuple(shelf for shelf in found if shelf.connection_id in self.sources))

    def held_unseen(self, subject: Subject) -> set[UUID]:
        """The connections for which we hold entries of this subject that no shelf shows. One query if shelves are
        missing."""
        told = {shelf.connection_id for shelf in self.of(subject) if shelf.index is not None}
        unseen = {shelf.connection_id for shelf in self.of(subject) if shelf.index is None or shelf.lacks_some}
        if missing := set(self.sources) - told - unseen:
            records = Record.objects.filter(user_id=self.user_id, connection_id__in=missing, removed_at__isnull=True)
            kept = records.filter(resource_type__in=subject.resource_types)
            unseen.update(kept.values_list("connection_id", flat=True).distinct())
        return unseen

    def of(self, subject: Subject) -> tuple[OpenShelf, ...]:
        """The shelves of one subject."""
        return tuple(shelf for shelf in self.shelves if shelf.subject == subject.key)


@contextmanager
def opened(
    user: User, subjects: Iterable[Subject], *, session: MutableMapping[str, Any], at: datetime
) -> Iterator[Whole]:
    """The whole record of its owner, limited to these subjects; the look is noted."""
    keys = [subject.key for subject in subjects]
    with sealing.key_ring(Holder.user(user.pk)) as ring:
        yield of(user, reading.shelves(user.pk, ring, subjects=keys), ring, session=session, at=at)


def opened_with(
    ring: KeyRing,
    connections: Iterable[Connection],
    user: User,
    subjects: Iterable[Subject],
    *,
    session: MutableMapping[str, Any],
    at: datetime,
) -> Whole:
    """The same with a key that is unlocked already, and all confirmed connections at hand."""
    keys = [subject.key for subject in subjects]
    known = sorted(connections, key=lambda one: (one.created_at, one.pk))
    return _of(user, known, reading.shelves(user.pk, ring, subjects=keys), ring, session=session, at=at)


def of(
    user: User, shelves: Iterable[OpenShelf], ring: KeyRing, *, session: MutableMapping[str, Any], at: datetime
) -> Whole:
    """The same for shelves that are open already."""
    return _of(user, connected.confirmed(user.pk), shelves, ring, session=session, at=at)


def _of(
    user: User,
    connections: Sequence[Connection],
    shelves: Iterable[OpenShelf],
    ring: KeyRing,
    *,
    session: MutableMapping[str, Any],
    at: datetime,
) -> Whole:
    shelves = tuple(shelves)
    sources = _sources(user.pk, connections, at=at)
    looking.note([source.connection for source in sources.values()], session=session, at=at)
    renewing.ask_for(_of_another_zone(shelves, str(time_zones.of(user))))
    people = candidates.find_people_with(ring, (source.connection for source in sources.values()))
    named = telling_apart.told_apart(sources, people)
    born = _born(people, named)
    sources = _with_ways(
        {
            pk: replace(source, person=named.get(pk, ""), patient=people.get(pk), born=born.get(named.get(pk, "")))
            for pk, source in sources.items()
        }
    )
    return Whole(
        user_id=user.pk,
        sources=sources,
        shelves=tuple(shelf for shelf in shelves if shelf.connection_id in sources),
        ring=ring,
        at=at,
    )


def _born(people: Mapping[UUID, Candidate], named: Mapping[UUID, str]) -> dict[str, date]:
    """When each person was born, by name: the most precise date that a provider states."""
    told: dict[str, str] = {}
    for pk, person in people.items():
        name = named.get(pk, "")
        told[name] = max(told.get(name, ""), person.birth_date, key=len)
    read = {name: datetimes.parse(birth_date) for name, birth_date in told.items()}
    return {name: found.first_day for name, found in read.items() if found is not None}


def _of_another_zone(shelves: Iterable[OpenShelf], zone: str) -> list[int]:
    """Shelves that were built while their reader had another time zone, so that some entries stand under the year in
    that zone."""
    return [shelf.pk for shelf in shelves if shelf.index is not None and shelf.index.zone not in {"", zone}]


def _with_ways(sources: Mapping[UUID, Source]) -> dict[UUID, Source]:
    """The same, each with its way if one provider has several for one person."""
    ways = marks.of_each(
        ((source.connection.provider_id, source.person), source.connection) for source in sources.values()
    )
    return {pk: replace(source, way=ways[pk]) for pk, source in sources.items()}


def _sources(user_id: UUID, connections: Sequence[Connection], *, at: datetime) -> dict[UUID, Source]:
    proven = freshness.of(user_id, (one.pk for one in connections if not overview.is_current(one, at=at)), at=at)
    return {connection.pk: _source(connection, proven.get(connection.pk), at=at) for connection in connections}


def _source(connection: Connection, proven: Freshness | None, *, at: datetime) -> Source:
    is_out_of_date = overview.is_out_of_date(connection, at=at)
    return Source(connection, connection.last_checked_at, is_out_of_date, proven=proven)


def _as_of(source: Source, subjects: Collection[Subject], *, at: datetime) -> Source:
    proven_at = source.proven.at(subjects) if source.proven is not None else None
    if proven_at is None or (source.checked_at is not None and proven_at <= source.checked_at):
        return source
    is_out_of_date = overview.is_out_of_date(source.connection, at=at, checked_at=proven_at)
    return replace(source, checked_at=proven_at, is_out_of_date=is_out_of_date)
