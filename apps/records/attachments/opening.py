"""Open one file of a record: from the record itself, from what we keep, or from the provider."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from apps.records import bodies
from apps.records.attachments import (
    clinical_documents,
    drawing,
    fetching,
    pictures,
    reading,
    sniffing,
    storing,
    unpacking,
    wording,
)
from apps.records.attachments.pictures import Picture
from apps.records.attachments.refusals import NoSeat
from apps.records.attachments.sniffing import FileType, Form
from apps.records.models import Record
from apps.records.presenters import attachments, elements, heads
from apps.records.presenters.elements import Element
from apps.records.presenters.observations import values
from apps.records.presenters.observations.values import Attachment
from apps.records.presenters.prose.blocks import Reading
from apps.records.viewing.wording import languages
from apps.vault import sealing
from apps.vault.sealing import Holder

_UNFIT = re.compile(r"[^\w -]+")
_LONGEST_NAME = 60

# Says whether a thread may wait for a provider now, and holds its seat until the provider has answered.
Seat: TypeAlias = Callable[[], AbstractContextManager[bool]]


@dataclass(frozen=True, repr=False)
class OpenedFile:
    """A file and what it is. `reading` is its text, or None if it has none. `size` is in bytes, as sent or unpacked,
    whichever is larger. If the file was packed, or is a clinical document that only encloses another file, `content` is
    the file within, and `declared` its declared type. `written_in`: the language that is stated for it, or else for its
    record."""

    described: Attachment
    file_type: FileType
    content: bytes
    reading: Reading | None
    size: int
    declared: object
    written_in: str = ""

    @property
    def language(self) -> str:
        """The language of its text, if it is known and not that of the page."""
        return languages.of(self.written_in)

    @property
    def is_short(self) -> bool:
        """Whether it is smaller than its record says. Either it is incomplete or the record is wrong, and we cannot
        tell which: the page says so, and asks for the file again the next time."""
        return self.size < self.described.size

    @property
    def is_picture(self) -> bool:
        """Whether it is a picture, even if browsers cannot draw it."""
        return self.file_type.form is Form.PICTURE

    @property
    def is_viewable(self) -> bool:
        """Whether a page shows it as a picture. A picture that is short is not kept, and would be fetched twice."""
        return not self.is_short and drawing.is_drawn(self.content, self.file_type.media_type)

    @property
    def form_in_words(self) -> str:
        """The kind of file, in words."""
        return wording.kind(self.file_type)

    @property
    def saving_in_words(self) -> str:
        """The words on the button that saves it."""
        return wording.saving(self.file_type)

    @property
    def name(self) -> str:
        """The file name under which to save it."""
        return f"{_stem(self.described)}.{self.file_type.suffix}"

    @property
    def handed_out(self) -> bytes:
        """The bytes to save: for HTML, XML and RTF only the text, never the file as sent. Text is UTF-8. What is
        missing is said at its end, since those who read it later do not see our page."""
        if self.reading is None:
            return self.content
        if self.file_type.form is Form.TEXT:
            return sniffing.decoded(self.content, declared=self.declared).encode(errors="replace")
        damaged = wording.damaged() if self.reading.is_damaged else ""
        pictures = wording.pictures() if self.reading.has_pictures else ""
        remarks = (
            wording.short() if self.is_short else damaged,
            wording.gaps() if self.reading.has_gaps else "",
            wording.hidden() if self.reading.has_hidden else "",
            wording.marks() if self.reading.has_marks else "",
            wording.captions() if self.reading.has_captions else pictures,
            wording.cut() if self.reading.is_cut else "",
        )
        return (self.reading.plain + "".join(f"\n\n{said}\n" for said in remarks if said)).encode(errors="replace")


@dataclass(frozen=True, repr=False)
class OpenedPicture:
    """A picture in a clinical document, its type, and the file name under which to save it."""

    content: bytes
    file_type: FileType
    name: str


def open_file(record: Record, number: int, *, clock: Callable[[], datetime], seat: Seat) -> OpenedFile:
    """Open file `number` of this record (`attachments.sent_by`). This may call the provider, also for a file that we
    keep and that does not open, so call it outside of transactions. A `seat` is taken only if the provider is called.

    Raises LookupError if the record has no such file, or was withdrawn by its provider; FileRefused, NoSeat, and
    `apps.vault.errors.VaultError` if the record does not open.
    """
    sent, written_in = _sent(record, number)
    return replace(_told(_content(record, sent, clock, seat), sent), written_in=written_in)


def open_picture(
    record: Record, number: int, picture: int, *, clock: Callable[[], datetime], seat: Seat
) -> OpenedPicture:
    """Open a picture in a file of this record, counted from 1 as `Block.picture`, by the same rules as the file.
    The text around it is not read, since a page asks for each of its pictures separately.

    Raises what `open_file` raises, and LookupError also if the file has no such picture.
    """
    sent, _written_in = _sent(record, number)
    whole = _content(record, sent, clock, seat)
    content, declared, _is_damaged = unpacking.unpacked(whole, declared=sent.get("contentType"))
    found = None
    if sniffing.type_of(content, declared=declared).form is Form.CLINICAL_DOCUMENT:
        found = pictures.numbered(sniffing.decoded(content, declared=declared), picture)
    if found is None:
        raise LookupError
    return OpenedPicture(
        found.content, found.file_type, f"{_stem(values.attachment(sent))} {picture}.{found.file_type.suffix}"
    )


def _content(record: Record, sent: Element, clock: Callable[[], datetime], seat: Seat) -> bytes:
    content = fetching.inline(sent)
    if content is None:
        content = storing.find(record, sent)
    if content is None:
        with seat() as is_free:
            if not is_free:
                raise NoSeat
            content = fetching.fetch(record.connection, sent, clock=clock)
        if len(content) >= values.attachment(sent).size:
            storing.keep(record, sent, content, at=clock())
    return content


def _told(content: bytes, sent: Element) -> OpenedFile:
    """The file and what it is, by its content. If it was packed, or is a clinical document that only encloses a file,
    this is the file within."""
    described, came = values.attachment(sent), len(content)
    content, declared, is_damaged = unpacking.unpacked(content, declared=sent.get("contentType"))
    size = max(came, len(content))  # a record may state the size of the unpacked file
    file_type, shown = sniffing.type_of(content, declared=declared), tuple[Picture, ...]()
    if file_type.form is Form.CLINICAL_DOCUMENT:
        document = sniffing.decoded(content, declared=declared)
        inside, shown = clinical_documents.enclosed(document), pictures.of(document)
        if inside is not None and inside.content:
            content, declared = inside
            file_type = sniffing.type_of(content, declared=declared)
        elif inside is not None:
            file_type = sniffing.SEALED_DOCUMENT
    read = reading.read(content, file_type, declared=declared, shown=shown)
    if read is not None and is_damaged:
        read = replace(read, is_damaged=True)
    return OpenedFile(described, file_type, content, read, size, declared)


def _stem(described: Attachment) -> str:
    """The title, reduced to what any disk accepts as a file name."""
    title = " ".join(_UNFIT.sub(" ", described.title).split())[:_LONGEST_NAME].strip()
    return title or "document"


def _sent(record: Record, number: int) -> tuple[Element, str]:
    """The file as sent, and the language that is stated for it, or else for its record."""
    with sealing.key_ring(Holder.user(record.user_id)) as ring:
        resource = elements.parse(bodies.of(record, ring))
    head = heads.head(resource)
    if head["is_withdrawn"]:
        raise LookupError
    sent = attachments.sent_by(resource)[number]
    return sent, elements.text(sent, "language") or head["language"]
