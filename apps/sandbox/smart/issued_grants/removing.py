"""What a patient allowed at one organization, by application, and removing it: the refresh tokens end at once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from apps.sandbox.models import Account, RefreshAccess, SmartApplication, SmartGrant
from apps.sandbox.smart import ending
from apps.sandbox.smart.authorizing import wording


@dataclass(frozen=True)
class Allowed:
    """One application that may read, and since when. `words` say what, without repetition, over all its grants."""

    application: SmartApplication
    since_at: datetime
    last_used_at: datetime
    words: tuple[str, ...]
    reads_while_away: bool


def allowed(account: Account, tenant: str, *, at: datetime) -> tuple[Allowed, ...]:
    """Every application that may now read for this account at this organization, by name."""
    grants = defaultdict(list)
    for grant in _open(account, tenant).select_related("application"):
        if not ending.has_ended(grant, at=at):
            grants[grant.application].append(grant)
    return tuple(sorted((_allowed(*pair) for pair in grants.items()), key=lambda row: row.application.name.lower()))


def remove(account: Account, tenant: str, application_id: int, *, at: datetime) -> int:
    """Withdraw the application's access for this account at this organization. Returns how many grants that ended."""
    grants = _open(account, tenant).filter(application_id=application_id)
    return ending.end(grants, reason="removed by the patient", at=at)


def _open(account: Account, tenant: str) -> QuerySet[SmartGrant]:
    return SmartGrant.objects.filter(account=account, tenant_id=tenant, ended_at=None)


def _allowed(application: SmartApplication, grants: Sequence[SmartGrant]) -> Allowed:
    scopes = dict.fromkeys(scope for grant in grants for scope in grant.scopes)
    return Allowed(
        application=application,
        since_at=min(grant.created_at for grant in grants),
        last_used_at=max(grant.last_used_at for grant in grants),
        words=tuple(dict.fromkeys(str(words) for _, words in wording.ticks(tuple(scopes)))),
        reads_while_away=any(grant.access == RefreshAccess.OFFLINE for grant in grants),
    )
