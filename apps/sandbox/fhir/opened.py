"""What a token of interface A permits, as the `fhir.access.Access` that the data routes need."""

from dataclasses import dataclass

from django.http import HttpRequest

from apps.sandbox import bearer
from apps.sandbox.fhir.refusing import Refusal


@dataclass(frozen=True)
class Opened:
    """The same patients for every type, except the types that the patient left out."""

    access: bearer.Access

    def patients(self, _resource_type: str, _interaction: str) -> tuple[str, ...]:
        """The same patients whatever the type."""
        return self.access.patient_ids

    def refusal(self, resource_type: str, _interaction: str) -> Refusal | None:
        """Consent is by resource type, for reading and searching alike."""
        is_denied = resource_type in self.access.denied_types
        return Refusal(403, "forbidden", "Access was denied by the user") if is_denied else None


def by(request: HttpRequest, version: str) -> Opened:
    """What the request's token permits in `version`. Raises bearer.Unauthorized."""
    return Opened(bearer.access_from(request, version))
