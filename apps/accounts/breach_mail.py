"""Mail people the word of a breach (`breaches`), at any hour: they are to know without delay.

A notice is put off before its mail is sent. So if a worker dies in between, or the connection to the mail server
breaks, a person may get the mail twice: here that is better than never. After three days nobody is written to any more,
because their address takes no mail; they still read it on Home.
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

_AT_ONCE: Final = 500
_WAIT: Final = timedelta(minutes=30)
_TRIED_FOR: Final = timedelta(days=3)


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
        is_last = at >= notice.breach.announced_at + _TRIED_FOR
        notice.mail_due_at = None if is_last else at + _WAIT
        notice.save(update_fields=["mail_due_at"])
    return notice


def _send(notice: BreachNotice, *, at: datetime) -> bool:
    user = notice.user
    context = {
        "user": user,
        "words": notice.breach.words_in(user.language),
        "page_url": settings.SITE_ORIGIN + reverse("breach", args=[notice.pk]),
    }
    try:
        mailing.send("accounts/email/breach", to=user.email, context=context)
    except OSError as error:  # smtplib's errors are all of this kind
        if notice.mail_due_at is None:
            _LOG.error("A person cannot be told of a breach by mail: user %s, %s.", user.pk, mailing.kind(error))
        else:
            _LOG.error("A mail about a breach was not sent: user %s, %s.", user.pk, mailing.kind(error))
        return False
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
