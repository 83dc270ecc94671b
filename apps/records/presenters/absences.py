"""Entries that say there is nothing: "no known allergies", and those that say nothing is known.

Both are facts in their own right, and neither is an allergy or a medicine (patient experience 2.3 and 3.2). We
recognize them by the codes of the International Patient Summary and SNOMED CT, or if the whole text is one of a few
common phrases, but never by a part of a text.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters.entry import Code

_SNOMED = frozenset({"http://snomed.info/sct", "urn:oid:2.16.840.1.113883.6.96"})
_IPS = "absent-unknown-uv-ips"
_KEY = "none-known:"


class Absence(StrEnum):
    """What there is none of."""

    ALLERGIES = "allergies"
    MEDICINE_ALLERGIES = "medicine-allergies"
    FOOD_ALLERGIES = "food-allergies"
    ENVIRONMENT_ALLERGIES = "environment-allergies"
    LATEX_ALLERGIES = "latex-allergies"
    CONDITIONS = "conditions"
    MEDICATIONS = "medications"
    PROCEDURES = "procedures"
    IMMUNIZATIONS = "immunizations"
    DEVICES = "devices"


# Our words, for a code that came without words.
WORDS: Mapping[Absence, str | Promise] = {
    Absence.ALLERGIES: _("No known allergies"),
    Absence.MEDICINE_ALLERGIES: _("No known medicine allergies"),
    Absence.FOOD_ALLERGIES: _("No known food allergies"),
    Absence.ENVIRONMENT_ALLERGIES: _("No known allergies to things around you"),
    Absence.LATEX_ALLERGIES: _("No known latex allergy"),
    Absence.CONDITIONS: _("No known health conditions"),
    Absence.MEDICATIONS: _("No known medicines"),
    Absence.PROCEDURES: _("No known procedures"),
    Absence.IMMUNIZATIONS: _("No known vaccines"),
    Absence.DEVICES: _("No known devices"),
}
_BY_SNOMED = {
    "716186003": Absence.ALLERGIES,
    "160244002": Absence.ALLERGIES,
    "409137002": Absence.MEDICINE_ALLERGIES,
    "429625007": Absence.FOOD_ALLERGIES,
    "428607008": Absence.ENVIRONMENT_ALLERGIES,
    "716184000": Absence.LATEX_ALLERGIES,
    "1003774007": Absence.LATEX_ALLERGIES,
    "160245001": Absence.CONDITIONS,
    "787481004": Absence.MEDICATIONS,
    "787480003": Absence.PROCEDURES,
    "787483001": Absence.DEVICES,
}
_BY_IPS = {
    "no-known-allergies": Absence.ALLERGIES,
    "no-known-medication-allergies": Absence.MEDICINE_ALLERGIES,
    "no-known-food-allergies": Absence.FOOD_ALLERGIES,
    "no-known-environmental-allergies": Absence.ENVIRONMENT_ALLERGIES,
    "no-known-problems": Absence.CONDITIONS,
    "no-known-medications": Absence.MEDICATIONS,
    "no-known-procedures": Absence.PROCEDURES,
    "no-known-immunizations": Absence.IMMUNIZATIONS,
    "no-known-devices": Absence.DEVICES,
}
_BY_PHRASE = {
    "no known allergies": Absence.ALLERGIES,
    "no known allergy": Absence.ALLERGIES,
    "nka": Absence.ALLERGIES,
    "no known drug allergies": Absence.MEDICINE_ALLERGIES,
    "no known drug allergy": Absence.MEDICINE_ALLERGIES,
    "no known medication allergies": Absence.MEDICINE_ALLERGIES,
    "nkda": Absence.MEDICINE_ALLERGIES,
    "no known food allergies": Absence.FOOD_ALLERGIES,
    "no known food allergy": Absence.FOOD_ALLERGIES,
    "no known environmental allergies": Absence.ENVIRONMENT_ALLERGIES,
    "no known latex allergy": Absence.LATEX_ALLERGIES,
    "no known problems": Absence.CONDITIONS,
    "no known medications": Absence.MEDICATIONS,
    "no known procedures": Absence.PROCEDURES,
    "no known immunizations": Absence.IMMUNIZATIONS,
    "no known devices": Absence.DEVICES,
}
_NO_INFORMATION = frozenset(
    f"no-{kind}-info" for kind in ("allergy", "medication", "problem", "procedure", "immunization", "device")
)
_NOT_ASKED = frozenset({"1631000175102"})  # SNOMED CT: patient not asked


def known_absence(codes: Iterable[Code], title: str) -> Absence | None:
    """What the provider says there is none of; None if the entry is about something that exists. The title counts only
    if no code says it."""
    coded = (_absence_of(code) for code in codes)
    return next(filter(None, coded), None) or _BY_PHRASE.get(" ".join(title.casefold().rstrip(".").split()))


def key_of(absence: Absence) -> str:
    """The key of an absence in an index of words. No plain name has such a key."""
    return f"{_KEY}{absence.value}"


def read_key(key: str) -> Absence | None:
    """The absence for which `key_of` returned this key; None for any other text."""
    value = key.removeprefix(_KEY)
    return Absence(value) if value != key and value in set(Absence) else None


def says_no_information(codes: Iterable[Code]) -> bool:
    """Whether the provider says that it has no information about things of this kind."""
    return any(
        (code.system.endswith(_IPS) and code.code in _NO_INFORMATION)
        or (code.system in _SNOMED and code.code in _NOT_ASKED)
        for code in codes
    )


def _absence_of(code: Code) -> Absence | None:
    if code.system.rstrip("/") in _SNOMED:
        return _BY_SNOMED.get(code.code)
    return _BY_IPS.get(code.code) if code.system.endswith(_IPS) else None
