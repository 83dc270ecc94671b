"""What staff state about a list because lists do not."""

from dataclasses import dataclass

from apps.directory.list_formats.guarding import Guard
from apps.wire.dialects import FhirVersion, Interface


@dataclass(frozen=True)
class Terms:
    """The interface of the list's endpoints, and their FHIR version if neither a row nor its address states one (None:
    then the row is refused). Our own format states both. `guard` decides which addresses we accept."""

    guard: Guard
    interface: Interface = Interface.SMART
    fhir_version: FhirVersion | None = None
