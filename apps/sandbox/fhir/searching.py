"""Read a search: the query string is checked against what is offered, and against what the chosen dialect requires.

Raises `refusing.Refusal` for what the route refuses. Unknown parameters are ignored, as FHIR says, except in the b-like
dialect.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict

from apps.sandbox import scenarios
from apps.sandbox.fhir import dates, paging
from apps.sandbox.fhir.access import Access
from apps.sandbox.fhir.offered import Offered, Parameter
from apps.sandbox.fhir.paging import Cursor
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.fhir.refusing import Refusal
from apps.sandbox.fhir.root import Root

_PATIENT_NAMES = ("patient", "subject", "patient:Patient", "subject:Patient")
_OPTIONAL_NAMES = ("_count", "_maxresults", "_format", "_revinclude", "_include", "_sort", "_lastUpdated")
_RESULT_NAMES = (*_OPTIONAL_NAMES[:-1], "page", "pageContext", "direction")
_PREFIXES = ("eq", "ge", "gt", "le", "lt")


@dataclass(frozen=True)
class Condition:
    """One filter. Tokens, ids and words (beginnings): any of the values. Date or updated: an interval with a prefix."""

    kind: str
    values: tuple[str, ...] = ()
    prefix: str = "eq"
    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True)
class Search:
    """What to search for. `patient_ids` empty: the resources of the practice."""

    realm: Realm
    resource_type: str
    patient_ids: tuple[str, ...]
    conditions: tuple[Condition, ...]
    count: int
    cursor: Cursor
    with_provenance: bool = False
    with_included: bool = False


def read(root: Root, offered: Offered, query: QueryDict, access: Access) -> Search:
    """The search that a request asks for."""
    dialect = root.required_parameters
    _check_optional(root, query)
    patient_ids = _patients(offered, query, access, dialect)
    _check_required(offered, query, dialect)
    return Search(
        realm=root.realm,
        resource_type=offered.resource_type,
        patient_ids=patient_ids,
        conditions=tuple(_conditions(offered, query, dialect)),
        count=_count(query, root.page_size),
        cursor=paging.read_cursor(query.get(root.page_parameter)),
        with_provenance=(
            offered.has_provenance
            and "Provenance:target" in query.getlist("_revinclude")
            and access.refusal("Provenance", "search") is None
            and set(patient_ids) <= set(access.patients("Provenance", "search"))
        ),
        with_included=(
            bool(offered.includes)
            and offered.includes in query.getlist("_include")
            and access.refusal("Medication", "search") is None
        ),
    )


def _patients(offered: Offered, query: QueryDict, access: Access, dialect: str) -> tuple[str, ...]:
    """Whose rows: the requested patient's; with only `_id`, and for Patient, those of everybody the token permits."""
    if not offered.has_patient:
        return ()
    asked = [value.removeprefix("Patient/") for name in _PATIENT_NAMES for value in query.getlist(name) if value]
    patient_ids = access.patients(offered.resource_type, "search")
    if offered.resource_type == "Patient" or (not asked and "_id" in query):
        return patient_ids
    if not asked:
        text = f"{offered.resource_type} is searched by patient"
        raise Refusal(400, "required", text, as_text=dialect == "b-like")
    if len(set(asked)) > 1 or asked[0] not in patient_ids:
        raise Refusal(403, "forbidden", "The token does not speak for this patient")
    return (asked[0],)


def _check_optional(root: Root, query: QueryDict) -> None:
    refused = [name for name in _OPTIONAL_NAMES if name in query]
    if refused and not root.optional_parameters:
        raise Refusal(400, "not-supported", f"{refused[0]} is not supported", as_text=True)


def _check_required(offered: Offered, query: QueryDict, dialect: str) -> None:
    """Parameters that the dialect requires; statuses as observed (interface facts section 2, line 16)."""
    if dialect == "lenient" or "_id" in query:
        return
    as_text = dialect == "b-like"
    if offered.resource_type == "CarePlan" and "category" not in query:
        raise Refusal(400 if as_text else 404, "not-found", "CarePlan is searched by category", as_text=as_text)
    if offered.resource_type == "Observation" and "category" not in query and "code" not in query:
        raise Refusal(400, "required", "Observation is searched by category or code", as_text=as_text)
    if dialect == "status-demanded" and offered.parameter("status") and "status" not in query:
        raise Refusal(400, "required", f"{offered.resource_type} is searched by status")


def _conditions(offered: Offered, query: QueryDict, dialect: str) -> Iterator[Condition]:
    for name, values in query.lists():
        if name in _PATIENT_NAMES or name in _RESULT_NAMES:
            continue
        parameter = offered.parameter(name)
        if parameter is None:
            if dialect == "b-like":
                raise Refusal(400, "not-supported", f"{name} is not supported", as_text=True)
            continue
        for value in values:
            yield _condition(parameter, value)


def _condition(parameter: Parameter, value: str) -> Condition:
    if parameter.kind == "date":
        return _dated(parameter, value)
    parts = tuple(part.strip() for part in value.split(",") if part.strip())
    if not parts:
        raise Refusal(400, "invalid", f"{parameter.name} is empty")
    if parameter.name == "_id":
        return Condition("ids", parts)
    if parameter.kind == "string":
        return Condition("words", tuple(f"{parameter.index}~{_escaped(part.lower())}%" for part in parts))
    return Condition("tokens", tuple(f"{parameter.index}={part}" for part in parts))


def _dated(parameter: Parameter, value: str) -> Condition:
    prefix, written = (value[:2], value[2:]) if value[:2] in _PREFIXES else ("eq", value)
    try:
        start, end = dates.stretch(written)
    except (ValueError, OverflowError) as problem:
        raise Refusal(400, "invalid", f"{parameter.name} is not a date with one of {', '.join(_PREFIXES)}") from problem
    kind = "updated" if parameter.name == "_lastUpdated" else "date"
    return Condition(kind, prefix=prefix, start=start, end=end)


def _count(query: QueryDict, page_size: int) -> int:
    """Rows per page: what was requested, up to the server's limit."""
    asked = query.get("_count", query.get("_maxresults"))
    if asked is None:
        return min(page_size, int(scenarios.chosen("page_limit")))
    if not asked.isascii() or not asked.isdigit():
        raise Refusal(400, "invalid", "_count is a number")
    return min(int(asked), int(scenarios.chosen("page_limit")))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
