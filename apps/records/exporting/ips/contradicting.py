"""Statements of one provider that there is none, while another provider lists some.

The words of both stand in the section for people to read. A program that only reads entries must not find "no known
allergies" beside an allergy, and perhaps keep the wrong one of the two.
"""

from collections.abc import Iterable
from typing import Final

from apps.records.exporting.ips import clinical
from apps.records.exporting.ips.clinical import Item
from apps.records.presenters.absences import Absence, known_absence
from apps.records.presenters.codeable_concepts import codes_of

# The other statements are about everything in their section.
_CATEGORIES: Final = {
    Absence.MEDICINE_ALLERGIES: "medication",
    Absence.FOOD_ALLERGIES: "food",
    Absence.ENVIRONMENT_ALLERGIES: "environment",
}


def is_refuted(absence: Absence, listed: Iterable[Item]) -> bool:
    """Whether something listed contradicts the statement that there is none, and is not over. An item without a
    category may be of any; that there is none of something else, such as latex, refutes nothing."""
    category = _CATEGORIES.get(absence, "")
    return any(_may_be(category, item) for item in listed if not clinical.is_over(item) and not _says_none(item))


def _says_none(item: Item) -> bool:
    concept = item.resource.get("code") or item.resource.get("medicationCodeableConcept")
    return "modifierExtension" not in item.resource and bool(known_absence(codes_of(concept), item.title))


def _may_be(category: str, item: Item) -> bool:
    categories = item.resource.get("category", ())
    return not category or not categories or category in categories
