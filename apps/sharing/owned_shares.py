"""A person's own shares, as its pages show them: what each shares, its state, and who came."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db.models import Count, Max
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.records.exporting import choosing
from apps.records.subjects import LISTED
from apps.records.viewing.opening import telling_apart
from apps.sharing import links, making, places, terms
from apps.sharing.links import Link
from apps.sharing.models import Opening, Share
from apps.sharing.terms import Terms
from apps.vault import sealing
from apps.vault.errors import CannotOpen
from apps.vault.sealing import Holder, KeyRing


class State(StrEnum):
    """The state of a share."""

    OPEN = "open"
    ENDED = "ended"  # by its owner, or with all others when a backup was restored
    EXPIRED = "expired"
    LOCKED = "locked"  # after too many wrong passcodes


@dataclass(frozen=True, repr=False)
class OwnedShare:
    """One share. `terms` is None if they do not open; then nobody can open the share. `person` is whose record it is,
    if the account has records of several people."""

    share: Share
    state: State
    terms: Terms | None
    person: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it can still be opened."""
        return self.state is State.OPEN

    @property
    def subjects(self) -> str:
        """The names of the subjects that may be seen."""
        chosen = self.terms.subjects if self.terms is not None else frozenset()
        return ", ".join(str(subject.name) for subject in LISTED if subject.key in chosen)

    @property
    def kinds(self) -> str:
        """The same for a list of shares; names what may not be seen, if that is shorter."""
        left_out = [str(subject.name) for subject in LISTED if self.terms and subject.key not in self.terms.subjects]
        if self.terms is None or len(left_out) * 2 >= len(LISTED):
            return self.subjects
        if not left_out:
            return _("All kinds of entries")
        return _("All kinds except: %(names)s") % {"names": ", ".join(left_out)}

    @property
    def over_at(self) -> datetime:
        """When it ended, or will end."""
        return self.share.ended_at or self.share.expires_at

    @property
    def had_wrong(self) -> bool:
        """Whether somebody entered a wrong passcode."""
        return self.share.tries_left < making.TRIES


@dataclass(frozen=True, repr=False)
class Receipt:
    """An opening of the share. `way` is None if only a newer release knows it, `name` is what the visitor called
    themselves. `files` is how many files they opened, `file_at` when they opened the last one for the first time."""

    at: datetime
    way: Opening.Way | None
    name: str
    files: int
    file_at: datetime | None


@dataclass(frozen=True, repr=False)
class ShareDetails:
    """A share as its own page shows it: its link while it is open, its remaining sources in words, whether these are of
    one person as far as we know (if not, it shows nothing), and who came, newest first."""

    given: OwnedShare
    link: Link | None
    sources: tuple[str, ...]
    is_of_one_person: bool
    receipts: tuple[Receipt, ...]


def of(user: User, *, at: datetime) -> tuple[OwnedShare, ...]:
    """All shares of this person: open ones first, then the newest."""
    found = list(user.shares.order_by("-created_at", "-pk"))
    with sealing.key_ring(Holder.user(user.pk)) as ring:
        told = [_given(share, ring, at=at) for share in found]
    people = telling_apart.of_account(user.pk) if told else {}
    told = [replace(given, person=_person(given, people)) for given in told]
    return tuple(sorted(told, key=lambda one: not one.is_open))


def one(user: User, share_id: UUID, *, at: datetime) -> ShareDetails:
    """One share of this person. Raises Share.DoesNotExist for somebody else's."""
    share = user.shares.get(pk=share_id)
    with sealing.key_ring(Holder.user(user.pk)) as ring:
        given = _given(share, ring, at=at)
        came = tuple(_receipts(share, ring))
    if given.terms is None:
        return ShareDetails(given, None, (), is_of_one_person=True, receipts=came)
    link = links.of(given.terms, expires_at=share.expires_at) if given.is_open else None
    sources = choosing.choices(user, among=given.terms.connections, at=at)
    return ShareDetails(
        given,
        link,
        sources=tuple(choosing.label(source) for source in sources),
        is_of_one_person=choosing.are_one_person(sources),
        receipts=came,
    )


def _given(share: Share, ring: KeyRing, *, at: datetime) -> OwnedShare:
    try:
        agreed = terms.opened(share, ring)
    except CannotOpen:
        agreed = None
    return OwnedShare(share, _state(share, at=at), agreed)


def _person(given: OwnedShare, people: Mapping[UUID, str]) -> str:
    chosen = given.terms.connections if given.terms is not None else ()
    return next((people[connection] for connection in chosen if connection in people), "")


def _state(share: Share, *, at: datetime) -> State:
    if share.tries_left == 0:
        return State.LOCKED
    if share.ended_at is not None:
        return State.ENDED
    return State.EXPIRED if share.expires_at <= at else State.OPEN


def _receipts(share: Share, ring: KeyRing) -> Iterator[Receipt]:
    openings = share.openings.annotate(count=Count("files"), file_at=Max("files__at"))
    for opening in openings.order_by("-at", "-pk"):
        try:
            name = ring.open_body(bytes(opening.sealed_name), place=places.name_place(opening.pk)).decode()
        except CannotOpen:
            name = ""
        way = Opening.Way(opening.way) if opening.way in Opening.Way.values else None
        yield Receipt(opening.at, way, name, opening.count, opening.file_at)
