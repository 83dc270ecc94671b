"""What the holder of a token may see below one root. Each interface implements it; the data routes only need this."""

from typing import Protocol

from apps.sandbox.fhir.refusing import Refusal


class Access(Protocol):
    """Decided by resource type and interaction ("read" or "search"), as consent and scopes are."""

    def patients(self, resource_type: str, interaction: str) -> tuple[str, ...]:
        """The Patients whose resources of this type may be accessed in this way, the account's own first."""

    def refusal(self, resource_type: str, interaction: str) -> Refusal | None:
        """Why resources of this type may not be accessed in this way, or None."""
