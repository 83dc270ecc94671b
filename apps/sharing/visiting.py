"""Let in whoever has link and passcode, and count wrong passcodes.

The link ends with 256 random bits, but a passcode is short. So wrong ones are counted over the share's whole life, in
its row, under a lock. A wrong passcode that was entered on the page before does not count again: reloading the page
sends it once more, and a guesser learns nothing from it. A program's tries always count. Somebody who has only the link
can use up all tries; then the owner gets a mail, and makes a new share.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import QuerySet

from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.directory.list_formats.texts import on_one_line
from apps.sharing import places, rate_limit, terms
from apps.sharing.models import FileOpening, Opening, Share
from apps.vault import sealing
from apps.vault.errors import CannotOpen
from apps.vault.sealing import Holder, KeyRing

LONGEST_NAME: Final = 80
_MOST_KEPT: Final = 100  # openings of one share; `Share.opened` counts on
_VISITOR: Final = Actor.system("share")


class Over(Exception):
    """There is no such share, or it has ended. Visitors are not told which."""


@dataclass(frozen=True)
class Refused(Exception):
    """The passcode is wrong. `tries_left` is 0 if that was the last try."""

    tries_left: int


@dataclass(frozen=True)
class Visit:
    """Somebody was let in. `opening_id` notes who that was; None for the share's owner, whose visits are not noted."""

    share_id: UUID
    opening_id: UUID | None


def find(token: str, *, at: datetime) -> Share:
    """The share with this link, and its owner. Raises Over."""
    return _only(Share.objects.open(at=at), token)


def enter(
    token: str, passcode: str, *, name: str, way: Opening.Way, at: datetime, signed_in: UUID | None = None
) -> tuple[Share, Visit]:
    """Open the share for somebody who gives this name, and may be `signed_in` here: if they are its owner, it is not
    counted as a visit. Raises Over, Refused, TooOften and VaultError."""
    tries_left = opening_id = None
    with transaction.atomic():
        # after waiting for the lock, a share that was ended, used up or deleted meanwhile is not found
        share = _only(Share.objects.open(at=at).select_for_update(of=("self",)), token)
        is_own = signed_in == share.user_id
        with sealing.key_ring(Holder.user(share.user_id)) as ring:
            if terms.is_passcode(passcode, terms.opened(share, ring)):
                rate_limit.count(share.pk)
                if not is_own:
                    opening_id = _note_opening(share, name, way, ring, at=at)
                _record(EventType.SHARE_OPENED, share, by_owner=is_own, at=at)
            else:
                before = share.tries_left
                tries_left = _count_wrong(share, passcode, way, ring, at=at)
                if tries_left < before:
                    _record(EventType.SHARE_REFUSED, share, by_owner=is_own, at=at)
    if tries_left is not None:  # raise only after the commit: the try must count
        raise Refused(tries_left)
    return share, Visit(share.pk, opening_id)


def note_file(token: str, visit: Visit, address: str, *, at: datetime) -> None:
    """Note that a visitor opens the file with this address, once for each visit. Raises Over if the share was ended
    meanwhile. It is locked, so that its owner can close the account at the same time (`ending.forget`)."""
    with transaction.atomic():
        share = _only(Share.objects.open(at=at).select_for_update(of=("self",)), token)
        if visit.opening_id is None:
            return
        if share.openings.filter(pk=visit.opening_id).exists():  # not if very many opened the share since
            file = {"opening_id": visit.opening_id, "file_hash": terms.hash_of(address)}
            _file, is_first = FileOpening.objects.get_or_create(**file, defaults={"at": at})
            if not is_first:
                return
        _record(EventType.SHARE_FILE_OPENED, share, by_owner=False, at=at)


def tries_left(token: str, *, at: datetime) -> int:
    """How many wrong passcodes are still allowed. Raises Over."""
    return find(token, at=at).tries_left


def _only(shares: QuerySet[Share], token: str) -> Share:
    found = shares.select_related("user").filter(token_hash=terms.hash_of(token)).first()
    if found is None:
        raise Over
    return found


def _note_opening(share: Share, name: str, way: Opening.Way, ring: KeyRing, *, at: datetime) -> UUID:
    share.opened += 1
    share.last_opened_at = at
    share.save(update_fields=["opened", "last_opened_at"])
    opening = Opening(id=uuid.uuid4(), share=share, at=at, way=way)
    opening.sealed_name = ring.seal_body(plain(name).encode(), place=places.name_place(opening.pk))
    opening.save(force_insert=True)
    older = share.openings.order_by("-at", "-pk").values_list("pk", flat=True)[_MOST_KEPT:]
    Opening.objects.filter(pk__in=list(older)).delete()
    return opening.pk


def _count_wrong(share: Share, passcode: str, way: Opening.Way, ring: KeyRing, *, at: datetime) -> int:
    if way is Opening.Way.PAGE:
        typed, before = terms.digits(passcode), _typed_before(share, ring)
        if typed in before:
            return share.tries_left
        written = msgspec.json.encode([*before, typed])
        share.sealed_wrong = ring.seal_body(written, place=places.wrong_place(share.pk))
    share.tries_left -= 1
    if share.tries_left == 0:
        share.ended_at = share.tell_at = at
    share.save(update_fields=["sealed_wrong", "tries_left", "ended_at", "tell_at"])
    return share.tries_left


def _typed_before(share: Share, ring: KeyRing) -> list[str]:
    """Wrong passcodes entered on the page. If they do not open, each counts again."""
    if share.sealed_wrong is None:
        return []
    try:
        opened = ring.open_body(bytes(share.sealed_wrong), place=places.wrong_place(share.pk))
    except CannotOpen:
        return []
    return msgspec.json.decode(opened, type=list[str])


def plain(name: str) -> str:
    """The visitor's name on one line, without invisible characters, and not too long."""
    return on_one_line(name)[:LONGEST_NAME]


def _record(event: EventType, share: Share, *, by_owner: bool, at: datetime) -> None:
    actor = Actor.user(share.user_id) if by_owner else _VISITOR
    recording.record(event, actor=actor, at=at, user_id=share.user_id, subject="share", subject_id=str(share.pk))
