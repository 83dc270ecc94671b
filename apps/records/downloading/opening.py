"""Open one file of a record: from the record itself, from what we keep, or from the provider."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from apps.records import bodies
from apps.records.downloading import (
    clinical_documents,
    drawing,
    fetching,
    keeping,
    pictures,
    reading,
    sniffing,
    unpacking,
    wording,
)
from apps.records.downloading.pictures import Picture
from apps.records.downloading.refusals import NoSeat
from apps.records.downloading.sniffing import Form, Sort
from apps.records.models import Record
from apps.records.presenters import attachments, elements, heads
from apps.records.presenters.elements import Element
from apps.records.presenters.observations import values
from apps.records.presenters.observations.values import Attachment
from apps.records.presenters.prose.blocks import Reading
from apps.vault import sealing
from apps.vault.sealing import Holder

_UNFIT = re.compile(r"[^\w -]+")
_LONGEST_NAME = 60

# Whether there is room to wait for a provider, held for as long as one is asked.
Seat: TypeAlias = Callable[[], AbstractContextManager[bool]]


@dataclass(frozen=True, repr=False)
class OpenedFile:
    """A file and what it is. `reading` is its text, None for what is no text. `size` is in bytes, as it came, or as it
    was before it was packed where that is more. Of what came packed, and of a clinical document that is no more than a
    cover, `content` is the file in it, `declared` what that is said to be; of any other, `pictures` are those in it."""

    described: Attachment
    sort: Sort
    content: bytes
    reading: Reading | None
    size: int
    declared: object
    pictures: tuple[Picture, ...] = ()

    @property
    def is_short(self) -> bool:
        """Whether less came than its record says there is: a part of a file, or a wrong word about it. Nobody can tell,
        so it is shown with that remark, and asked for again the next time."""
        return self.size < self.described.size

    @property
    def is_picture(self) -> bool:
        """Whether it is one, also where no browser draws it."""
        return self.sort.form is Form.PICTURE

    @property
    def is_viewable(self) -> bool:
        """Whether a page shows it as a picture. One that came short is not kept, and would be fetched a second time."""
        return not self.is_short and drawing.is_drawn(self.content, self.sort.media_type)

    @property
    def form_in_words(self) -> str:
        """What kind of file it is."""
        return wording.kind(self.sort)

    @property
    def saving_in_words(self) -> str:
        """What the button says that saves it."""
        return wording.saving(self.sort)

    @property
    def name(self) -> str:
        """To save it under."""
        return f"{_stem(self.described)}.{self.sort.suffix}"

    @property
    def handed_out(self) -> bytes:
        """What is saved: of HTML, XML and RTF the text alone, never as it came. Text is UTF-8. What it lacks it
        says at its end: nobody who reads it later sees our page."""
        if self.reading is None:
            return self.content
        if self.sort.form is Form.TEXT:
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
    """A picture in a clinical document, what it is, and a name to save it under."""

    content: bytes
    sort: Sort
    name: str


def open_file(record: Record, number: int, *, clock: Callable[[], datetime], seat: Seat) -> OpenedFile:
    """File `number` of this record (`attachments.sent_by`). Speaks to the network where it must: call it outside
    transactions. `seat` is taken where a provider is asked, and nowhere else.

    Raises LookupError where the record has no such file, or is withdrawn by its provider, FileRefused, NoSeat, and
    `apps.vault.errors.VaultError`.
    """
    sent = _sent(record, number)
    return _told(_content(record, sent, clock, seat), sent)


def open_picture(
    record: Record, number: int, picture: int, *, clock: Callable[[], datetime], seat: Seat
) -> OpenedPicture:
    """A picture in a file of this record, counted from 1 on as in `OpenedFile.pictures`, by the same rules as the file.
    The text around it is not read: a page asks for each of its pictures.

    Raises LookupError where the file has no such picture as well.
    """
    sent = _sent(record, number)
    whole = _content(record, sent, clock, seat)
    content, declared, _is_damaged = unpacking.unpacked(whole, declared=sent.get("contentType"))
    found = None
    if sniffing.sort_of(content, declared=declared).form is Form.CLINICAL_DOCUMENT:
        found = pictures.numbered(sniffing.decoded(content, declared=declared), picture)
    if found is None:
        raise LookupError
    return OpenedPicture(found.content, found.sort, f"{_stem(values.attachment(sent))} {picture}.{found.sort.suffix}")


def _content(record: Record, sent: Element, clock: Callable[[], datetime], seat: Seat) -> bytes:
    content = fetching.inline(sent)
    if content is None:
        content = keeping.find(record, sent)
    if content is None:
        with seat() as is_free:
            if not is_free:
                raise NoSeat
            content = fetching.fetch(record.connection, sent, clock=clock)
        if len(content) >= values.attachment(sent).size:
            keeping.keep(record, sent, content, at=clock())
    return content


def _told(content: bytes, sent: Element) -> OpenedFile:
    """What it is, by its content; of one that came packed, and of a clinical document that only encloses a file, that
    file."""
    described, came = values.attachment(sent), len(content)
    content, declared, is_damaged = unpacking.unpacked(content, declared=sent.get("contentType"))
    size = max(came, len(content))  # a record may tell the size of the file as it is unpacked
    sort, shown = sniffing.sort_of(content, declared=declared), tuple[Picture, ...]()
    if sort.form is Form.CLINICAL_DOCUMENT:
        document = sniffing.decoded(content, declared=declared)
        inside, shown = clinical_documents.enclosed(document), pictures.of(document)
        if inside is not None and inside.content:
            content, declared = inside
            sort = sniffing.sort_of(content, declared=declared)
        elif inside is not None:
            sort = sniffing.SEALED_DOCUMENT
    read = reading.read(content, sort, declared=declared, shown=shown)
    if read is not None and is_damaged:
        read = replace(read, is_damaged=True)
    return OpenedFile(described, sort, content, read, size, declared, shown)


def _stem(described: Attachment) -> str:
    """Its title as far as any disk takes it."""
    title = " ".join(_UNFIT.sub(" ", described.title).split())[:_LONGEST_NAME].strip()
    return title or "document"


def _sent(record: Record, number: int) -> Element:
    with sealing.key_ring(Holder.user(record.user_id)) as ring:
        resource = elements.parse(bodies.of(record, ring))
    if heads.head(resource)["is_withdrawn"]:
        raise LookupError
    return attachments.sent_by(resource)[number]
