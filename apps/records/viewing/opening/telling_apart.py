"""Whose record each connection has, if one account has records of several people.

`patient_matching` judges who is the same person; here each person gets a label that nobody else has. A connection whose
person cannot be decrypted counts as a person of its own, so that nothing of one person is attributed to another.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from uuid import UUID

from django.utils.translation import gettext

from apps.connections.authorization_responses import candidates, patient_matching
from apps.connections.authorization_responses.candidates import Candidate
from apps.records.presenters.datatypes import dates
from apps.records.viewing.opening import connected

_UNKNOWN = Candidate(patient_id="", name="", birth_date="")


def told_apart(connections: Iterable[UUID], people: Mapping[UUID, Candidate]) -> dict[UUID, str]:
    """What to call each connection's person if there are several, all different; empty if there is only one. A person
    whose name is written in several ways gets one of them."""
    whose = patient_matching.of_each(connections, people)
    several: dict[int, Candidate] = {}
    for pk, number in whose.items():
        several.setdefault(number, people.get(pk, _UNKNOWN))
    if len(several) < 2:
        return {}
    shared = Counter(_folded(person) for person in several.values())
    called: dict[int, str] = {}
    for number, person in several.items():
        called[number] = _unlike(_called(person, is_shared=shared[_folded(person)] > 1), set(called.values()))
    return {pk: called[number] for pk, number in whose.items()}


def of_account(user_id: UUID) -> dict[UUID, str]:
    """The same for everybody whose record this user confirmed. Two queries; one if there is only one connection."""
    kept = connected.confirmed(user_id)
    if len(kept) < 2:
        return {}
    return told_apart((one.pk for one in kept), candidates.find_people(user_id, kept))


def _unlike(name: str, others: set[str]) -> str:
    """The name, numbered if it is already taken."""
    numbered, number = name, 1
    while numbered in others:
        number += 1
        numbered = f"{name} ({number})"
    return numbered


def _called(person: Candidate, *, is_shared: bool) -> str:
    """The name and, if two people share it, the birth date."""
    name = person.name or gettext("Name not given")
    if not is_shared:
        return name
    if not person.birth_date:
        return gettext("%(name)s, birth date not given") % {"name": name}
    return gettext("%(name)s, born %(date)s") % {"name": name, "date": dates.sent_date(person.birth_date)}


def _folded(person: Candidate) -> str:
    return " ".join(person.name.casefold().split())
