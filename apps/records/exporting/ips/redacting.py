"""An entry as others get it: everything it says itself, but not the names of people or things that it only refers to.

The display of a reference, or its target, may reveal another entry that the person kept back; or a relative, whose name
is never shared (patient experience 3.10). Doctors, places, products and samples keep their names.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from msgspec import structs

from apps.records import presenting, subjects
from apps.records.exporting.ips.extents import Extent
from apps.records.exporting.reading import PresentedRecord
from apps.records.presenters import elements, naming
from apps.records.presenters.elements import Element
from apps.records.presenters.observations import results, results_inside

_NAMED: Final = frozenset(
    {
        "Practitioner", "PractitionerRole", "Organization", "Location", "HealthcareService", "Medication", "Substance",
        "Specimen", "BodyStructure", "BodySite",
    }
)  # fmt: skip
_LINKED: Final = frozenset({"Observation", "Patient"})  # they locate results, and say whose they are
_NOTHING: Final = "#"
_DEEPEST: Final = 50  # no genuine resource nests deeper


def trimmed(told: PresentedRecord, extent: Extent) -> PresentedRecord:
    """The same without such names, presented again if there were any."""
    resource = {name: _value(name, value, told, 0) for name, value in told.resource.items() if name != "contained"}
    if "contained" in told.resource:
        resource["contained"] = list(_contained(told, extent))
    if resource == told.resource:
        return replace(told, is_shared=True)
    kind, logical_id = told.entry.resource_type, told.entry.logical_id
    entry = presenting.present_parsed(resource, resource_type=kind, logical_id=logical_id, context=told.context)
    return replace(told, resource=resource, entry=entry, is_shared=True)


def _contained(told: PresentedRecord, extent: Extent) -> Iterator[Element]:
    """The contained resources: results that are shared, as if they had records of their own; of any other only that it
    exists, since it may show whose a result is."""
    for part in elements.children(told.resource, "contained"):
        kind = elements.text(part, "resourceType")
        if kind == "Observation" and _is_kept_back(part, told, extent):
            continue
        if kind == "Observation" or kind in _NAMED:
            yield {name: _value(name, value, told, 0) for name, value in part.items()}
        else:
            yield {"resourceType": kind, "id": elements.text(part, "id")}


def _is_kept_back(part: Element, told: PresentedRecord, extent: Extent) -> bool:
    """A result without a date is judged by that of its report."""
    entry = results.present(results_inside.whole(part, told.resource), told.context)
    dated = entry if entry.when else structs.replace(entry, when=told.entry.when)
    return extent.keeps_back(subjects.subject_of(part, resource_type="Observation"), dated, told.source)


def _value(name: str, value: Any, told: PresentedRecord, depth: int) -> Any:
    if isinstance(value, list):
        return [_value(name, each, told, depth + 1) for each in value] if depth < _DEEPEST else []
    if not isinstance(value, dict):
        return value
    if name == "focus":  # anybody other than the patient is a relative or a donor
        return {"reference": elements.text(value, "reference") if naming.is_patient(value) else _NOTHING}
    if _is_reference(value) and not _may_be_named(value, told):
        return {"reference": elements.text(value, "reference") if _kind(value, told) in _LINKED else _NOTHING}
    return {key: _value(key, each, told, depth + 1) for key, each in value.items()} if depth < _DEEPEST else {}


def _is_reference(part: Element) -> bool:
    """Whether it refers to something, even if only by its type."""
    return isinstance(part.get("reference"), str) or (isinstance(part.get("type"), str) and "display" in part)


def _may_be_named(reference: Element, told: PresentedRecord) -> bool:
    kind = _kind(reference, told)
    if kind == "Patient":
        return naming.patient_in(elements.text(reference, "reference")) == told.context.patient != ""
    return kind in _NAMED


def _kind(reference: Element, told: PresentedRecord) -> str:
    """The type of its target; empty if nothing shows it."""
    written = elements.text(reference, "reference")
    if written.startswith("#"):
        return elements.text(told.context.find(reference, within=told.resource), "resourceType")
    path, asks, _search = written.partition("?")  # Practitioner?identifier=…
    *parts, last = path.partition("/_history/")[0].rstrip("/").split("/")
    return last if asks else parts[-1] if parts else elements.text(reference, "type")
