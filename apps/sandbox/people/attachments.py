"""Where the file of a document is: a key that the attachment's URL and the stored file share.

The URL of a served resource depends on the sandbox's address, so bodies are stored with `BASE` in its place, and the
FHIR routes replace it by the data base URL.
"""

import base64

from apps.sandbox.fhir.addresses import BASE
from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, moment
from apps.sandbox.people.facts import Document

_PREFIXES = {"application/pdf": "pdf", "application/xml": "xml"}


def file_key(key: str, content_type: str, chart: Chart) -> str:
    """The name of a stored file: `pdf-{uuid}`, `xml-{uuid}` or `file-{uuid}`."""
    return f"{_PREFIXES.get(content_type, 'file')}-{chart.id('Binary', key)}"


def attachment(fact: Document, chart: Chart) -> Element:
    """The Attachment of a document: inline, or by URL.

    R4 uses the observed path `document/{pdf|xml}-{uuid}` for PDF and XML; everything else, and DSTU2, uses Binary.
    """
    described = {"contentType": fact.content_type, "title": fact.title, "creation": moment(fact.at)}
    if fact.inline:
        return {**described, "data": base64.b64encode(fact.content).decode()}
    return {**described, "url": _address(fact.key, fact.content_type, chart), "size": len(fact.content)}


def linked(document_pdf: str | None, chart: Chart) -> Element | None:
    """An Attachment that points to a PDF document elsewhere in the story; None without a document."""
    if document_pdf is None:
        return None
    return {"contentType": "application/pdf", "url": _address(document_pdf, "application/pdf", chart)}


def _address(key: str, content_type: str, chart: Chart) -> str:
    name = file_key(key, content_type, chart)
    folder = "document" if chart.version == "r4" and content_type in _PREFIXES else "Binary"
    return f"{BASE}{folder}/{name}"
