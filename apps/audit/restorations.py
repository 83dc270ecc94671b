"""When the database was restored from a backup. What was stored before the backup may have been replaced after it."""

from datetime import datetime

from apps.audit.models import Restoration


def note(*, at: datetime) -> None:
    """A backup was restored just now."""
    Restoration.objects.create(at=at)


def was_restored_since(moment: datetime) -> bool:
    """Whether a backup was restored after this moment, so that what was stored then may be out of date. Cheap: the
    table has very few rows."""
    return Restoration.objects.filter(at__gt=moment).exists()
