"""Open a share: seal what was chosen, and log that there is a share."""

import uuid
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec
from django.db import transaction

from apps.accounts.models import User
from apps.audit import recording
from apps.audit.recording import Actor, EventType
from apps.sharing import terms
from apps.sharing.models import Share
from apps.sharing.terms import Terms
from apps.vault import sealing
from apps.vault.errors import CannotOpen
from apps.vault.sealing import Holder, KeyRing

MOST_OPEN: Final = 20  # per person, who would lose track of more
TRIES: Final = 10
_PRESSED_AGAIN: Final = timedelta(seconds=10)


class TooMany(Exception):
    """This person has too many open shares, and must end one first."""


class AccountClosed(Exception):
    """The account was closed a moment ago."""


@transaction.atomic
def make(
    user: User,
    connections: Sequence[UUID],
    subjects: frozenset[str],
    *,
    since: date | None,
    tells_sensitive: bool,
    with_files: bool,
    purpose: str,
    lasts: timedelta,
    at: datetime,
) -> Share:
    """Open a share of these sources, which must belong to one person; their owner has asked for it. A form submitted
    twice opens one share. Raises TooMany and AccountClosed."""
    # the lock makes concurrent requests count one after another
    if User.objects.select_for_update(no_key=True).only("pk").filter(pk=user.pk).first() is None:
        raise AccountClosed
    agreed = terms.new(
        connections, subjects, since=since, tells_sensitive=tells_sensitive, with_files=with_files, purpose=purpose
    )
    with sealing.key_ring(Holder.user(user.pk)) as ring:
        made = _made_just_now(user, agreed, ring, lasts=lasts, at=at)
        if made is not None:
            return made
        if user.shares.open(at=at).count() >= MOST_OPEN:
            raise TooMany
        share = _keep(user, agreed, ring, lasts=lasts, at=at)
    recording.record(
        EventType.SHARE_MADE,
        actor=Actor.user(user.pk),
        at=at,
        user_id=user.pk,
        subject="share",
        subject_id=str(share.pk),
    )
    return share


def _keep(user: User, agreed: Terms, ring: KeyRing, *, lasts: timedelta, at: datetime) -> Share:
    share = Share(
        id=uuid.uuid4(),
        user=user,
        token_hash=terms.hash_of(agreed.token),
        created_at=at,
        expires_at=at + lasts,
        tries_left=TRIES,
    )
    share.sealed_terms = terms.seal(agreed, share_id=share.pk, ring=ring)
    share.save(force_insert=True)
    return share


def _made_just_now(user: User, agreed: Terms, ring: KeyRing, *, lasts: timedelta, at: datetime) -> Share | None:
    last = user.shares.open(at=at).filter(created_at__gt=at - _PRESSED_AGAIN).order_by("-created_at", "-pk").first()
    if last is None or last.expires_at - last.created_at != lasts:
        return None
    try:
        before = terms.opened(last, ring)
    except CannotOpen:
        return None
    is_alike = msgspec.structs.replace(before, token=agreed.token, passcode=agreed.passcode, key=agreed.key) == agreed
    return last if is_alike else None
