"""What a resource builder needs besides its fact: whose record it is, in which FHIR version, and how ids
are derived.
"""

import hashlib
import uuid
from dataclasses import dataclass

from apps.sandbox.people.clinic import WILLOW_CREEK, Clinic
from apps.sandbox.people.elements import Element
from apps.sandbox.people.person import Person

CLINIC = "clinic"  # owner of what belongs to the practice rather than to one patient
_NAMESPACE = uuid.UUID("6d1f0b0e-6a43-5f43-9d3b-6f1c7a2b9e55")


def logical_id(version: str, owner: str, resource_type: str, key: str) -> str:
    """The logical id of a resource: the same input gives the same id, and the two versions never share one.

    R4 ids are UUIDs, or composites as in the observed interface (`H-…` for health concerns, `lab-{order}-{n}` with 42
    characters and more); DSTU2 ids are long numbers.
    """
    seed = f"{version}/{owner}/{resource_type}/{key}"
    if version == "dstu2":
        return str(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:6], "big") + 10**14)
    return str(uuid.uuid5(_NAMESPACE, seed))


@dataclass(frozen=True)
class Chart:
    """One person's record in one FHIR version, as one clinic keeps it."""

    version: str
    person: Person
    clinic: Clinic = WILLOW_CREEK

    @property
    def patient_id(self) -> str:
        """The logical id of the person's Patient resource."""
        return self.id("Patient", "self")

    def id(self, resource_type: str, key: str) -> str:
        """The logical id of one of this person's resources."""
        made = logical_id(self.version, self.person.key, resource_type, key)
        prefix = key.partition(":")[0]
        if self.version == "r4" and prefix in ("lab", "H", "P", "E") and ":" in key:
            number = hashlib.sha256(key.encode()).digest()[0] % 9 + 1
            return f"lab-{made}-{number}" if prefix == "lab" else f"{prefix}-{made}"
        return made

    def subject(self) -> Element:
        """A reference to the person's Patient resource."""
        return {"reference": f"Patient/{self.patient_id}", "display": self.person.name}

    def to(self, resource_type: str, key: str | None) -> Element | None:
        """A reference to another resource of this person; None for no key."""
        if key is None:
            return None
        return {"reference": f"{resource_type}/{self.id(resource_type, key)}"}

    def to_clinic(self, resource_type: str, key: str, display: str | None = None) -> Element:
        """A reference to a resource of the practice."""
        return {
            "reference": f"{resource_type}/{logical_id(self.version, CLINIC, resource_type, key)}",
            "display": display,
        }

    def to_organization(self, key: str) -> Element:
        """A reference to the practice, or to an organization it works with, with the name to show."""
        return self.to_clinic("Organization", key, self.clinic.organizations[key].name)

    def to_practitioner(self, key: str) -> Element:
        """A reference to one of the practice's practitioners, with the name to show."""
        return self.to_clinic("Practitioner", key, self.clinic.practitioners[key].name)
