"""Tickets: the ends of the addresses of shared files. A ticket is signed for one share, so that nobody can make one,
and it opens nothing of another share. Whether its file may be opened is checked at each request."""

from typing import NamedTuple

from django.core.signing import BadSignature, Signer

from apps.sharing.models import Share


class Ticket(NamedTuple):
    """The file with this number in this record."""

    record_pk: int
    number: int


def of(share: Share, record_pk: int, number: int) -> str:
    """The ticket of a file."""
    return _signer(share).sign(f"{record_pk}-{number}")


def read(share: Share, unverified: str) -> Ticket | None:
    """The file that a ticket of this share names; None if it is of none."""
    try:
        record_pk, number = _signer(share).unsign(unverified).split("-")
    except BadSignature:
        return None
    return Ticket(int(record_pk), int(number))


def _signer(share: Share) -> Signer:
    return Signer(salt=f"apps.sharing.file_tickets:{share.pk}")
