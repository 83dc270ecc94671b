"""What the holder of a token may see below one root. Each interface has its own kind; the data routes ask this much."""

from typing import Protocol

from apps.sandbox.fhir.refusing import Refusal


class Access(Protocol):
    """Asked per resource type and interaction ("read" or "search"), since consent and scopes are."""

    def patients(self, resource_type: str, interaction: str) -> tuple[str, ...]:
        """The Patients whose resources of this type may be seen so, the account's own first."""

    def refusal(self, resource_type: str, interaction: str) -> Refusal | None:
        """Why resources of this type may not be seen so; None when they may."""
