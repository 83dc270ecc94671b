"""Medicines and devices as minimal R4 resources, from either version."""

from apps.records.exporting.ips import narrating, r4_elements, schedules
from apps.records.exporting.ips.clinical import Item, known_code
from apps.records.exporting.ips.r4_elements import Part
from apps.records.exporting.reading import PresentedRecord
from apps.records.presenters import codeable_concepts, elements, naming
from apps.records.presenters.datatypes import dates, moments
from apps.records.presenters.devices import DeviceEntry
from apps.records.presenters.dosing import dosages
from apps.records.presenters.entry import Code
from apps.records.presenters.medicines import substitutions
from apps.records.presenters.medicines.medications import Kind, MedicationEntry
from apps.records.viewing.facts import lines

_MOST_DOSAGES = 500  # of one medicine
_NOT_TAKEN = frozenset({"completed", "stopped", "cancelled", "not-taken", "draft"})
_ORDERED = frozenset({"active", "on-hold"})
_STATED = frozenset({"active", "on-hold", "intended"})
_INTENTS = frozenset(
    ("proposal", "plan", "order", "original-order", "reflex-order", "filler-order", "instance-order", "option")
)


def medicine(told: PresentedRecord) -> Item | None:
    """MedicationRequest or MedicationStatement (IPS). What is over, or is not to be taken, is left out: the section is
    for what is taken now."""
    sent = told.resource
    status = known_code(sent, "status", _NOT_TAKEN | _ORDERED | _STATED)
    if status in _NOT_TAKEN or any(elements.flag(sent, name) is True for name in ("wasNotTaken", "doNotPerform")):
        return None
    title, codes = _drug(told)
    dosage, ends = _dosages(told), _ends(told)
    named = {"medicationCodeableConcept": r4_elements.concept(title, codes)}
    why = r4_elements.concepts(sent, "statusReason", "reasonEnded", "reasonNotTaken")  # why it is paused, for example
    if told.entry.resource_type == "MedicationStatement":
        when = moments.read(sent, "effective", "dateAsserted", means="started")
        taken = r4_elements.moment("effective", when, is_needed=True)
        known = {"resourceType": "MedicationStatement", "status": status if status in _STATED else "unknown"}
        resource = r4_elements.without_empty({**known, "statusReason": why, **named, **taken, "dosage": dosage})
    else:
        when = moments.read(sent, "authoredOn", "dateWritten", means="prescribed")
        known = {"resourceType": "MedicationRequest", "status": status if status in _ORDERED else "unknown"}
        authored = {"authoredOn": r4_elements.date(when.starts), "dosageInstruction": dosage}
        noted, because = [{"text": said} for said in ends], {"statusReason": next(iter(why), {})}
        about = {**because, **_intended(told), **named, **authored, **_exchanged(told)}
        resource = r4_elements.without_empty({**known, **about, "note": noted})
    return Item(resource, title, narrating.details(told, *(each["text"] for each in dosage), *ends))


def _intended(told: PresentedRecord) -> Part:
    """The intent of the order. A MedicationOrder of DSTU2 is an order; if the intent is not one that R4 knows, it is
    not called one. For a medicine that was only reported, the intent means nothing, and the resource says that it was
    reported."""
    intent = known_code(told.resource, "intent", _INTENTS)
    if not intent and told.entry.resource_type == "MedicationOrder":
        intent = "order"
    is_reported = isinstance(told.entry, MedicationEntry) and told.entry.kind is Kind.REPORTED
    reported = {"reportedBoolean": True} if is_reported else {}
    return {**({"intent": intent} if intent else {"_intent": r4_elements.absent()}), **reported}


def _exchanged(told: PresentedRecord) -> Part:
    """That no other product may be dispensed in its place."""
    sent = told.entry.substitution if isinstance(told.entry, MedicationEntry) else None
    return {"substitution": {"allowedBoolean": False}} if substitutions.forbidden(sent) is not None else {}


def _ends(told: PresentedRecord) -> tuple[str, ...]:
    """The end of an order: even if nobody marked it as over, it has an end date."""
    sent = told.entry.ends_at if isinstance(told.entry, MedicationEntry) and told.entry.is_order else ""
    return (dates.sent_until(sent),) if sent else ()


def device(told: PresentedRecord) -> Item | None:
    """DeviceUseStatement (IPS) and its Device. One that is no longer in use is left out."""
    sent = told.resource
    status = known_code(sent, "status", ("available", "not-available", "active", "inactive"))
    status = {"available": "active", "not-available": "inactive"}.get(status, status)
    if status == "inactive":
        return None
    kind = elements.child(sent, "type")
    title = codeable_concepts.title_of(kind) or told.entry.title
    entry = told.entry if isinstance(told.entry, DeviceEntry) else DeviceEntry()
    number = elements.text(sent, "modelNumber")
    named = [{"name": entry.model, "type": "model-name"}] if entry.model != number else []
    thing = r4_elements.without_empty(
        {
            "resourceType": "Device",
            "status": status if status == "active" else "",
            "type": r4_elements.concept(title, codeable_concepts.codes_of(kind)),
            "udiCarrier": [{"carrierHRF": entry.udi}] if entry.udi else [],
            "manufacturer": entry.maker,
            "lotNumber": entry.lot,
            "serialNumber": entry.serial,
            "deviceName": named,
            "modelNumber": number,
            "safety": r4_elements.concepts(sent, "safety"),
        }
    )
    use = {"status": "active"} if status == "active" else {"_status": r4_elements.absent()}
    resource = {"resourceType": "DeviceUseStatement", **use, "_timingDateTime": r4_elements.absent()}
    return Item(resource, title, narrating.details(told), beside=thing, refers_by="device")


def _drug(told: PresentedRecord) -> tuple[str, tuple[Code, ...]]:
    """What it is called: directly, or in the Medication it refers to."""
    sent = told.resource
    for name in ("medicationCodeableConcept", "medication"):
        concept = elements.child(sent, name)
        if codeable_concepts.codes_of(concept) or codeable_concepts.title_of(concept):
            return codeable_concepts.title_of(concept) or told.entry.title, codeable_concepts.codes_of(concept)
    reference = elements.child(sent, "medicationReference")
    code = elements.child(told.context.find(reference, within=sent), "code")
    title = codeable_concepts.title_of(code) or naming.name_of(reference, told.context, within=sent) or told.entry.title
    return title, codeable_concepts.codes_of(code)


def _dosages(told: PresentedRecord) -> list[Part]:
    """Each dosage with all its lines, and a note if its text and its structured parts differ: Dosage.text is the whole
    instruction, for readers that ignore the parts. The timing stands beside it in structured form, unless that
    contradicts the text."""
    form = told.entry.form if isinstance(told.entry, MedicationEntry) else ""
    found = dosages.paired(told.resource, form=form, most=_MOST_DOSAGES)
    version = told.source.version
    said = (("; ".join(lines.of(dosage)), dosage, sent) for sent, dosage in found)
    return [
        {"text": text, **({} if dosage.differs else schedules.timing(sent, version=version))}
        for text, dosage, sent in said
        if text
    ]
