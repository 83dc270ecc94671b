"""Mail the owner of a share that wrong passcodes ended: somebody may be waiting for what it showed, or be guessing.

One mail for a person, however many of theirs ended, and not while they sleep, unless the share's time would be over by
the morning. It says nothing of what was shared, and has neither link nor passcode. A share is marked as told before its
mail goes, and stays so unless the mail server surely did not take it: where a worker dies in between, or the server
goes away with the mail, its owner may read of it on the page alone, and never twice by mail.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from apps.accounts import mailing, time_zones
from apps.accounts.models import User
from apps.connections.lapsing import moments
from apps.sharing.models import Share

_LOG = logging.getLogger(__name__)

_AT_ONCE: Final = 500
_WAIT: Final = timedelta(minutes=15)  # where the mail server did not take it


@dataclass(frozen=True, repr=False)
class _Letter:
    """Whom to tell of which shares."""

    user: User
    shares: tuple[UUID, ...]


def tell(*, at: datetime) -> int:
    """Send what is due; returns how many mails. Speaks to the mail server: call it outside transactions."""
    return mailing.send_in_turn(_users_due(at), partial(_claim, at=at), partial(_tell, at=at))


def _users_due(at: datetime) -> list[UUID]:
    due = Share.objects.filter(tell_at__lte=at).order_by("tell_at", "pk")
    return list(dict.fromkeys(due.values_list("user_id", flat=True)[:_AT_ONCE]))


def _claim(user_id: UUID, *, at: datetime) -> _Letter | None:
    """What this person is to be told now, marked as told. None where that is nothing, or waits for the morning. A share
    whose time is over meanwhile is left out: it would let nobody in any more."""
    with transaction.atomic():
        held = Share.objects.select_for_update(skip_locked=True, of=("self",)).select_related("user")
        due = list(held.filter(user=user_id, tell_at__lte=at).order_by("pk"))
        told = [share for share in due if share.user.is_active and share.expires_at > at]
        morning = _morning(told, at=at)
        _put_off([share.pk for share in due], until=morning)
        return _Letter(told[0].user, tuple(share.pk for share in told)) if told and morning is None else None


def _morning(told: Sequence[Share], *, at: datetime) -> datetime | None:
    """Until when this waits. None where it is day, and where one of these shares would be over by then."""
    if not told or not moments.is_quiet(at, zone := time_zones.of(told[0].user)):
        return None
    morning = moments.end_of_quiet(at, zone)
    return morning if all(share.expires_at > morning for share in told) else None


def _tell(letter: _Letter, *, at: datetime) -> bool:
    context = {
        "user": letter.user,
        "count": len(letter.shares),
        "page_url": settings.SITE_ORIGIN + reverse("shares"),
    }
    headers = {"Auto-Submitted": "auto-generated"}
    try:
        mailing.send("sharing/email/locked", to=letter.user.email, context=context, headers=headers)
    except OSError as error:  # smtplib's errors are all of this kind
        _LOG.error("A mail about a share was not sent: user %s, %s.", letter.user.pk, mailing.kind(error))
        if not isinstance(error, mailing.PerhapsSent):
            _put_off(letter.shares, until=at + _WAIT)
        return False
    return True


def _put_off(shares: Sequence[UUID], *, until: datetime | None) -> None:
    """Tell of these then; None: not again."""
    Share.objects.filter(pk__in=shares).update(tell_at=until)
