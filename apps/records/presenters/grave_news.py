"""Whether something may carry grave news: pathology, cytology, genetics, HIV, the loss of a pregnancy (patient
experience 3.3).

We judge by names and codes, in any type of resource, and never by the result: if a page asked only before bad news, the
question itself would reveal it. FHIR uses table 0074 of HL7 v2 as well (v2-0074), in which CT is a CAT scan and CG
cytogenetics. The other codes are LOINC (https://loinc.org; (c) Regenstrief Institute, used under its license).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from apps.records.presenters import attachments, elements, plain_names
from apps.records.presenters.codeable_concepts import codes_of, title_of
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Code
from apps.records.presenters.memoizing import memoized

# The elements that name what a resource of each type is, in either FHIR version.
_NAMING: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "Composition": ("type", "class", "category"),
        "DiagnosticReport": ("code", "category"),
        "DocumentReference": ("type", "class", "category"),
        "Media": ("type", "subtype", "modality", "view", "reasonCode"),
        "Observation": ("code",),
    }
)
CARRIERS: Final = frozenset(_NAMING)  # types that may carry grave news

_SECTIONS: Final = frozenset({"PAT", "SP", "CP", "GE", "CG", "LP7839-6"})  # sections of a laboratory, by category
HIV: Final = frozenset(  # LOINC: antibodies, antigens and viral load
    {
        "5220-9", "5221-7", "5222-5", "5223-3", "5224-1", "5225-8", "7917-8", "7918-6", "7919-4", "9821-0", "20447-9",
        "29541-0", "29893-5", "30361-0", "31201-7", "42600-7", "42768-2", "43010-8", "48345-3", "48346-1", "49580-4",
        "53379-4", "53601-1", "56888-1", "58900-2", "68961-2", "69668-2", "73905-2", "73906-0", "75622-1", "75666-8",
        "77685-6", "80203-3", "80387-4", "83101-6", "85037-0", "89365-1",
    }
)  # fmt: skip
_LOINC: Final = frozenset(
    {
        # pathology
        "LP7839-6", "11526-1", "11529-5", "18743-5", "22634-0", "22635-7", "22637-3", "33721-2", "60567-5", "60568-3",
        "60570-9", "60571-7",
        # cytology, including screening smears
        "10524-7", "18500-9", "19762-4", "19764-0", "19765-7", "19766-5", "19774-9", "33716-2", "33717-0", "33718-8",
        "47527-7", "47528-5",
        # genetics
        "29770-5", "48018-6", "51969-4", "69548-6", "81247-9",
        *HIV,
    }
)  # fmt: skip
# English and Spanish. Speech pathology is speech therapy, and clinical pathology is any laboratory test. The words
# "archive" and "hives" contain "hiv".
_WORDS: Final = re.compile(
    r"(?<!speech )(?<!speech-)(?<!language )(?<!clinical )patholog(?!y (?:and|&) lab)|patol[oó]g|cytolog|cytopat|"
    r"citolog|citopat|histolog|histopat|biops|autops|\bpap (?:smear|test)|papanicolaou|gen[eé]tic|gen[oó]m|mutation|"
    r"mutaci|karyotyp|cariotip|chromosom|cromosom|(?:gen|hapl|dipl)ot[yi]p|\bbrca|\bhiv(?![a-z])|\bvih\b|"
    r"immunodeficiency virus|inmunodeficiencia humana|products of conception|miscarriage|pregnancy loss|"
    r"(?:spontaneous|missed) abortion|stillb|fetal d(?:eath|emise)|aborto espont|"
    r"p[eé]rdida (?:gestacional|del embarazo)|muerte fetal"
)
_IN_ANY_CASE: Final = re.compile(_WORDS.pattern, re.IGNORECASE)


def may_be_in(resource: Element, *, resource_type: str) -> bool:
    """Whether this resource, or one that it contains, may carry grave news. `resource_type` is the type under which it
    is stored, whatever the resource itself says."""
    if resource_type not in _NAMING:
        return False
    contained = (
        part for part in elements.children(resource, "contained") if elements.text(part, "resourceType") in _NAMING
    )
    return _may_carry(resource, resource_type) or any(
        _may_carry(part, elements.text(part, "resourceType")) for part in contained
    )


@memoized
def is_named_by(title: str, codes: Iterable[Code]) -> bool:
    """Whether something with this title or these codes may carry grave news."""
    return _says_so(title) or any(
        (plain_names.is_loinc(code) and code.code in _LOINC) or _says_so(code.display) for code in codes
    )


def _says_so(text: str) -> bool:
    """Whether the text contains one of the words. Searching in lower case takes a third of the time; but only for ASCII
    is lowering the text the same as ignoring case."""
    return bool(_WORDS.search(text.lower()) if text.isascii() else _IN_ANY_CASE.search(text))


def _may_carry(resource: Element, resource_type: str) -> bool:
    concepts = [concept for name in _NAMING[resource_type] for concept in elements.children(resource, name)]
    if resource_type == "Observation":  # pages show its components together with it
        concepts += [elements.child(part, "code") for part in elements.children(resource, "component")]
    return (
        any(is_named_by(title_of(concept), codes_of(concept)) for concept in concepts)
        or (resource_type == "DiagnosticReport" and not _SECTIONS.isdisjoint(_sections(resource)))
        or any(map(_says_so, _called(resource)))
    )


def _sections(resource: Element) -> Iterator[str]:
    """The category codes. Any of them counts, because the first category of a pathology report is often laboratory."""
    return (code.upper() for concept in elements.children(resource, "category") for code in elements.codes(concept))


def _called(resource: Element) -> Iterator[str]:
    """The descriptions and titles of a resource and of its files."""
    yield elements.text(resource, "description")
    if resource.get("resourceType") == "Composition":
        yield elements.text(resource, "title")
    own = {name: value for name, value in resource.items() if name != "contained"}
    yield from (file.described.title for file in attachments.files(own))
