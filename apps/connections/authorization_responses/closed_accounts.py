"""What the audit log still says about an authorization request that was deleted with its account."""

from datetime import datetime, timedelta
from uuid import UUID

from apps.audit.models import AuditEvent, EventType
from apps.connections.authorization_requests import binding
from apps.wire.secret import Secret

_WITHIN = timedelta(hours=1)  # the lifetime of the cookie from which a state is derived


def is_of_closed_account(state: Secret, browser: Secret, *, at: datetime) -> bool:
    """Whether this browser began the sign-in with this state, for an account that was closed since. Only somebody with
    the browser's cookie learns that, because the state is derived from it."""
    recent = AuditEvent.objects.filter(at__gt=at - _WITHIN)
    closed = recent.filter(event=EventType.ACCOUNT_CLOSED)
    begun = recent.filter(event=EventType.CONNECTION_REQUESTED, user_id__in=closed.values("user_id"))
    ids = begun.values_list("subject_id", flat=True)
    return any(state == binding.state_for(UUID(request_id), browser) for request_id in ids)
