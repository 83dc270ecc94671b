"""Results that came inside a report (`contained`, in either FHIR version) and have no records of their own."""

from collections.abc import Iterator

from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.naming import patient_in
from apps.records.presenters.observations import results
from apps.records.presenters.observations.results import ResultEntry


def names_inside(resource: Element, context: Context) -> frozenset[str]:
    """The references (`#id`) of all observations that a resource contains."""
    return frozenset(f"#{elements.text(part, 'id')}" for part in contained(resource, context))


def inside(resource: Element, context: Context) -> Iterator[ResultEntry]:
    """The observations that a report contains, in its order, each with `#id` as its id."""
    for part in contained(resource, context):
        yield results.present({**whole(part, resource), "id": f"#{part['id']}"}, context)


def whole(part: Element, report: Element) -> Element:
    """A contained observation, together with all that its report contains, such as the sample that it refers to."""
    return {**part, "contained": report["contained"]} if "contained" in report else part


def contained(resource: Element, context: Context) -> Iterator[Element]:
    """The contained observations as sent, without those that name another patient than the report does, such as a donor
    (who may be contained as well). A report without a subject is about the patient in whose record it is."""
    for part in elements.children(resource, "contained"):
        is_result = elements.text(part, "resourceType") == "Observation" and bool(elements.text(part, "id"))
        if is_result and not _is_of_another(part, resource, context):
            yield part


def _is_of_another(part: Element, report: Element, context: Context) -> bool:
    whose, reports = (elements.text(elements.child(each, "subject"), "reference") for each in (part, report))
    ours = patient_in(reports) or context.patient
    is_anothers = bool(ours) and patient_in(whose) not in {"", ours}
    return is_anothers or (whose != reports and _is_patient_inside(whose, report))


def _is_patient_inside(whose: str, report: Element) -> bool:
    """Whether this is a Patient that the report contains. Such a Patient may be anybody, not only our patient."""
    inside = (part for part in elements.children(report, "contained") if part.get("resourceType") == "Patient")
    return any(whose == f"#{elements.text(part, 'id')}" != "#" for part in inside)
