"""The files that a page for other readers offers beside its rows, and whether one of them may be opened now.

They belong to documents and reports. Those of an entry that may carry grave news, or may have carried some in an
earlier version, are not offered, since such a page names it and does not show it. By itself, a file is judged by
nothing: nobody has read what is in it.
"""

from collections.abc import Collection, Sequence
from datetime import date
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from apps.records import bodies
from apps.records.exporting import reading
from apps.records.exporting.choosing import Choice
from apps.records.exporting.portions import FileAddress, Portion
from apps.records.models import Record, RecordVersion
from apps.records.presenters import elements, grave_news
from apps.records.presenters.attachments import File
from apps.records.presenters.documents import DocumentEntry
from apps.records.presenters.entry import UNLISTED, Entry
from apps.records.presenters.reports import ReportEntry
from apps.records.presenters.sensitivity import grave_entries
from apps.records.shelving.reading import Shelved
from apps.records.subjects import DOCUMENTS, RESULTS
from apps.records.viewing.listing.rows import Row, RowFile
from apps.records.viewing.wording import file_kinds
from apps.vault import sealing
from apps.vault.sealing import Holder, KeyRing

SUBJECTS: Final = frozenset({DOCUMENTS.key, RESULTS.key})  # whose entries have files to offer
_AT_ONCE: Final = 20  # bodies, some of which contain a file


def beside(
    listed: Sequence[tuple[Shelved, Row]], address: FileAddress | None, *, user_id: UUID
) -> list[tuple[Shelved, Row]]:
    """The rows, with their files if the page says where these are. Raises `apps.vault.errors.VaultError` if a key is
    missing."""
    if address is None:
        return list(listed)
    offered = {one.record: files for one, _row in listed if one.entry is not None and (files := _offered(one.entry))}
    for pk in _ever_grave(offered, user_id):
        del offered[pk]
    return [(one, _with_files(one, row, offered.get(one.record, ()), address)) for one, row in listed]


def _with_files(one: Shelved, row: Row, offered: Sequence[File], address: FileAddress) -> Row:
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
    is_grave = grave_news.may_be_in(told.resource, resource_type=record.resource_type)
    return is_offered and not is_grave and not _ever_grave([record.pk], record.user_id)


def _ever_grave(pks: Collection[int], user_id: UUID) -> set[int]:
    """Those of these records of which an earlier version may carry grave news, or does not open: then nobody knows."""
    held = RecordVersion.objects.filter(user_id=user_id, record_id__in=pks)
    held = held.filter(record__resource_type__in=grave_news.CARRIERS)
    found = set[int]()
    with sealing.key_ring(Holder.user(user_id)) as ring:
        for version in held.select_related("record").defer("record__sealed_body").iterator(chunk_size=_AT_ONCE):
            if version.record_id not in found and _may_be_grave(version, ring):
                found.add(version.record_id)
    return found


def _may_be_grave(version: RecordVersion, ring: KeyRing) -> bool:
    body = bodies.find_of(version, ring)
    resource_type = version.record.resource_type
    return body is None or grave_news.may_be_in(elements.parse(body), resource_type=resource_type)


def _offered(entry: Entry) -> tuple[File, ...]:
    if entry.is_withdrawn or entry.is_withheld or grave_entries.may_carry(entry):
        return ()
    if isinstance(entry, ReportEntry):  # the first files of a report are its forms
        return tuple(File(number, form) for number, form in enumerate(entry.forms))
    return entry.files if isinstance(entry, DocumentEntry) else ()
