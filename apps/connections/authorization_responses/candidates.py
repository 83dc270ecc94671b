"""The people whom a sign-in led to, until the user says which of them is right: only id, name and birth date.

They are stored sealed on the connection that awaits confirmation, and padded, because names differ in length. The
confirmed person stays sealed on the connection. Nothing is decrypted unless it is asked for.
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
    """One person. `name` is as sent, or empty; `birth_date` is a FHIR date, possibly partial, or empty.
    `patient_matching` decides whether two are the same."""

    patient_id: str
    name: str
    birth_date: str


def read_candidates(patients: Sequence[Resource]) -> tuple[Candidate, ...]:
    """The people in the Patient resources that a server sent, each id once. What cannot be read is left empty."""
    people = {patient.logical_id: _read(patient) for patient in patients}
    return tuple(people.values())


def seal(connection: Connection, candidates: Sequence[Candidate]) -> bytes:
    """Seal candidates for their column."""
    return _seal(connection, "sealed_candidates", candidates)


def seal_person(connection: Connection, person: Candidate) -> bytes:
    """Seal the confirmed person for its column."""
    return _seal(connection, "sealed_person", [person])


def find(connection: Connection) -> tuple[Candidate, ...]:
    """Decrypt the candidates. Empty once the connection was confirmed or dropped, or the account was closed."""
    with suppress(Shredded), sealing.key_ring(Holder.user(connection.user_id)) as ring:
        return _open(connection, "sealed_candidates", ring)
    return ()


def find_people(user_id: UUID, connections: Iterable[Connection]) -> dict[UUID, Candidate]:
    """The person of each of these confirmed connections of one user, as shown when they were confirmed. The user's key
    is unlocked once. A value that cannot be decrypted is logged and left out, so that the others are still found."""
    with sealing.key_ring(Holder.user(user_id)) as ring:
        return find_people_with(ring, connections)


def find_people_with(ring: KeyRing, connections: Iterable[Connection]) -> dict[UUID, Candidate]:
    """The same, with a key ring that is already unlocked."""
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
    """The place of one of the two columns of people."""
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
    """A person may have several names; the official one comes first. DSTU2 sends the family name as a list, R4 as
    text."""
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
    """The visible text on one line, without lone surrogates and control characters."""
    if not isinstance(value, str):
        return ""
    visible = "".join(character if character.isprintable() else " " for character in value)
    return " ".join(visible.split())[:_LONGEST_NAME]
