"""Diagnostic reports as minimal R4 resources, from either version: their conclusions, and the results that they group.

`conclusionCode` in R4 is `codedDiagnosis` in DSTU2, which has one category where R4 has several (interface facts 1.6).
Results contained in a report become Observations of their own, to which it refers like to all others. Complete reports
as files are left out: a summary is not an archive.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from apps.records.exporting.ips import cautions, judging, narrating, noting, observations, r4_elements
from apps.records.exporting.ips.clinical import Item, known_code
from apps.records.exporting.reading import PresentedRecord
from apps.records.presenters import codeable_concepts, elements, naming
from apps.records.presenters.datatypes import moments
from apps.records.presenters.observations import results, results_inside

_STATUSES = frozenset(
    {"registered", "partial", "preliminary", "final", "amended", "corrected", "appended", "unknown"}
)  # fmt: skip
_CONCLUDED = ("conclusionCode", "codedDiagnosis")
_MOST_SAID = 20  # results that the narrative shows one by one


def report(told: PresentedRecord) -> Item | None:
    """DiagnosticReport (IPS). One that was cancelled is left out."""
    sent, status = told.resource, known_code(told.resource, "status", (*_STATUSES, "cancelled"))
    if status == "cancelled":
        return None
    code = elements.child(sent, "code")
    title = codeable_concepts.name_in(code) or told.entry.title
    when = moments.read(sent, "effective", "issued", means="collected")
    conclusion = elements.prose(sent.get("conclusion"))
    concluded = (each for name in _CONCLUDED for each in elements.children(sent, name))
    resource = r4_elements.without_empty(
        {
            "resourceType": "DiagnosticReport",
            "status": status or "unknown",
            "category": r4_elements.concepts(sent, "category"),
            "code": r4_elements.concept(title, codeable_concepts.codes_of(code) or told.entry.codes),
            **r4_elements.moment("effective", when, is_needed=True),
            "performer": r4_elements.named(
                naming.names_of(elements.children(sent, "performer"), told.context, within=sent)
            ),
            "conclusion": conclusion,
            "conclusionCode": r4_elements.concepts(sent, *_CONCLUDED),
        }
    )
    named = results.references(sent, "result", told.context, most=results.MOST_RESULTS)
    inside = _inside(told)
    said = (conclusion, *map(codeable_concepts.title_of, concluded), *map(_said, islice(inside.values(), _MOST_SAID)))
    count = 0 if told.is_shared else len(named)  # not all of them may be shared
    detail = narrating.details(told, narrating.together(*said) or narrating.counted(count))
    parts = {name: item.resource for name, item in inside.items()}
    return Item(resource, title, detail, results=named, inside=parts)


def _inside(told: PresentedRecord) -> Mapping[str, Item]:
    """The results contained in the report, by `#id`; if two have the same id, the first. They are judged like those
    with records of their own."""
    found: dict[str, Item] = {}
    for part in islice(results_inside.contained(told.resource, told.context), results.MOST_RESULTS):
        whole = results_inside.whole(part, told.resource)
        entry = results.present(whole, told.context)
        if entry.is_withdrawn or entry.is_withheld or judging.is_canceled(entry):
            continue
        detail = narrating.measured(entry, counts=not told.is_shared)
        item = observations.written(whole, told, category=observations.category_of(entry), detail=detail)
        if item is None:
            continue
        inner = replace(told, resource=part, entry=entry)
        item = noting.noted(item, inner)
        found.setdefault(f"#{entry.logical_id}", cautions.heeded(item, inner) if entry.is_modified else item)
    return found


def _said(item: Item) -> str:
    return ": ".join(filter(None, (item.title, item.detail)))
