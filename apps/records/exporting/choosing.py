"""The connections of which somebody can take a copy, and what the page says about each before they choose."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.connections.authorization_responses import candidates, patient_matching
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.models import Connection
from apps.connections.presenting import marks
from apps.records.exporting import gaps, stored
from apps.records.exporting.gaps import Gaps
from apps.records.exporting.stored import Source


@dataclass(frozen=True, repr=False)
class Choice:
    """One connection with its copy. `person` is whose record it is, as confirmed, or None if that does not open.
    `whose` is equal for the same person (`patient_matching`)."""

    connection: Connection
    source: Source
    person: Candidate | None
    whose: int
    entries: int
    gaps: Gaps


def choices(user: User, *, among: Collection[UUID] | None = None, at: datetime) -> tuple[Choice, ...]:
    """Every connection that was ever confirmed, oldest first, including ended ones with a copy; or only those `among`
    these, named and numbered as among all. The number of queries does not depend on the number of connections, as long
    as none of their servers changed its FHIR version. If one person's record is here twice from one provider, the name
    says which one it is. `at` is now: runs with a later time, from a wrong clock, are not taken for the latest."""
    rows = user.connections.confirmed().select_related("provider", "endpoint").order_by("created_at", "pk")
    connections = list(rows)
    people = candidates.find_people(user.pk, connections)
    whose = patient_matching.of_each([one.pk for one in connections], people)
    names = {pk: person.name for pk, person in people.items()}
    ways = marks.of_each(((one.provider_id, names.get(one.pk)), one) for one in connections)
    numbered = enumerate(connections, start=1)
    wanted = {number: one for number, one in numbered if among is None or one.pk in among}
    sources, missing = stored.sources(wanted), gaps.of_each(list(wanted.values()), at=at)
    return tuple(
        Choice(
            connection=one,
            source=_told_apart(sources[one.pk], ways[one.pk]),
            person=people.get(one.pk),
            whose=whose[one.pk],
            entries=sources[one.pk].held.count,
            gaps=missing[one.pk],
        )
        for one in wanted.values()
    )


def are_one_person(chosen: Sequence[Choice]) -> bool:
    """Whether these are records of one person: a summary must never mix two people's."""
    return len({choice.whose for choice in chosen}) <= 1


def asked_for(offered: Sequence[Choice], *, source: UUID | None, person: UUID | None) -> list[Choice]:
    """Only the connection `source`, if it is offered; else all records of the person to whom the connection `person`
    belongs; else none."""
    theirs = {choice.whose for choice in offered if choice.connection.pk == person}
    ticked = [choice for choice in offered if choice.connection.pk == source]
    return ticked or [choice for choice in offered if choice.whose in theirs]


def label(choice: Choice) -> str:
    """The provider, and whose record it is."""
    name = choice.person.name if choice.person is not None else ""
    if not name:
        return choice.source.provider
    return _("%(provider)s: record of %(name)s") % {"provider": choice.source.provider, "name": name}


def _told_apart(source: Source, way: str) -> Source:
    return replace(source, provider=f"{source.provider} ({way})") if way else source
