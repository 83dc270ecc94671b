"""Remove a person's account: everything that says who they were and every way to sign in. The audit log stays."""

from datetime import datetime

from axes.models import AccessAttempt
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from apps.accounts import account_events
from apps.accounts.models import User
from apps.audit.recording import EventType


def remove(user: User, *, at: datetime) -> None:
    """Delete the account with all that hangs on it: sessions, addresses, second steps, consents.

    What hangs on it by a text and not by a foreign key is looked for: wrong passwords counted under the address, and
    what the admin noted about the account. Records and connections go with it too, but in no good order: end those
    first.
    """
    with transaction.atomic():
        account_events.record(EventType.ACCOUNT_CLOSED, user, at=at)
        AccessAttempt.objects.filter(username=user.email.lower()).delete()
        LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User), object_id=str(user.pk)).delete()
        User.objects.filter(pk=user.pk).delete()
