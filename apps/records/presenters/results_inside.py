"""Results that came inside a report, without records of their own: of either version, in `contained`."""

from collections.abc import Iterator

from apps.records.presenters import elements, results
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.naming import id_of, is_patient
from apps.records.presenters.results import ResultEntry


def names_inside(resource: Element) -> frozenset[str]:
    """All observations that a resource contains, as `#id`."""
    return frozenset(f"#{elements.text(part, 'id')}" for part in contained(resource))


def inside(resource: Element, context: Context) -> Iterator[ResultEntry]:
    """The observations that a report contains, in its order, by `#id`."""
    for part in contained(resource):
        yield results.present({**part, "id": f"#{part['id']}"}, context)


def contained(resource: Element) -> Iterator[Element]:
    """The same as sent. One that names another patient than its report does, as of a donor, be that one contained as
    well, is nobody's of ours."""
    for part in elements.children(resource, "contained"):
        is_result = elements.text(part, "resourceType") == "Observation" and bool(elements.text(part, "id"))
        if is_result and not _is_of_another(part, resource):
            yield part


def _is_of_another(part: Element, report: Element) -> bool:
    whose, reports = (elements.child(each, "subject") for each in (part, report))
    if not is_patient(reports) or not id_of(reports):
        return False
    return (is_patient(whose) and id_of(whose) not in {"", id_of(reports)}) or _is_patient_inside(whose, report)


def _is_patient_inside(whose: Element, report: Element) -> bool:
    """Whether that is a Patient whom the report brings along beside its own."""
    inside = (part for part in elements.children(report, "contained") if part.get("resourceType") == "Patient")
    return any(elements.text(whose, "reference") == f"#{elements.text(part, 'id')}" != "#" for part in inside)
