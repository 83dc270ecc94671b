"""Whose record each connection keeps, where one reader has records of several people.

Those of another birth date or another first name, as twins are, are other people. Where a birth date was not sent, or
only in part, a record is of the one person whom it can be of by name and date; where it could be of several, it stands
for itself: nothing of one person is told of another.
"""

from collections import Counter
from collections.abc import Mapping
from typing import TypeAlias
from uuid import UUID

from django.utils.translation import gettext

from apps.connections.answers.candidates import Candidate
from apps.records.presenters import dates

_Known: TypeAlias = tuple[str, str]


def told_apart(people: Mapping[UUID, Candidate]) -> dict[UUID, str]:
    """What to call each connection's person, where there are several, no two of them alike; empty where there is one.
    One person may be written in several ways, and is called as one of them does."""
    written: dict[_Known, Candidate] = {}
    for person in people.values():
        written.setdefault(_known_by(person), person)
    same = {known: _whole(known, written) for known in written}
    several = {known: written[known] for known in dict.fromkeys(same.values())}
    if len(several) < 2:
        return {}
    shared = Counter(_folded(person) for person in several.values())
    called = {known: _called(person, is_shared=shared[_folded(person)] > 1) for known, person in several.items()}
    return {pk: called[same[_known_by(person)]] for pk, person in people.items()}


def _called(person: Candidate, *, is_shared: bool) -> str:
    """By name, and where two have the same, also by the birth date."""
    name = person.name or gettext("Name not given")
    if not is_shared:
        return name
    if not person.birth_date:
        return gettext("%(name)s, birth date not given") % {"name": name}
    return gettext("%(name)s, born %(date)s") % {"name": name, "date": dates.sent_date(person.birth_date)}


def _folded(person: Candidate) -> str:
    return " ".join(person.name.casefold().split())


def _known_by(person: Candidate) -> _Known:
    return person.birth_date, next(iter(person.name.casefold().split()), "")


def _whole(known: _Known, written: Mapping[_Known, Candidate]) -> _Known:
    """The one that says more of the birth date and can be the same person; itself where there is none, or several."""
    born, first = known
    found = [
        other
        for other in written
        if other[1] == first
        and other[0] != born
        and other[0].startswith(born)
        and written[known].is_named_like(written[other])
    ]
    longest = [other for other in found if not any(more != other and more[0].startswith(other[0]) for more in found)]
    return longest[0] if len(longest) == 1 and first else known
