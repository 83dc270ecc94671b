"""A DiagnosticReport of either FHIR version: the panel to which results belong, or a report in words.

FHIR DSTU2 and R4 DiagnosticReport (facts section 1.6): category and performer are one in DSTU2 and several in R4;
`request` became `basedOn`, `codedDiagnosis` became `conclusionCode`, and `image` became `media`. The results are
references, in the laboratory's order; contained results are part of the entry.
"""

from collections.abc import Iterator
from enum import StrEnum

from apps.records.presenters import elements, grave_news
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import title_of
from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context, Entry
from apps.records.presenters.heads import head
from apps.records.presenters.observations import doubts, results, results_inside, values
from apps.records.presenters.observations.results import ResultEntry
from apps.records.presenters.observations.values import Attachment

_MOST = 50


class Category(StrEnum):
    """The kind of report, according to the provider."""

    LABORATORY = "laboratory"
    IMAGING = "imaging"
    HEART = "heart"
    PATHOLOGY = "pathology"
    GENETICS = "genetics"
    GERMS = "germs"
    NOTE = "note"
    OTHER = "other"


# v2-0074 in both FHIR versions, and US Core's LOINC categories. CT is a CAT scan, CP cytopathology, CG cytogenetics.
_CATEGORIES = {
    **dict.fromkeys(("LAB", "CH", "HM", "BLB", "IMM", "SR", "TX", "OTH-LAB", "LABORATORY"), Category.LABORATORY),
    **dict.fromkeys(
        ("RAD", "CT", "CUS", "NMR", "NMS", "OUS", "RUS", "RX", "XRC", "LP29684-5", "394914008"), Category.IMAGING
    ),
    **dict.fromkeys(("EC", "CTH", "LP29708-2"), Category.HEART),
    **dict.fromkeys(("PAT", "SP", "CP", "LP7839-6"), Category.PATHOLOGY),
    **dict.fromkeys(("GE", "CG"), Category.GENETICS),
    **dict.fromkeys(("MB", "MCB", "MYC", "PAR", "VR"), Category.GERMS),
    **dict.fromkeys(("34117-2", "51847-2", "11506-3", "34133-9", "18842-5", "11488-4"), Category.NOTE),
}


class ReportEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A report. `results` are references in the provider's order: `Observation/id`, or `#id` for those in `inside`.

    `forms` are the whole report as files, without their content. `ordered_by` are names. `may_be_grave`: a calm page
    asks before the report is shown (patient experience 3.3).
    """

    category: Category = Category.OTHER
    reported: When = UNDATED
    ordered_by: tuple[str, ...] = ()
    specimen: str = ""
    state: tuple[str, ...] = ()
    conclusion: str = ""
    conclusion_names: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    inside: tuple[ResultEntry, ...] = ()
    forms: tuple[Attachment, ...] = ()
    images: tuple[str, ...] = ()
    may_be_grave: bool = False


def present(resource: Element, context: Context) -> ReportEntry:
    """Read a DiagnosticReport."""
    concept = elements.child(resource, "code")
    heading = head(resource, concept)
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return ReportEntry(**heading)
    heading["is_modified"] |= bool(against := doubts.read(resource, context))
    status = results.status_of(resource)
    when = moments.read(resource, "effective", means="collected", birth_date=context.birth_date)
    reported = moments.read(resource, "issued", means="reported")
    return ReportEntry(
        **heading,
        when=when if when or when.unknown else reported,
        status=status,
        group=results.group_of(status),
        people=results.people_of(resource, context, "performer", "resultsInterpreter"),
        said=notes(resource, "note"),
        doubts=against,
        category=next(_categories(resource), Category.OTHER),
        reported=reported,
        ordered_by=tuple(dict.fromkeys(_ordered_by(resource, context))),
        specimen=results.specimen_of(resource, context),
        state=doubts.states(resource, context),
        conclusion=elements.prose(resource.get("conclusion")),
        conclusion_names=_concluded(resource),
        results=results.references(resource, "result", context, most=results.MOST_RESULTS),
        inside=tuple(results_inside.inside(resource, context))[:_MOST],
        forms=_forms(resource),
        images=_images(resource, context),
        may_be_grave=grave_news.may_be_in(resource, resource_type="DiagnosticReport"),
    )


def _categories(resource: Element) -> Iterator[Category]:
    """The categories that we know, in the provider's order: for pathology, the first is often laboratory."""
    concepts = elements.children(resource, "category")
    codes = (code.upper() for concept in concepts for code in elements.codes(concept))
    return (_CATEGORIES[code] for code in codes if code in _CATEGORIES)


def _ordered_by(resource: Element, context: Context) -> Iterator[str]:
    """The names of those who ordered it: `requester` of a ServiceRequest, `orderer` of a DiagnosticOrder or a
    ProcedureRequest in DSTU2."""
    for name in ("basedOn", "request"):
        for reference in elements.children(resource, name):
            order = context.find(reference, within=resource)
            yield from results.people_of(order, context, "requester", "orderer")


def _concluded(resource: Element) -> tuple[str, ...]:
    concepts = (
        concept for name in ("conclusionCode", "codedDiagnosis") for concept in elements.children(resource, name)
    )
    return tuple(dict.fromkeys(filter(None, map(title_of, concepts))))[:_MOST]


def _forms(resource: Element) -> tuple[Attachment, ...]:
    sent = (values.attachment(form) for form in elements.children(resource, "presentedForm"))
    return tuple(form for form in sent if form)[:_MOST]


def _images(resource: Element, context: Context) -> tuple[str, ...]:
    """References to Media, whose pictures a page may offer."""
    links = (image for name in ("media", "image") for image in elements.children(resource, name))
    found = (path for link in links for path in results.references(link, "link", context))
    return tuple(dict.fromkeys(found))[:_MOST]
