"""Whether something may carry grave news: pathology, cytology, genetics, HIV, the loss of a pregnancy (patient
experience 3.3).

Told by what it is called and by its codes, in whatever resource it comes, and never by what it says: a page that asks
before good news alone would tell the bad. Table 0074 of HL7 v2 is FHIR's too (v2-0074): CT is a CAT scan there, CG
cytogenetics. Codes are of LOINC (https://loinc.org; (c) Regenstrief Institute, used under its license).
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

# Where each type says what it is, in either version.
_NAMING: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "Composition": ("type", "class", "category"),
        "DiagnosticReport": ("code", "category"),
        "DocumentReference": ("type", "class", "category"),
        "Media": ("type", "subtype", "modality", "view", "reasonCode"),
        "Observation": ("code",),
    }
)
CARRIERS: Final = frozenset(_NAMING)  # types that may carry any

_SECTIONS: Final = frozenset({"PAT", "SP", "CP", "GE", "CG", "LP7839-6"})  # of a laboratory: a report's categories
HIV: Final = frozenset(  # antibodies, antigens, and how much of it there is; of LOINC
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
        # cytology, the smears of screening among it
        "10524-7", "18500-9", "19762-4", "19764-0", "19765-7", "19766-5", "19774-9", "33716-2", "33717-0", "33718-8",
        "47527-7", "47528-5",
        # genetics
        "29770-5", "48018-6", "51969-4", "69548-6", "81247-9",
        *HIV,
    }
)  # fmt: skip
# English and Spanish. Speech pathology teaches to speak, clinical pathology is what any laboratory does; an archive
# and hives are no HIV.
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
    """Whether this resource may carry any, or one that it contains. The type is what it is stored under, whatever it
    says."""
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
    """Whether what is called so may carry any."""
    return _says_so(title) or any(
        (plain_names.is_loinc(code) and code.code in _LOINC) or _says_so(code.display) for code in codes
    )


def _says_so(text: str) -> bool:
    """Whether one of these words is in it. Looked for in small letters they are found in a third of the time; what such
    letters are of others than ours, the expression itself knows best."""
    return bool(_WORDS.search(text.lower()) if text.isascii() else _IN_ANY_CASE.search(text))


def _may_carry(resource: Element, resource_type: str) -> bool:
    concepts = [concept for name in _NAMING[resource_type] for concept in elements.children(resource, name)]
    if resource_type == "Observation":  # its parts are told with it
        concepts += [elements.child(part, "code") for part in elements.children(resource, "component")]
    return (
        any(is_named_by(title_of(concept), codes_of(concept)) for concept in concepts)
        or (resource_type == "DiagnosticReport" and not _SECTIONS.isdisjoint(_sections(resource)))
        or any(map(_says_so, _called(resource)))
    )


def _sections(resource: Element) -> Iterator[str]:
    """Pathology is often called a laboratory's first: any of its categories counts."""
    return (code.upper() for concept in elements.children(resource, "category") for code in elements.codes(concept))


def _called(resource: Element) -> Iterator[str]:
    """What its files are called, and a document."""
    yield elements.text(resource, "description")
    if resource.get("resourceType") == "Composition":
        yield elements.text(resource, "title")
    own = {name: value for name, value in resource.items() if name != "contained"}
    yield from (file.described.title for file in attachments.files(own))
