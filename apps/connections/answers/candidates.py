"""The people a sign-in led to, before anybody said which of them is right: id, name and birth date, and nothing else.

They exist sealed, padded because names have lengths, on a connection that awaits confirmation; the one who was chosen
stays so on the connection. All are opened by asking for them.
"""

import json
import logging
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from apps.connections.models import Connection
from apps.vault import sealing
from apps.vault.errors import Shredded, VaultError
from apps.vault.sealing import Holder, KeyRing, Place
from apps.wire.fhir import Resource

_LOG = logging.getLogger(__name__)

_LONGEST_NAME = 200
_BIRTH_DATE = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?")
_PREFERRED_USES = ("official", "usual")  # HumanName.use, in both FHIR versions


@dataclass(frozen=True, repr=False)
class Candidate:
    """One person. `name` is as sent, or empty; `birth_date` is a possibly partial FHIR date, or empty.
    `patient_matching` judges whether two are the same."""

    patient_id: str
    name: str
    birth_date: str


def read_candidates(patients: Sequence[Resource]) -> tuple[Candidate, ...]:
    """The people in the Patient resources a server sent, each id once. Whatever cannot be read of one is left empty."""
    people = {patient.logical_id: _read(patient) for patient in patients}
    return tuple(people.values())


def seal(connection: Connection, candidates: Sequence[Candidate]) -> bytes:
    """The sealed form, for the column of candidates."""
    return _seal(connection, "sealed_candidates", candidates)


def seal_person(connection: Connection, person: Candidate) -> bytes:
    """The sealed form of the one who was chosen, for the column of the person."""
    return _seal(connection, "sealed_person", [person])


def find(connection: Connection) -> tuple[Candidate, ...]:
    """Open them. None are left once the connection was confirmed or dropped, or the account closed."""
    with suppress(Shredded), sealing.key_ring(Holder.user(connection.user_id)) as ring:
        return _open(connection, "sealed_candidates", ring)
    return ()


def find_people(user_id: UUID, connections: Iterable[Connection]) -> dict[UUID, Candidate]:
    """Whom each of one user's confirmed connections is for, as they were shown when they were chosen; the user's key is
    unlocked once. What does not open is logged and left out, so that it never hides the others."""
    with sealing.key_ring(Holder.user(user_id)) as ring:
        return find_people_with(ring, connections)


def find_people_with(ring: KeyRing, connections: Iterable[Connection]) -> dict[UUID, Candidate]:
    """The same with a key that is unlocked already."""
    people: dict[UUID, Candidate] = {}
    for connection in connections:
        try:
            person = next(iter(_open(connection, "sealed_person", ring)), None)
        except VaultError as error:
            _LOG.error("A person does not open: connection %s: %s", connection.pk, error)
            continue
        if person is not None:
            people[connection.pk] = person
    return people


def _seal(connection: Connection, field: str, people: Sequence[Candidate]) -> bytes:
    plain = json.dumps([asdict(person) for person in people]).encode()
    return sealing.seal_body(plain, holder=Holder.user(connection.user_id), place=place_of(connection, field))


def _open(connection: Connection, field: str, ring: KeyRing) -> tuple[Candidate, ...]:
    sealed = getattr(connection, field)
    if sealed is None:
        return ()
    plain = ring.open_body(bytes(sealed), place=place_of(connection, field))
    return tuple(Candidate(**given) for given in json.loads(plain))


def place_of(connection: Connection, field: str) -> Place:
    """Of one of the two columns of people."""
    return Place("connection", field, (str(connection.pk),))


def _read(patient: Resource) -> Candidate:
    try:
        body = json.loads(patient.body)
    except (ValueError, RecursionError):
        body = {}
    given = body if isinstance(body, dict) else {}
    birth_date = given.get("birthDate")
    is_date = isinstance(birth_date, str) and _BIRTH_DATE.fullmatch(birth_date)
    return Candidate(
        patient_id=patient.logical_id, name=_name(given.get("name")), birth_date=str(birth_date) if is_date else ""
    )


def _name(names: Any) -> str:
    """A person may have several names: the official one first. DSTU2 sends family as a list, R4 as text."""
    given = [name for name in names if isinstance(name, dict)] if isinstance(names, list) else []
    given.sort(key=lambda name: name.get("use") not in _PREFERRED_USES)
    written = (_text(name.get("text")) or _joined(name) for name in given)
    return next((name for name in written if name), "")


def _joined(name: dict[str, Any]) -> str:
    parts = [*_texts(name.get("given")), *_texts(name.get("family")), *_texts(name.get("suffix"))]
    return " ".join(parts)[:_LONGEST_NAME]


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in map(_text, values) if text]


def _text(value: Any) -> str:
    """Visible text on one line; lone surrogates and control characters are dropped."""
    if not isinstance(value, str):
        return ""
    visible = "".join(character if character.isprintable() else " " for character in value)
    return " ".join(visible.split())[:_LONGEST_NAME]
