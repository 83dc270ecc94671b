"""Open a file of what a share shows, for somebody who was let in.

At each request all is checked anew: that the share is open, that it is with files, and that its page would offer this
file of the record as it is now. A file that we do not have is fetched from the provider with the patient's permission,
as if they had opened it, and kept for them. Providers learn nothing of the visitor. As they may take a minute, share
and entry are checked again before anything is handed out.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from apps.records import attachments
from apps.records.attachments import FileRefused, OpenedFile, OpenedPicture, Reason, Seat
from apps.records.exporting import offered_files
from apps.records.exporting.choosing import Choice
from apps.records.models import Record
from apps.records.viewing import entries
from apps.sharing import file_tickets, rate_limit, showing, visiting
from apps.sharing.models import Share
from apps.sharing.visiting import Visit
from apps.vault.errors import CannotOpen

_LOG = logging.getLogger(__name__)

_Opened = TypeVar("_Opened")


class NotLetIn(Exception):
    """The passcode was not given in this browser, or too long ago."""


class NotOffered(Exception):
    """The share offers no such file, or does not offer it any more."""


class DoesNotOpen(Exception):
    """What we stored of its entry does not open: ours to look into."""


class NotHere(Exception):
    """The file is not here, and this provider did not give it to us now, for this reason."""

    def __init__(self, provider: str, reason: Reason) -> None:
        super().__init__(self.__doc__)
        self.provider = provider
        self.reason = reason


@dataclass(frozen=True, repr=False)
class SharedFile:
    """A file, and the provider that has it, in words."""

    file: OpenedFile
    provider: str


@dataclass(frozen=True)
class FileRequest:
    """What a visitor asks for: the end of the share's link, the ticket of a file, and as whom they were let in, if they
    were. `seat_for` is as in `attachments.open_file`, for a record."""

    token: str
    ticket: str
    visit: Visit | None
    seat_for: Callable[[Record], Seat]
    clock: Callable[[], datetime]

    def __repr__(self) -> str:
        """Nothing that opens anything."""
        return "<FileRequest>"


def open_file(request: FileRequest) -> SharedFile:
    """The file. Raises NotLetIn, NotOffered, DoesNotOpen, NotHere, NoSeat, Over, TooOften and VaultError."""

    def opened(record: Record, number: int, seat: Seat) -> OpenedFile:
        return attachments.open_file(record, number, clock=request.clock, seat=seat)

    file, choice = _opened(request, opened)
    return SharedFile(file, choice.source.provider)


def open_picture(request: FileRequest, picture: int) -> OpenedPicture:
    """A picture in the file, as in `attachments.open_picture`, by the same rules. Raises what `open_file` does."""

    def opened(record: Record, number: int, seat: Seat) -> OpenedPicture:
        return attachments.open_picture(record, number, picture, clock=request.clock, seat=seat)

    return _opened(request, opened)[0]


def _opened(request: FileRequest, open_it: Callable[[Record, int, Seat], _Opened]) -> tuple[_Opened, Choice]:
    at = request.clock()
    share = visiting.find(request.token, at=at)
    if request.visit is None or request.visit.share_id != share.pk:
        raise NotLetIn
    rate_limit.count_file(share.pk)
    with showing.over_once_closed():
        record, number, choice = _offered(share, request.ticket, at=at)
        try:
            opened = open_it(record, number, _counted(share, request.seat_for(record)))
        except (LookupError, Record.DoesNotExist):
            raise NotOffered from None
        except CannotOpen:
            raise _not_opening(record) from None
        except FileRefused as refusal:
            raise NotHere(choice.source.provider, refusal.reason) from None
        _offered(share, request.ticket, at=request.clock())
    visiting.note_file(request.token, request.visit, request.ticket, at=request.clock())
    return opened, choice


def _offered(share: Share, ticket: str, *, at: datetime) -> tuple[Record, int, Choice]:
    """The record, the number of the file in it, and the source that it is from. Raises NotOffered,
    DoesNotOpen, Over and VaultError."""
    shown, wanted = showing.of(share, at=at), file_tickets.read(share, ticket)
    if wanted is None or not shown.terms.with_files:
        raise NotOffered
    try:
        record = entries.find(share.user, wanted.record_pk)
    except Record.DoesNotExist:
        raise NotOffered from None
    choice = next((one for one in shown.choices if one.connection.pk == record.connection_id), None)
    portion, today = shown.terms.portion, at.date()
    try:
        if choice is None or not offered_files.may_open(choice, record, wanted.number, portion, today=today):
            raise NotOffered
    except CannotOpen:
        raise _not_opening(record) from None
    return record, wanted.number, choice


def _not_opening(record: Record) -> DoesNotOpen:
    _LOG.error("A file of a share does not open: connection %s.", record.connection_id)
    return DoesNotOpen()


def _counted(share: Share, seat: Seat) -> Seat:
    """The seat, which is taken only if the provider is asked: that is counted as if a page was made. Waiting for a free
    one is not. One share takes one seat at most."""

    @contextmanager
    def taken() -> Iterator[bool]:
        with rate_limit.one_at_a_time(share.pk) as is_only_one:
            if not is_only_one:
                yield False
                return
            with seat() as is_free:
                if is_free:
                    rate_limit.count(share.pk)
                yield is_free

    return taken
