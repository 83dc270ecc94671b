"""Warnings and advance directives as minimal R4 resources, from either version."""

from apps.records.exporting.ips import narrating, r4_elements
from apps.records.exporting.ips.clinical import Item, known_code
from apps.records.exporting.ips.r4_elements import Part
from apps.records.exporting.reading import PresentedRecord
from apps.records.presenters import codeable_concepts, elements
from apps.records.presenters.datatypes import moments
from apps.records.presenters.documents import DocumentEntry


def alert(told: PresentedRecord) -> Item | None:
    """Flag (IPS). One that is over is left out; one without a status is not."""
    sent = told.resource
    status = known_code(sent, "status", ("active", "inactive"))
    if status == "inactive":
        return None
    code = elements.child(sent, "code")
    title = codeable_concepts.name_in(code) or told.entry.title
    when = moments.read(sent, "period", means="started")
    resource = r4_elements.without_empty(
        {
            "resourceType": "Flag",
            **({"status": status} if status else {"_status": r4_elements.absent()}),
            "category": r4_elements.concepts(sent, "category"),
            "code": r4_elements.concept(title, codeable_concepts.codes_of(code) or told.entry.codes),
            "period": r4_elements.period(when),
        }
    )
    return Item(resource, title, narrating.details(told))


def directive(told: PresentedRecord) -> Item | None:
    """A DocumentReference: that a directive exists, of what kind, and since when. What it says is only in the document,
    which stays where it is. One that was superseded is left out."""
    sent, entry = told.resource, told.entry
    status = known_code(sent, "status", ("current", "superseded"))
    if status == "superseded" or not isinstance(entry, DocumentEntry):
        return None
    written = r4_elements.date(entry.written.starts)
    papers = [_paper(file.described.title, file.described.media_type, written) for file in entry.files]
    resource = r4_elements.without_empty(
        {
            "resourceType": "DocumentReference",
            **({"status": status} if status else {"_status": r4_elements.absent()}),
            "type": r4_elements.concept(entry.title, entry.codes),
            "category": r4_elements.concepts(sent, "category"),
            "description": entry.name,
            "content": [{"attachment": paper} for paper in papers if paper] or [{"attachment": {"title": entry.title}}],
        }
    )
    return Item(resource, entry.title, narrating.details(told, entry.name))


def _paper(title: str, media_type: str, written: str) -> Part:
    return r4_elements.without_empty({"title": title, "contentType": media_type, "creation": written})
