"""Delete a person's account: everything that says who they were, and every way to sign in. The audit log stays."""

from datetime import datetime

from axes.models import AccessAttempt
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from apps.accounts import account_events
from apps.accounts.models import User
from apps.audit.recording import EventType


def remove(user: User, *, at: datetime) -> None:
    """Delete the account with everything that references it: sessions, addresses, second steps, consents.

    Two tables reference it by a text instead of a foreign key, and are cleared by hand: failed sign-ins, counted by
    address, and the admin's own log. Records and connections would be deleted too, but in the wrong order: end those
    first.
    """
    with transaction.atomic():
        account_events.record(EventType.ACCOUNT_CLOSED, user, at=at)
        AccessAttempt.objects.filter(username=user.email.lower()).delete()
        LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User), object_id=str(user.pk)).delete()
        User.objects.filter(pk=user.pk).delete()
