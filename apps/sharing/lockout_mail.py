"""Mail the owner of a share that wrong passcodes ended: somebody may be waiting for it, or guessing.

Each person gets one mail, however many of their shares ended; not at night, unless the share would expire before the
morning. It says nothing about what was shared, and contains neither link nor passcode. A share is marked as reported
before its mail is sent, and stays so unless the mail server certainly refused it. So if a worker dies in between, or
the connection to the server breaks, the owner may see it on the page only, but never gets two mails.
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
from apps.connections.lapse_warnings import moments
from apps.sharing.models import Share

_LOG = logging.getLogger(__name__)

_AT_ONCE: Final = 500
_WAIT: Final = timedelta(minutes=15)  # after the mail server refused a mail


@dataclass(frozen=True, repr=False)
class _Letter:
    """Whom to tell about which shares."""

    user: User
    shares: tuple[UUID, ...]


def tell(*, at: datetime) -> int:
    """Send the mail that is due; returns how many were sent. Speaks to the mail server: call it outside
    transactions."""
    return mailing.send_in_turn(_users_due(at), partial(_claim, at=at), partial(_tell, at=at))


def _users_due(at: datetime) -> list[UUID]:
    due = Share.objects.filter(tell_at__lte=at).order_by("tell_at", "pk")
    return list(dict.fromkeys(due.values_list("user_id", flat=True)[:_AT_ONCE]))


def _claim(user_id: UUID, *, at: datetime) -> _Letter | None:
    """What to tell this person now, marked as told. None if there is nothing, or if it waits for the morning. An
    expired share is left out: it would not open any more anyway."""
    with transaction.atomic():
        held = Share.objects.select_for_update(skip_locked=True, of=("self",)).select_related("user")
        due = list(held.filter(user=user_id, tell_at__lte=at).order_by("pk"))
        told = [share for share in due if share.user.is_active and share.expires_at > at]
        morning = _morning(told, at=at)
        _put_off([share.pk for share in due], until=morning)
        return _Letter(told[0].user, tuple(share.pk for share in told)) if told and morning is None else None


def _morning(told: Sequence[Share], *, at: datetime) -> datetime | None:
    """Until when the mail waits. None by day, and if one of these shares would expire before the morning."""
    if not told or not moments.is_quiet(at, zone := time_zones.of(told[0].user)):
        return None
    morning = moments.end_of_quiet(at, zone)
    return morning if all(share.expires_at > morning for share in told) else None


def _tell(letter: _Letter, *, at: datetime) -> bool | None:
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
        return mailing.not_sent(error)
    return True


def _put_off(shares: Sequence[UUID], *, until: datetime | None) -> None:
    """Report these shares at that time; None: never."""
    Share.objects.filter(pk__in=shares).update(tell_at=until)
