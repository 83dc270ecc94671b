"""A file as our page shows it: its text, where it has any that we can read."""

from apps.records.downloading import clinical_documents, sniffing
from apps.records.downloading.sniffing import Form, Sort
from apps.records.presenters import blocks, rich_text
from apps.records.presenters.blocks import LONGEST_MARKUP, Reading


def read(content: bytes, sort: Sort, *, declared: object) -> Reading | None:
    """Its blocks; None for what is no text. A clinical document without sections reads as any markup does."""
    if sort.form not in sniffing.READABLE:
        return None
    if sort.form is Form.RICH_TEXT:
        return rich_text.read(content)
    text = sniffing.decoded(sniffing.beginning(content, most=LONGEST_MARKUP * 2), declared=declared)
    if sort.form is Form.TEXT:
        return blocks.of_text(text)
    if sort.form is Form.CLINICAL_DOCUMENT and (document := clinical_documents.read(text)).blocks:
        return document
    return blocks.of_markup(text)
