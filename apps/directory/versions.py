"""What the two FHIR versions mean to a patient, and which is the better one."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.wire.dialects import FhirVersion


@dataclass(frozen=True)
class VersionWords:
    """A name and a sentence; `rank` puts the better version first."""

    rank: int
    name: str | Promise
    meaning: str | Promise


WORDS = {
    FhirVersion.R4: VersionWords(
        rank=0,
        name=_("The newer way (FHIR R4)"),
        meaning=_("Usually sends the most, with the most detail. Choose this one unless you were told otherwise."),
    ),
    FhirVersion.DSTU2: VersionWords(
        rank=1,
        name=_("The older way (FHIR DSTU2)"),
        meaning=_("For when the newer way does not work for you. It may send fewer kinds of entries."),
    ),
}


def words(fhir_version: str) -> VersionWords:
    """The words for one of the two versions."""
    return WORDS[FhirVersion(fhir_version)]
