"""A file as our page shows it: its text, if it has any that we can read."""

from collections.abc import Sequence
from dataclasses import replace

from apps.records.attachments import clinical_documents, pictures, sniffing
from apps.records.attachments.pictures import Picture
from apps.records.attachments.sniffing import FileType, Form
from apps.records.presenters.prose import blocks, data, rich_text
from apps.records.presenters.prose.blocks import LONGEST_MARKUP, Reading


def read(content: bytes, file_type: FileType, *, declared: object, shown: Sequence[Picture] = ()) -> Reading | None:
    """The blocks of a file; None if it is not text. `shown` are the pictures in a clinical document; one without
    sections is read like any markup."""
    if file_type.form not in sniffing.READABLE:
        return None
    if file_type.form is Form.RICH_TEXT:
        return rich_text.of_text(sniffing.decoded(content, declared=declared))
    if file_type.form is Form.CLINICAL_DOCUMENT:
        text = pictures.without(sniffing.decoded(content, declared=declared))
        found = clinical_documents.read(text, shown)
        return found if found.blocks else replace(blocks.of_markup(text), is_damaged=found.is_damaged)
    if file_type.form is Form.MARKUP:
        text = pictures.without_addresses(sniffing.decoded(content, declared=declared))
        return data.read(text) if data.is_data(text) else blocks.of_markup(text)
    return blocks.of_text(sniffing.decoded(sniffing.beginning(content, most=LONGEST_MARKUP * 2), declared=declared))
