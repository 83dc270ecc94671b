"""What came with the tokens besides whose record it is: who signed in, and which visit was open in the portal.

A parent who signs in for a child is somebody else than the patient (interface facts 3.6). Kept sealed, on the
connection.
"""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum

from apps.connections.models import Connection
from apps.vault import sealing
from apps.vault.errors import VaultError
from apps.vault.sealing import Holder, Place


class SignedIn(StrEnum):
    """Who used the provider's page, as far as it said."""

    PATIENT = "patient"
    ANOTHER_PATIENT = "another_patient"  # somebody with a record of their own there: a parent, mostly
    RELATIVE = "relative"
    STAFF = "staff"
    UNKNOWN = "unknown"


_BY_TYPE = {
    "RelatedPerson": SignedIn.RELATIVE,
    "Person": SignedIn.RELATIVE,
    "Practitioner": SignedIn.STAFF,
    "PractitionerRole": SignedIn.STAFF,
}


@dataclass(frozen=True, repr=False)
class Context:
    """`fhir_user` is a reference such as "Patient/123" on the connection's own FHIR base URL, or empty; `encounter` the
    id of a visit there, or empty."""

    fhir_user: str = ""
    encounter: str = ""

    def signed_in(self, patient_id: str) -> SignedIn:
        """Who signed in for the record of this patient."""
        resource_type, _, logical_id = self.fhir_user.partition("/")
        if resource_type == "Patient":
            return SignedIn.PATIENT if logical_id == patient_id else SignedIn.ANOTHER_PATIENT
        return _BY_TYPE.get(resource_type, SignedIn.UNKNOWN)


def seal(connection: Connection, context: Context) -> bytes | None:
    """The sealed form for the connection's column; None where nothing came."""
    if context == Context():
        return None
    plain = json.dumps(asdict(context)).encode()
    return sealing.seal_body(plain, holder=Holder.user(connection.user_id), place=place_of(connection))


def find(connection: Connection) -> Context:
    """Open it; an empty one where there is none, or where it does not open any more."""
    if connection.sealed_context is None:
        return Context()
    try:
        plain = sealing.open_body(
            bytes(connection.sealed_context), holder=Holder.user(connection.user_id), place=place_of(connection)
        )
    except VaultError:
        return Context()
    return Context(**json.loads(plain))


def place_of(connection: Connection) -> Place:
    """Of `Connection.sealed_context`."""
    return Place("connection", "sealed_context", (str(connection.pk),))
