"""What a share shows, read each time from the record as it is now.

What its owner has deleted, disconnected without a copy, or what a provider has withdrawn since is gone; new entries of
the chosen kinds are included.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from apps.accounts.models import User
from apps.records.exporting import choosing, stored, summaries
from apps.records.exporting.choosing import Choice
from apps.records.exporting.ips import documents
from apps.records.exporting.portions import FileAddress, Portion
from apps.records.exporting.stored import DeletedMeanwhile
from apps.records.exporting.summaries import List, Summary
from apps.sharing import file_tickets, terms
from apps.sharing.models import Share
from apps.sharing.terms import Terms
from apps.sharing.visiting import Over
from apps.vault import sealing
from apps.vault.errors import Shredded
from apps.vault.sealing import Holder


class PerhapsSeveralPeoples(Over):
    """Its sources turned out to belong to several people, or nobody knows any more whether they do."""


@dataclass(frozen=True, repr=False)
class Shown:
    """What may be seen now, and from which sources."""

    terms: Terms
    choices: tuple[Choice, ...]


@dataclass(frozen=True, repr=False)
class Preview:
    """What others see of a share, and, for its owner only, what is left out of its kinds as sensitive."""

    share: Share
    summary: Summary
    untold: tuple[List, ...]


def of(share: Share, *, at: datetime) -> Shown:
    """What this share is about now. Raises Over if none of its sources exists any more, or if the account was closed
    meanwhile; PerhapsSeveralPeoples, which is Over to visitors; and VaultError."""
    with over_once_closed():
        with sealing.key_ring(Holder.user(share.user_id)) as ring:
            agreed = terms.opened(share, ring)
        choices = choosing.choices(share.user, among=agreed.connections, at=at)
    if not choices:
        raise Over
    if not choosing.are_one_person(choices):
        raise PerhapsSeveralPeoples
    return Shown(agreed, choices)


def summary(share: Share, *, address: Callable[[str], str], at: datetime) -> Summary:
    """The page to read. If files can be opened, `address` makes a file's URL from its ticket. Raises Over as `of` does,
    and if the record was deleted while it was read; and VaultError."""
    shown = of(share, at=at)
    portion = _portion(shown.terms, lambda record_pk, number: address(file_tickets.of(share, record_pk, number)))
    with over_once_closed():
        told = summaries.summary(shown.choices, at=at, portion=portion)
    _ensure_held(shown.choices)
    return told


def preview(user: User, share_id: UUID, *, file_address: FileAddress, at: datetime) -> Preview:
    """What its owner sees of it, with files at the owner's own addresses. Raises Share.DoesNotExist for somebody else's
    share, Over as `summary` does, and VaultError."""
    share = user.shares.select_related("user").get(pk=share_id)
    shown = of(share, at=at)
    with over_once_closed():
        told, untold = summaries.with_untold(shown.choices, at=at, portion=_portion(shown.terms, file_address))
    _ensure_held(shown.choices)
    return Preview(share, told, untold)


def document(shown: Shown, *, at: datetime) -> bytes:
    """The same for a program: an International Patient Summary. Raises Over as `summary` does, and VaultError."""
    with over_once_closed():
        written = documents.document(shown.choices, at=at, portion=shown.terms.portion)
    _ensure_held(shown.choices)
    return written


def _portion(agreed: Terms, file_address: FileAddress) -> Portion:
    return replace(agreed.portion, file_address=file_address) if agreed.with_files else agreed.portion


@contextmanager
def over_once_closed() -> Iterator[None]:
    """If the account is closed while a share is read, its key is gone: raise Over for that."""
    try:
        yield
    except Shredded:
        raise Over from None


def _ensure_held(choices: Sequence[Choice]) -> None:
    try:
        for choice in choices:
            stored.ensure_held(choice.source)
    except DeletedMeanwhile:
        raise Over from None
