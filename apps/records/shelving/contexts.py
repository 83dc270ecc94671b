"""The context in which a connection's resources are presented: the resources that they refer to, and the patient's
birth date."""

import re
from collections.abc import Iterable
from datetime import date
from typing import Final

from apps.connections.models import Connection
from apps.records import bodies
from apps.records.models import Record
from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.subjects import REFERRED_TO
from apps.vault.sealing import KeyRing
from apps.wire import datetimes
from apps.wire.datetimes import Precision

TYPES: Final = (*REFERRED_TO, "Device", "Specimen")
_MOST: Final = 2000  # resources kept parsed: a clinic has about so many doctors, a gateway more
_ROUNDS: Final = 2  # a PractitionerRole refers to a Practitioner
_REFERENCES: Final = re.compile(
    rb'"reference"\s*:\s*"(?:[^"]{0,500}/)?(' + "|".join(TYPES).encode() + rb')\\?/([^"/\\?#%\x00-\x20\x7f]{1,1000})'
)


class ContextReader:
    """Reads what a batch of bodies refers to with a query or two, and keeps some of it for the next batch.

    A resource that does not open is treated as absent: the reference to it may still carry a name.
    """

    def __init__(self, connection: Connection, ring: KeyRing, *, today: date, birth_date: date | None = None) -> None:
        """`birth_date` is the patient's, if the caller knows it: otherwise it is read."""
        self._today = today
        self._connection = connection
        self._ring = ring
        self._others: dict[str, Element] = {}
        self._birth_date = birth_date or self._read_birth_date()

    def of(self, bodies: Iterable[bytes]) -> Context:
        """The context to present these bodies with."""
        if len(self._others) > _MOST:
            self._others = {}
        wanted = _referred_to(bodies)
        for _round in range(_ROUNDS):
            missing = [path for path in wanted if "/".join(path) not in self._others]
            wanted = _referred_to(self._fetch(missing)) if missing else set()
        root, patient = self._connection.endpoint.fhir_base_url, self._connection.fhir_patient_id
        return Context(self._others, self._birth_date, root=root, patient=patient, today=self._today)

    def _fetch(self, paths: list[tuple[str, str]]) -> list[bytes]:
        self._others |= {"/".join(path): {} for path in paths}  # what we do not have is not asked for again
        found = []
        for resource_type, logical_id, body in self._opened(paths):
            path = f"{resource_type}/{logical_id}"
            if path in self._others:
                self._others[path] = elements.parse(body)
                found.append(body)
        return found

    def _opened(self, paths: list[tuple[str, str]]) -> Iterable[tuple[str, str, bytes]]:
        rows = Record.objects.filter(
            user_id=self._connection.user_id,
            connection_id=self._connection.id,
            resource_type__in={resource_type for resource_type, _id in paths},
            logical_id__in={logical_id for _type, logical_id in paths},
        )
        for resource_type, logical_id, sealed in rows.values_list("resource_type", "logical_id", "sealed_body"):
            named = {"resource_type": resource_type, "logical_id": logical_id}
            body = bodies.find(sealed, self._ring, connection_id=self._connection.id, **named)
            if body is not None:
                yield resource_type, logical_id, body

    def _read_birth_date(self) -> date | None:
        for _type, _id, body in self._opened([("Patient", self._connection.fhir_patient_id)]):
            born = datetimes.parse(elements.text(elements.parse(body), "birthDate"))
            return born.first_day if born is not None and born.precision >= Precision.DAY else None
        return None


def refer(bodies: Iterable[bytes]) -> bool:
    """Whether any of these bodies refers to a resource of `TYPES`."""
    return any(_REFERENCES.search(body) for body in bodies)


def _referred_to(bodies: Iterable[bytes]) -> set[tuple[str, str]]:
    found = {pair for body in bodies for pair in _REFERENCES.findall(body)}
    return {(kind.decode(), name.decode("utf-8", "replace")) for kind, name in found}
