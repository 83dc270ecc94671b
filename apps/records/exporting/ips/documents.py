"""The document itself: a Composition, what its sections refer to, and where everything came from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import msgspec
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.records.exporting import added_resources
from apps.records.exporting.choosing import Choice
from apps.records.exporting.ips import (
    absence_statements,
    contradicting,
    doctors,
    explaining,
    gathering,
    patient_narrative,
    patients,
    r4_elements,
    section_tables,
)
from apps.records.exporting.ips.doctors import Doctor
from apps.records.exporting.ips.extents import Extent
from apps.records.exporting.ips.gathering import Gathered, SectionEntry
from apps.records.exporting.ips.r4_elements import Part
from apps.records.exporting.ips.sections import SECTIONS, Section
from apps.records.exporting.ips.selecting import NoneKnown
from apps.records.exporting.portions import WHOLE, Portion
from apps.records.exporting.stored import Source
from apps.records.subjects import LISTED

_PROFILES = "http://hl7.org/fhir/uv/ips/StructureDefinition/"
_ENCODER = msgspec.json.Encoder(decimal_format="number")


def document(choices: Sequence[Choice], *, at: datetime, tells_answers: bool = True, portion: Portion = WHOLE) -> bytes:
    """The summary of one person, from these connections, as of now: a Bundle as JSON. Without `tells_answers`, it only
    counts what the person answered about how they live and feel.

    It includes what the `portion` holds. If that is for others, even if it is the whole record, nothing in the document
    reveals that there is more.

    Raises `apps.vault.errors.VaultError` if nothing of this person can be opened.
    """
    extent = Extent(portion, tells_answers).knowing_grave(choices, today=at.date())
    choices = _asked(choices, extent)
    found_patients, gathered = gathering.gather(choices, extent, today=at.date())
    heard = _heard(choices, gathered.values()) if extent.is_shared else choices
    pages = _pages(choices, heard, found_patients, gathered.values(), extent, at)
    told = [section for section in SECTIONS if _is_there(section, gathered[section.loinc], choices, extent)]
    sections = [_section(section, gathered[section.loinc], choices, pages, extent, at) for section in told]
    author = pages.add(_author(), "Device", "holdfast")
    identity = added_resources.identity("Composition", added_resources.instant(at), *_ids(choices))
    composition = {
        "resourceType": "Composition",
        "meta": {"profile": [f"{_PROFILES}Composition-uv-ips"]},
        "language": _language(),
        "text": _narrative(explaining.origins(heard, extent, at)),
        "identifier": _own_identifier(identity),
        "status": "final",
        "type": r4_elements.coded("http://loinc.org", "60591-5", "Patient summary Document"),
        "subject": pages.patient,
        "date": added_resources.instant(at),
        "author": [author],  # a program: nobody curated the document
        "title": _("Patient summary"),
        "section": sections,
    }
    for choice in choices:
        pages.add_provenance(choice.source, at)
    return _ENCODER.encode(_bundle([_entry(identity, composition), *pages.entries], choices, at)) + b"\n"


class _Pages:
    """The entries besides the Composition, in the order in which they were added, the Patient first, with an id
    derived from `known_by`. `listed` maps every resource that an item was made from to that item."""

    def __init__(
        self,
        patient: Part,
        known_by: Iterable[object],
        known: Sequence[Doctor],
        listed: Mapping[tuple[Source, str], SectionEntry],
    ) -> None:
        self.entries: list[Part] = []
        self._listed = listed
        self._targets: dict[Source, list[Part]] = {}
        whose = {**patient, "text": _narrative(patient_narrative.lines(patient, known))}
        whose |= {"generalPractitioner": list(map(_doctor, known))} if known else {}
        self.patient = self.add(whose, "Patient", *known_by)
        for doctor in (doctor for doctor in known if doctor.resource):
            self.add(doctor.resource, *_whom(doctor), source=doctor.source)

    def add(self, resource: Part, *about: object, source: Source | None = None) -> Part:
        """Add a resource under an id derived from what it is about; returns a reference to it."""
        identity = _identity(source, *about)
        self.entries.append(_entry(identity, resource))
        reference = {"reference": f"urn:uuid:{identity}"}
        if source is not None:
            self.said_by(source, reference)
        return reference

    def said_by(self, source: Source, reference: Part) -> None:
        """Note that this source says so."""
        self._targets.setdefault(source, []).append(reference)

    def results(self, named: Iterable[str], source: Source) -> list[Part]:
        """References to those of these results (`Type/id` at this source) that the document includes. Only an
        Observation can be a result in R4."""
        listed = (self._listed.get((source, path)) for path in named if path.startswith("Observation/"))
        here = dict.fromkeys(_identity(one.source, one.resource_type, one.logical_id) for one in listed if one)
        return [{"reference": f"urn:uuid:{identity}"} for identity in here]

    def add_provenance(self, source: Source, at: datetime) -> None:
        """Add where everything from this source came from, and when it was last checked."""
        if targets := self._targets.get(source):
            when = {"occurredDateTime": added_resources.instant(source.checked_at)} if source.checked_at else {}
            told = {"resourceType": "Provenance", "target": targets, **when, "recorded": added_resources.instant(at)}
            self.add({**told, **added_resources.r4_origin(source)}, "Provenance", source.connection_id)


def _asked(choices: Sequence[Choice], extent: Extent) -> Sequence[Choice]:
    """The choices, with gaps only for the subjects that the document includes."""
    if extent.is_all:
        return choices
    wanted = extent.chosen(LISTED)
    return [replace(each, gaps=each.gaps.of_subjects(wanted)) for each in choices]


def _heard(choices: Sequence[Choice], gathered: Iterable[Gathered]) -> Sequence[Choice]:
    """The choices that contribute to the document: a provider's name can reveal something about health, so others learn
    of no more of them."""
    told = {source for held in gathered for source in held.sources}
    return [each for each in choices if each.source in told]


def _pages(
    choices: Sequence[Choice],
    heard: Sequence[Choice],
    found: Sequence[gathering.Patient],
    gathered: Iterable[Gathered],
    extent: Extent,
    at: datetime,
) -> _Pages:
    listed = {(each.source, f"{each.resource_type}/{each.logical_id}"): one
              for held in gathered for one in held.found for each in one.all}  # fmt: skip
    whole = patients.patient(choices, found, at=at)
    if extent.is_shared:
        return _Pages(patients.for_others(whole, heard), _ids(choices), (), listed)
    return _Pages(whole, (each["value"] for each in whole.get("identifier", [])), doctors.of(found, at=at), listed)


def _is_there(section: Section, held: Gathered, choices: Sequence[Choice], extent: Extent) -> bool:
    """Whether the document has the section. If nothing of it was chosen, only if it is required."""
    return held.is_there(section, choices) if extent.chosen(section.subjects) else bool(section.unknown)


def _bundle(entries: list[Part], choices: Sequence[Choice], at: datetime) -> Part:
    made_at = added_resources.instant(at)
    identity = added_resources.identity("ips", made_at, *_ids(choices))
    return {
        "resourceType": "Bundle",
        "id": identity,
        "meta": {"lastUpdated": made_at, "profile": [f"{_PROFILES}Bundle-uv-ips"]},
        "identifier": _own_identifier(identity),
        "type": "document",
        "timestamp": made_at,
        "entry": entries,
    }


def _section(
    section: Section, held: Gathered, choices: Sequence[Choice], pages: _Pages, extent: Extent, at: datetime
) -> Part:
    if not extent.chosen(section.subjects):
        return {**_titled(section, _narrative([explaining.not_chosen(extent)])), **_empty("withheld")}
    entries = [_added(found, pages) for found in held.found]
    items = [found.item for found in held.found]
    certain = () if held.left.hides_some else held.none_known  # what is hidden may refute it
    entries += [_none_known(one, section, pages) for one in certain
                if section.none[one.absence] and not contradicting.is_refuted(one.absence, items)]  # fmt: skip
    if not entries and section.unknown:
        entries = [_stated(section, section.unknown, pages, section.loinc)]
    lines = explaining.lines(section, held, choices, extent)
    part = _titled(section, _narrative(lines, section_tables.lines(held.found, at=at), section_tables.heading()))
    if entries:
        return {**part, "entry": entries}
    return {**part, **_empty("nilknown" if certain else _reason(held))}


def _empty(why: str) -> Part:
    return {"emptyReason": r4_elements.terminology("list-empty-reason", why)}


def _titled(section: Section, text: Part) -> Part:
    code = r4_elements.coded("http://loinc.org", section.loinc, section.display)
    return {"title": str(section.title), "code": code, "text": text}


def _reason(held: Gathered) -> str:
    """Why a section has no entries: what it has is withheld, or nothing is available."""
    return "withheld" if held.left.withheld or held.left.answers else "unavailable"


def _added(found: SectionEntry, pages: _Pages) -> Part:
    item, source = found.item, found.source
    about = (found.resource_type, found.logical_id)
    beside = {}
    if item.beside:
        thing = {**item.beside, **_of_source(found), "patient": pages.patient}
        beside = {item.refers_by: pages.add(thing, "beside", *about, source=source)}
    whose = {item.subject_name: pages.patient}
    inside = [pages.add({**part, **whose}, *about, name, source=source) for name, part in item.inside.items()]
    reported = r4_elements.without_empty({item.results_name: pages.results(item.results, source) + inside})
    reference = pages.add({**item.resource, **_of_source(found), **whose, **beside, **reported}, *about, source=source)
    for other in found.also:
        for one in (*beside.values(), reference):
            pages.said_by(other.source, one)
    return reference


def _language() -> str:
    return get_language() or "en"


def _narrative(lines: Iterable[str], rows: Sequence[Sequence[str]] = (), heading: Sequence[str] = ()) -> Part:
    return r4_elements.narrative(lines, rows, heading, language=_language())


def _own_identifier(identity: str) -> Part:
    return {"system": "urn:ietf:rfc:3986", "value": f"urn:uuid:{identity}"}


def _identity(source: Source | None, *about: object) -> str:
    return added_resources.identity("ips", *about, *((source.connection_id,) if source else ()))


def _of_source(found: SectionEntry) -> Part:
    """From which resource on which server it was made, and the identifiers of all that say the same."""
    first = found.all[0]
    url = first.source.full_url(first.resource_type, first.logical_id)
    return {"meta": {"source": url}, "identifier": [_identifier(each) for each in found.all]}


def _identifier(found: SectionEntry) -> Part:
    return {"system": f"{found.source.base_url.rstrip('/')}/{found.resource_type}", "value": found.logical_id}


def _none_known(one: NoneKnown, section: Section, pages: _Pages) -> Part:
    return _stated(section, section.none[one.absence], pages, one.logical_id, source=one.source)


def _stated(section: Section, code: str, pages: _Pages, *about: object, source: Source | None = None) -> Part:
    resource, subject_name = absence_statements.statement(section.loinc, code)
    return pages.add({**resource, subject_name: pages.patient}, code, *about, source=source)


def _doctor(doctor: Doctor) -> Part:
    """A reference to a doctor: only a name if the record does not hold the doctor."""
    reference = f"urn:uuid:{_identity(doctor.source, *_whom(doctor))}" if doctor.resource else ""
    return r4_elements.without_empty({"reference": reference, "display": doctor.name})


def _whom(doctor: Doctor) -> tuple[str, ...]:
    """What the id is derived from: several references may name the same doctor's record, each in another way."""
    return ("doctor", doctor.about, doctor.name)


def _author() -> Part:
    name = {"name": "Holdfast", "type": "user-friendly-name"}
    return {"resourceType": "Device", "deviceName": [name], "type": {"text": "Patient's own health record app"}}


def _entry(identity: str, resource: Part) -> Part:
    kind = {"resourceType": resource["resourceType"], "id": identity}
    return {"fullUrl": f"urn:uuid:{identity}", "resource": {**kind, **resource}}


def _ids(choices: Sequence[Choice]) -> tuple[object, ...]:
    return tuple(choice.source.connection_id for choice in choices)
