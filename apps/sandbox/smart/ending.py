"""How access through interface B ends (specification section 3): by a decision, or by not being used.

Online access ends with its session, and after some time without use; offline access after three months without use.
Nothing runs on a timer: a request notices that a grant has ended, and stores that.
"""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from apps.sandbox import scenarios
from apps.sandbox.models import RefreshAccess, SmartGrant

THREE_MONTHS = timedelta(days=92)  # no three months are longer


def end(grants: QuerySet[SmartGrant], *, reason: str, at: datetime) -> int:
    """End these grants: their codes and refresh tokens stop working at once. Returns how many open grants it ended."""
    return grants.filter(ended_at=None).update(ended_at=at, end_reason=reason)


def has_ended(grant: SmartGrant, *, at: datetime) -> bool:
    """Whether the grant is over. One that was idle for too long is ended here, for good."""
    if grant.ended_at is None and at >= idle_until(grant):
        end(SmartGrant.objects.filter(pk=grant.pk), reason="not used for too long", at=at)
        grant.ended_at = at
    return grant.ended_at is not None


def idle_until(grant: SmartGrant) -> datetime:
    """When the grant ends if it is not used."""
    if grant.access == RefreshAccess.ONLINE:
        return grant.last_used_at + timedelta(minutes=int(scenarios.chosen("session_minutes")))
    return grant.last_used_at + THREE_MONTHS
