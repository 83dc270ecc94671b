"""Mail people the word of a breach (`breaches`), at any hour: they are to know without delay.

A notice is put off before its mail is sent, at growing intervals. So if a worker dies in between, or the connection to
the mail server breaks, a person may get the mail twice: here that is better than never. Each person's mail is tried for
three days, however long it waited for others, or for the mail server, before its first try. Then their address takes no
mail; they still read it on Home.
"""

import logging
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from apps.accounts import mailing
from apps.accounts.models import BreachNotice
from apps.audit import recording
from apps.audit.recording import Actor, EventType

_LOG = logging.getLogger(__name__)

_AT_ONCE: Final = 5000  # as many as a fast mail server takes in a round
_WAIT: Final = timedelta(minutes=30)
_LONGEST_WAIT: Final = timedelta(hours=12)
_TRIES: Final = 11  # with these waits, more than three days


def send(*, at: datetime) -> int:
    """Send the mail that is due; returns how many were sent. Speaks to the mail server: call it outside
    transactions."""
    due = BreachNotice.objects.filter(mail_due_at__lte=at).order_by("mail_due_at", "pk")
    notices = list(due.values_list("pk", flat=True)[:_AT_ONCE])
    return mailing.send_in_turn(notices, partial(_claim, at=at), partial(_send, at=at))


def _claim(notice_id: UUID, *, at: datetime) -> BreachNotice | None:
    """The notice, put off. None if another worker has it."""
    with transaction.atomic():
        held = BreachNotice.objects.select_for_update(skip_locked=True, of=("self",))
        notice = held.select_related("breach", "user").filter(pk=notice_id, mail_due_at__lte=at).first()
        if notice is None:
            return None
        notice.mail_due_at, notice.tries = at + _wait(notice.tries), notice.tries + 1
        notice.save(update_fields=["mail_due_at", "tries"])
    return notice


def _wait(tries: int) -> timedelta:
    factor: int = 2 ** min(tries, _TRIES)
    return min(_WAIT * factor, _LONGEST_WAIT)


def _send(notice: BreachNotice, *, at: datetime) -> bool | None:
    user = notice.user
    context = {
        "user": user,
        "words": notice.breach.words_in(user.language),
        "page_url": settings.SITE_ORIGIN + reverse("breach", args=[notice.pk]),
    }
    headers = {"Auto-Submitted": "auto-generated"}
    try:
        mailing.send("accounts/email/breach", to=user.email, context=context, headers=headers)
    except OSError as error:  # smtplib's errors are all of this kind
        if notice.tries >= _TRIES:
            BreachNotice.objects.filter(pk=notice.pk).update(mail_due_at=None)
            _LOG.error("A person cannot be told of a breach by mail: user %s, %s.", user.pk, mailing.kind(error))
        else:
            _LOG.error("A mail about a breach was not sent: user %s, %s.", user.pk, mailing.kind(error))
        return mailing.not_sent(error)
    with transaction.atomic():
        BreachNotice.objects.filter(pk=notice.pk).update(mailed_at=at, mail_due_at=None)
        recording.record(
            EventType.USER_TOLD_OF_BREACH,
            actor=Actor.system("breach_mail"),
            at=at,
            user_id=user.pk,
            subject="user",
            subject_id=str(user.pk),
        )
    return True
