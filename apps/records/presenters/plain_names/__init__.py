"""What common tests, vital signs, health conditions, documents and visits are called in plain words, by their codes.

The names are ours, and say what something is, never what it means for somebody. Codes of which we are not sure are left
out, so that pages show only the provider's words. Otherwise pages show both (patient experience 1.2).
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from django.utils.translation import get_language

from apps.records.presenters.entry import Code
from apps.records.presenters.plain_names.conditions import CONDITIONS
from apps.records.presenters.plain_names.documents import DOCUMENTS
from apps.records.presenters.plain_names.measurements import MEASUREMENTS
from apps.records.presenters.plain_names.name import PlainName
from apps.records.presenters.plain_names.visits import VISITS

NAMES: Final = (*MEASUREMENTS, *CONDITIONS, *DOCUMENTS, *VISITS)

_LOINC: Final = frozenset(
    {"http://loinc.org", "urn:oid:2.16.840.1.113883.6.1", "https://loinc.org", "http://www.loinc.org"}
)
_SNOMED: Final = frozenset({"http://snomed.info/sct", "urn:oid:2.16.840.1.113883.6.96"})
_ICD_10: Final = frozenset(
    {
        "http://hl7.org/fhir/sid/icd-10-cm", "http://hl7.org/fhir/sid/icd-10", "urn:oid:2.16.840.1.113883.6.90",
        "urn:oid:2.16.840.1.113883.6.3",
    }
)  # fmt: skip
_BY_KEY: Final = {name.key: name for name in NAMES}
_BY_LOINC: Final = {code: name for name in MEASUREMENTS for code in name.loinc}
_BY_SNOMED: Final = {code: name for name in CONDITIONS for code in name.snomed}
_BY_ICD_10: Final = {code: name for name in CONDITIONS for code in name.icd10}
_BY_SYSTEM: Final = {
    system: by_code
    for systems, by_code in ((_LOINC, _BY_LOINC), (_SNOMED, _BY_SNOMED), (_ICD_10, _BY_ICD_10))
    for system in systems
}
# Names that are only for resources of one type, by that type.
_BY_TYPE: Final = {
    "DocumentReference": {system: {code: name for name in DOCUMENTS for code in name.loinc} for system in _LOINC},
    "Encounter": {system: {code: name for name in VISITS for code in name.snomed} for system in _SNOMED},
}


def is_loinc(code: Code) -> bool:
    """Whether a coding is from LOINC, however its system is written."""
    return code.system.rstrip("/") in _LOINC


def is_snomed(code: Code) -> bool:
    """Whether a coding is from SNOMED CT, however its system is written."""
    return code.system.rstrip("/") in _SNOMED


def is_known(code: str) -> bool:
    """Whether there is a name for this LOINC code."""
    return code in _BY_LOINC


def of(codes: Iterable[Code]) -> PlainName | None:
    """The plain name for these codings; None if we know none, or if two of them mean different things."""
    return _of(codes, _BY_SYSTEM)


def _of(codes: Iterable[Code], names: Mapping[str, Mapping[str, PlainName]]) -> PlainName | None:
    found: PlainName | None = None
    for code in codes:
        by_code = names.get(code.system.rstrip("/"))
        meant = by_code.get(code.code) if by_code else None
        if meant is not None and found is not None and meant.key != found.key:
            return None
        found = meant or found
    return found


def of_resource(resource_type: str, codes: Iterable[Code]) -> PlainName | None:
    """The plain name for a resource of this type. The name of a condition is for a Condition only: a goal, an order or
    an answer may have the same code, but says something else about it. Likewise, the name of a document or a visit is
    for these only: an order for a visit is not a visit."""
    if resource_type in _BY_TYPE:
        return _of(codes, _BY_TYPE[resource_type])
    found = of(codes)
    is_fit = found is None or bool(found.loinc) or resource_type == "Condition"
    return found if is_fit else None


def in_words(name: PlainName, language: str = "") -> str:
    """A plain name in the reader's language. Callers with many names look up the `language` once and pass it. The words
    are cached: plain names identify nobody."""
    return _in_words(name.key, language or get_language() or "")


def called(key: str) -> str:
    """The plain name with this key, in the reader's language; empty if there is none."""
    return _in_words(key, get_language() or "") if key in _BY_KEY else ""


@cache
def _in_words(key: str, _language: str) -> str:
    return str(_BY_KEY[key].words)


def of_test(test: str) -> PlainName | None:
    """The plain name for the key of a test (`ResultEntry.test`)."""
    system, _, code = test.partition(":")
    return _BY_LOINC.get(code) if system == "loinc" else None
