"""Any resource at all, shown as faithfully as possible without knowing its type (patient experience 3.10, last row).

We look for its name, date, status and people in the elements that FHIR usually has for them. `outline` shows the rest.
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from apps.records.presenters import elements
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import first_name, is_in_place_of_a_name, title_of
from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.dosing.dosages import Dosage
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context, Entry
from apps.records.presenters.generic import particulars, schedules, statuses, vision_prescriptions
from apps.records.presenters.generic.particular_words import TURNING, What
from apps.records.presenters.generic.particulars import Particular
from apps.records.presenters.generic.vision_prescriptions import Lens
from apps.records.presenters.heads import head
from apps.records.presenters.naming import name_of, names_of, own_name
from apps.records.presenters.narratives import opening

_LONGEST_TITLE = 200
# The elements that name a resource, the best first: concepts, Codings, References, HumanNames or texts.
_NAMING = (
    "title", "code", "medicationCodeableConcept", "vaccineCode", "name", "display", "serviceType", "type", "kind",
    "description", "medicationReference", "medication", "substance", "device", "food", "foodType", "focus", "topic",
    "subType", "category", "class", "reasonCode", "reason", "appointmentType", "policy", "method", "modality",
    "scope", "purpose", "comment", "summary", "bodySite", "relationship", "product", "outcome", "event",
    "targetDisease", "codeCodeableConcept", "codeReference", "itemCodeableConcept", "itemReference", "suppliedItem",
    "deviceCodeableConcept", "deviceReference", "morphology", "orderedItem", "study",
)  # fmt: skip
# Elements that may be plain codes, which are not words.
_CODES_ONLY = frozenset({"kind", "scope", "purpose", "type", "class", "category", "modality", "outcome"})
_NESTED = ("item", "payload", "section", "component", "study", "series", "oralDiet", "supplement", "enteralFormula")
_NAMING_PARTS = (
    "contentString", "productOrService", "service", "text", "baseFormulaProductName", "baseFormulaType",
)  # fmt: skip
_DATES = (
    ("start", "planned"), ("period", "started"), ("billablePeriod", "care"), ("servicePeriod", "care"),
    ("coveragePeriod", "valid"), ("paymentDate", "paid"), ("effective", "recorded"), ("performed", "recorded"),
    ("occurrence", "recorded"), ("occurred", "recorded"), ("date", "written-down"), ("dateTime", "written-down"),
    ("authoredOn", "written-down"), ("authored", "written-down"), ("sent", "recorded"), ("started", "done"),
    ("whenHandedOver", "given"), ("whenPrepared", "given"), ("dateWritten", "prescribed"), ("issued", "reported"),
    ("recordedDate", "written-down"), ("dateRecorded", "written-down"), ("assertedDate", "written-down"),
    ("recorded", "written-down"), ("created", "written-down"), ("timing", "planned"),
    ("servicedPeriod", "care"), ("serviced", "care"), ("onset", "started"), ("identified", "recorded"),
    ("event", "recorded"), ("detected", "recorded"), ("received", "recorded"), ("requestedPeriod", "planned"),
    ("requested", "written-down"), ("dateAsserted", "written-down"), ("indexed", "written-down"),
    ("effectiveTime", "recorded"), ("collected", "collected"), ("timestamp", "recorded"), ("lastUpdate", "recorded"),
    ("whenUsed", "started"), ("scheduled", "planned"), ("executionPeriod", "started"), ("orderedOn", "written-down"),
    ("requestedOn", "written-down"), ("recordedOn", "written-down"), ("authoringTime", "written-down"),
    ("time", "recorded"), ("lastModified", "recorded"), ("activePeriod", "valid"), ("enteredDate", "written-down"),
)  # fmt: skip
# What the dates of these types mean, if that does not follow from the element's name.
_MEANT = {
    "DeviceUseStatement": {"timing": "used", "whenUsed": "used"},
    "DeviceRequest": {"occurrence": "planned"},
    "SupplyRequest": {"occurrence": "planned"},
    "CommunicationRequest": {"occurrence": "planned"},
}
_PEOPLE = (
    "author", "performer", "asserter", "recorder", "requester", "orderer", "prescriber", "provider", "sender",
    "operator", "creator", "practitioner", "actor", "responsibleParty", "insurer", "facility", "owner",
    "managingOrganization", "source", "enterer", "dispenser", "assessor", "careManager", "interpreter", "referrer",
    "supplier", "contributor", "authority", "careTeam", "team", "who", "issuer", "organization", "custodian",
    "attester", "performingOrganization", "requestingOrganization",
)  # fmt: skip

_WHO = ("actor", "member", "provider", "party")


class GenericEntry(Entry, frozen=True, kw_only=True, gc=False):
    """An entry of a type that has no page of its own. `applies` is the period in which a consent applies, `records_of`
    the period of the records that it covers; `due` is when a task should be done."""

    particulars: tuple[Particular, ...] = ()
    applies: When = UNDATED
    records_of: When = UNDATED
    due: When = UNDATED
    schedule: tuple[Dosage, ...] = ()
    lenses: tuple[Lens, ...] = ()


def present(resource: Element, context: Context) -> GenericEntry:
    """Read a resource of any type."""
    heading = head(resource, _concept(resource))
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return GenericEntry(**heading)
    heading["title"] = _title(resource, context) or opening(heading["narrative"])[:_LONGEST_TITLE]
    status = statuses.read(resource)
    rule = elements.child(resource, "provision")
    return GenericEntry(
        **heading,
        when=_when(resource, context),
        status=status,
        group=statuses.group_of(status),
        people=names_of(_people(resource), context, within=resource),
        said=notes(resource, "note", "comment", "comments", "notes"),
        particulars=tuple(_beside(heading["title"], particulars.of(resource, context))),
        applies=moments.of_period(elements.child(rule, "period"), means="valid"),
        records_of=moments.of_period(elements.child(rule, "dataPeriod"), means="recorded"),
        due=moments.of_period(elements.child(elements.child(resource, "restriction"), "period"), means="due"),
        schedule=schedules.read(resource),
        lenses=vision_prescriptions.read(resource) if resource.get("resourceType") == "VisionPrescription" else (),
    )


def _people(resource: Element) -> Iterator[Element]:
    """The people involved. Some types in R4 wrap each of them in an element that also says their function."""
    sent = (found for name in _PEOPLE for found in elements.children(resource, name))
    return (next(filter(None, (elements.child(found, name) for name in _WHO)), found) for found in sent)


def _beside(title: str, told: Iterable[Particular]) -> Iterator[Particular]:
    """The particulars without those that repeat the title. One that excludes or rules something out always stays."""
    for one in told:
        said = tuple(each for each in one.said if each != title) if one.what is What.DETAIL else one.said
        if said and (said != (title,) or one.what in TURNING):
            yield replace(one, said=said)


def _concept(resource: Element) -> Element:
    return next((found for name in ("code", "type", "category") if (found := elements.child(resource, name))), {})


def _title(resource: Element, context: Context) -> str:
    """The first title that is not a mere substitute for a name. A code counts as a title: what the resource is about
    comes first."""
    spare = []
    for said in filter(None, _titles(resource, context)):
        if not is_in_place_of_a_name(said):
            return said[:_LONGEST_TITLE]
        spare.append(said)
    return first_name(spare)


def _titles(resource: Element, context: Context) -> Iterator[str]:
    """The texts of the elements that name a resource, then of those that name its parts."""
    for name in _NAMING:
        yield _said(resource, name, resource, context)
    for nested in _NESTED:
        for part in elements.children(resource, nested):
            for name in (*_NAMING, *_NAMING_PARTS):
                yield _said(part, name, resource, context)


def _said(element: Element, name: str, resource: Element, context: Context) -> str:
    value = element.get(name)
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str) and name in _CODES_ONLY:
            continue
        if isinstance(item, dict) and "reference" in item:
            said = name_of(item, context, within=resource)
        else:
            human = own_name({"name": item}, context) if name == "name" else ""
            said = title_of(item) or human or elements.text(item, "display")
        if said:
            return said
    return ""


def _when(resource: Element, context: Context) -> When:
    meant = _MEANT.get(elements.text(resource, "resourceType"), {})
    dates = ((name, meant.get(name, means)) for name, means in _DATES)
    read = (moments.read(resource, name, means=means, birth_date=context.birth_date) for name, means in dates)
    found = next(filter(None, read), None)
    if found is not None:
        return found
    parts = (part for name in ("event", "collection", "history") for part in elements.children(resource, name))
    nested = (moments.read(part, name, means=means) for part in parts for name, means in _DATES)
    return next(filter(None, nested), When())
