"""Results that came inside a report, without records of their own: of either version, in `contained`."""

from collections.abc import Iterator

from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.naming import patient_in
from apps.records.presenters.observations import results
from apps.records.presenters.observations.results import ResultEntry


def names_inside(resource: Element, context: Context) -> frozenset[str]:
    """All observations that a resource contains, as `#id`."""
    return frozenset(f"#{elements.text(part, 'id')}" for part in contained(resource, context))


def inside(resource: Element, context: Context) -> Iterator[ResultEntry]:
    """The observations that a report contains, in its order, by `#id`."""
    for part in contained(resource, context):
        yield results.present({**whole(part, resource), "id": f"#{part['id']}"}, context)


def whole(part: Element, report: Element) -> Element:
    """An observation with what its report contains: there is the sample that it refers to."""
    return {**part, "contained": report["contained"]} if "contained" in report else part


def contained(resource: Element, context: Context) -> Iterator[Element]:
    """The same as sent. One that names another patient than its report does, as of a donor, be that one contained as
    well, is nobody's of ours. A report that names none is of the patient whose record it is in."""
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
    """Whether that is a Patient whom the report brings along. It says who that is, and not that they are ours."""
    inside = (part for part in elements.children(report, "contained") if part.get("resourceType") == "Patient")
    return any(whose == f"#{elements.text(part, 'id')}" != "#" for part in inside)
