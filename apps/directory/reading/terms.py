"""What staff say about a list, because lists do not."""

from dataclasses import dataclass

from apps.directory.reading.guarding import Guard
from apps.wire.dialects import FhirVersion, Interface


@dataclass(frozen=True)
class Terms:
    """Which interface the endpoints of a list speak, and their FHIR version where neither a row nor its address states
    one (None: then the row is refused). Our own format states both itself. `guard` knows which addresses we allow."""

    guard: Guard
    interface: Interface = Interface.SMART
    fhir_version: FhirVersion | None = None
