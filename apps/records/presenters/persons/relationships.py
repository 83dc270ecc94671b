"""The relationship of somebody to the patient, if it was sent as a code only: relatives, and contact persons."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import elements
from apps.records.presenters.codeable_concepts import title_of
from apps.records.presenters.persons.relatives import RELATIVE_WORDS, RELATIVES

# v2-0131 and its predecessor in DSTU2 (patient-contact-relationship), v2-0063, and the codes of v3-RoleCode for people
# who are not relatives.
WORDS: Final[Mapping[str, str | Promise]] = {
    **{code: RELATIVE_WORDS[relative] for code, relative in RELATIVES.items()},
    **dict.fromkeys(("c", "ep", "emergency", "emc", "econ"), _("Emergency contact")),
    **dict.fromkeys(("n", "nok"), _("Next of kin")),
    **dict.fromkeys(("cp", "con"), _("Contact person")),
    **dict.fromkeys(("bp", "guarantor", "guar"), _("For bills")),
    **dict.fromkeys(("e", "work", "emr"), _("Employer")),
    "i": _("Insurance"),
    **dict.fromkeys(("guardian", "guard", "grd"), _("Guardian")),
    **dict.fromkeys(("caregiver", "cgv"), _("Caregiver")),
    **dict.fromkeys(("friend", "frnd", "fnd"), _("Friend")),
    **dict.fromkeys(("partner", "dompart", "dom", "sigothr"), _("Partner")),
    "nbor": _("Neighbor"),
    "roomate": _("Roommate"),
    **dict.fromkeys(("powatt", "hpowatt", "agent"), _("Acts in your place")),
}


def read(concept: object) -> tuple[str, ...]:
    """The title of a concept; without one, the codes for which we have words, else the first code."""
    said = title_of(concept)
    if said:
        return (said,)
    codes = elements.codes(concept)
    return tuple(code for code in codes if code.lower() in WORDS) or codes[:1]


def in_words(said: str) -> str:
    """Our words for a code; anything else as sent."""
    return str(WORDS.get(said.lower(), said))
