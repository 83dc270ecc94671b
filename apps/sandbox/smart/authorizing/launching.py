"""The context of a launch from the provider's portal: found at the authorization endpoint, claimed at consent (X36).

A launch says which patient and visit are open. It is not a sign-in, and only the person who started it can use it.
"""

from datetime import datetime

from apps.sandbox import bearer
from apps.sandbox.models import Launch, SmartApplication
from apps.sandbox.smart.addresses import Place


def find(value: str, application: SmartApplication, place: Place, *, at: datetime) -> Launch | None:
    """The launch with this value, if it is for this application and root, unused and not expired; else None."""
    return Launch.objects.filter(
        sha256=bearer.sha256(value),
        application=application,
        tenant_id=place.tenant,
        host=place.host,
        version=place.version,
        used_at=None,
        expires_at__gt=at,
    ).first()


def claim(launch: Launch, *, at: datetime) -> bool:
    """Use up the launch. False if it was used meanwhile."""
    return bool(Launch.objects.filter(pk=launch.pk, used_at=None).update(used_at=at))
