"""The files that a page for other readers offers beside its rows, and whether one of them may be opened now.

They belong to documents and reports. Those of an entry that may carry grave news are not offered, since such a page
names it and does not show it. By itself, a file is judged by nothing: nobody has read what is in it.
"""

from datetime import date
from typing import Final

from msgspec.structs import replace

from apps.records import bodies
from apps.records.exporting import reading
from apps.records.exporting.choosing import Choice
from apps.records.exporting.portions import FileAddress, Portion
from apps.records.models import Record
from apps.records.presenters.attachments import File
from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import UNLISTED, Entry
from apps.records.presenters.reports import ReportEntry
from apps.records.presenters.sensitivity import grave_entries
from apps.records.shelving.reading import Shelved
from apps.records.subjects import DOCUMENTS, RESULTS
from apps.records.viewing import asking_first
from apps.records.viewing.listing.rows import Row, RowFile
from apps.records.viewing.wording import file_kinds
from apps.vault import sealing
from apps.vault.sealing import Holder

SUBJECTS: Final = frozenset({DOCUMENTS.key, RESULTS.key})  # whose entries have files to offer


def beside(one: Shelved, row: Row, address: FileAddress | None) -> Row:
    """The row with its files, if the page says where these are."""
    if one.entry is None or address is None:
        return row
    offered = _offered(one.entry)
    has_several = len(offered) > 1  # the row itself says what kind a single one is
    files = (
        RowFile(
            address(one.record, file.number),
            file.described.title or row.title,
            file_kinds.of_files([file]) if has_several else "",
        )
        for file in offered
    )
    return replace(row, files=tuple(files)) if offered else row


def may_open(choice: Choice, record: Record, number: int, portion: Portion, *, today: date) -> bool:
    """Whether a page of this portion would offer this file of a record of the choice's connection now, as far as the
    record itself shows that.

    Raises `apps.vault.errors.VaultError` if the record does not open.
    """
    with sealing.key_ring(Holder.user(record.user_id)) as ring:
        bodies.of(record, ring)  # raises: what is read below would leave it out
        told = next(reading.of_records(choice.connection, choice.source, [record.pk], ring, today=today), None)
    if told is None or told.subject is None or told.subject.key not in portion.subjects:
        return False
    if told.is_gone or told.entry.group == UNLISTED or not portion.holds(told.subject, told.entry):
        return False
    is_offered = any(file.number == number for file in _offered(told.entry))
    return is_offered and not asking_first.may_be_grave(record)


def _offered(entry: Entry) -> tuple[File, ...]:
    if entry.is_withdrawn or entry.is_withheld or grave_entries.may_carry(entry):
        return ()
    if isinstance(entry, ReportEntry):  # the first files of a report are its forms
        return tuple(File(number, form) for number, form in enumerate(entry.forms))
    return entry.files if isinstance(entry, DocumentEntry) else ()
