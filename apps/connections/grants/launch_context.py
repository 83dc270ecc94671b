"""What came with the tokens besides the patient: who signed in, and which visit was open in the portal.

A parent who signs in for a child is not the patient (interface facts 3.6). It is stored sealed, on the connection.
"""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum

from apps.connections.models import Connection
from apps.vault import sealing
from apps.vault.errors import VaultError
from apps.vault.sealing import Holder, Place


class SignedIn(StrEnum):
    """Who signed in at the provider, as far as it said."""

    PATIENT = "patient"
    ANOTHER_PATIENT = "another_patient"  # somebody with a record of their own there, mostly a parent
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
class LaunchContext:
    """`fhir_user` is a reference such as "Patient/123", relative to the connection's FHIR base URL, or empty;
    `encounter` is the id of a visit there, or empty."""

    fhir_user: str = ""
    encounter: str = ""

    def signed_in(self, patient_id: str) -> SignedIn:
        """Who signed in, given the id of the patient whom the record is about."""
        resource_type, _, logical_id = self.fhir_user.partition("/")
        if resource_type == "Patient":
            return SignedIn.PATIENT if logical_id == patient_id else SignedIn.ANOTHER_PATIENT
        return _BY_TYPE.get(resource_type, SignedIn.UNKNOWN)


def seal(connection: Connection, context: LaunchContext) -> bytes | None:
    """Seal the context for the connection's column; None if it is empty."""
    if context == LaunchContext():
        return None
    plain = json.dumps(asdict(context)).encode()
    return sealing.seal_body(plain, holder=Holder.user(connection.user_id), place=place_of(connection))


def find(connection: Connection) -> LaunchContext:
    """Decrypt the context; an empty one if there is none, or if it can no longer be decrypted."""
    if connection.sealed_context is None:
        return LaunchContext()
    try:
        plain = sealing.open_body(
            bytes(connection.sealed_context), holder=Holder.user(connection.user_id), place=place_of(connection)
        )
    except VaultError:
        return LaunchContext()
    return LaunchContext(**json.loads(plain))


def place_of(connection: Connection) -> Place:
    """The place of `Connection.sealed_context`."""
    return Place("connection", "sealed_context", (str(connection.pk),))
