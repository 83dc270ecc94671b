"""Social history: Observations about how somebody lives, such as smoking (patient experience 3.10).

The value is read like that of any result and shown in the provider's words; we conclude nothing from it. These entries
are never on the first page, and are never shared unless the patient ticks them.
"""

from apps.records.presenters import elements
from apps.records.presenters.codeable_concepts import codes_of
from apps.records.presenters.elements import Element
from apps.records.presenters.memoizing import memoized

_CATEGORIES = frozenset({"social-history", "sdoh"})
_LOINC = "loinc.org"
# LOINC codes, for observations without a category: smoking, tobacco, alcohol, drugs, sex and gender, housing, food.
_CODES = frozenset(
    (
        "72166-2", "11367-0", "39240-7", "81229-7", "74013-4", "11331-6", "11343-1", "74204-9", "76689-9", "76690-7",
        "76691-5", "71802-3", "88122-7", "88123-5", "93025-5", "63586-2", "67875-5", "82589-3", "96777-8", "96778-6",
    )
)  # fmt: skip


def is_social(resource: Element) -> bool:
    """Whether an Observation is about social history."""
    return _is_social(resource.get("category"), resource.get("code"))


@memoized
def _is_social(category: object, code: object) -> bool:
    resource = {"category": category, "code": code}
    categories = [code for category in elements.children(resource, "category") for code in codes_of(category)]
    if any(code.code.lower() in _CATEGORIES for code in categories):
        return True
    coded = codes_of(elements.child(resource, "code"))
    return any(code.code in _CODES and _LOINC in code.system for code in coded)
