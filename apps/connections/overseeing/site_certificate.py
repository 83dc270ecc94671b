"""Until when the certificate of our own site holds, seen as a patient's browser sees it.

One family of providers suspends permissions when our certificate changes to one that does not hold (interface facts
3.10), so that the end of ours would end links. A handshake with our own public address, and nothing is sent.
"""

import logging
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Q

from apps.connections.models import SiteCertificate
from apps.wire import certificates
from apps.wire.addresses import AddressPolicy
from apps.wire.errors import WireError

_LOG = logging.getLogger(__name__)

EVERY = timedelta(hours=23)  # once a day, whenever beat was started
AGAIN = timedelta(minutes=55)  # where nobody saw it, or staff must act: what was mended is seen within the hour
SOON = timedelta(days=21)
VERY_SOON = timedelta(days=7)
UNSEEN = timedelta(days=3)  # a look may fail for a day or two


class Outlook(StrEnum):
    """How it stands. The last three are for staff to act on at once."""

    WELL = "well"
    NOT_WATCHED = "not_watched"  # plain http, or it was switched off
    UNSEEN = "unseen"  # not for three days, or never
    ENDS_SOON = "ends_soon"  # within 21 days
    ENDS_VERY_SOON = "ends_very_soon"  # within 7 days
    ENDED = "ended"
    REFUSED = "refused"  # a browser would not take it, whenever it ends


ALARMING = frozenset({Outlook.ENDS_SOON, Outlook.ENDS_VERY_SOON, Outlook.ENDED, Outlook.REFUSED})


def is_watched() -> bool:
    """Not where there is none to watch: the demo speaks plain http."""
    return bool(settings.WATCHES_SITE_CERTIFICATE) and urlsplit(settings.SITE_ORIGIN).scheme == "https"


def latest() -> SiteCertificate | None:
    """What was last seen under SITE_ORIGIN."""
    return SiteCertificate.objects.filter(origin=settings.SITE_ORIGIN).first() if is_watched() else None


def outlook(seen: SiteCertificate | None, *, at: datetime) -> Outlook:
    """What `latest` means at a moment."""
    if not is_watched():
        return Outlook.NOT_WATCHED
    if seen is None or seen.seen_at is None or seen.ends_at is None:
        return Outlook.UNSEEN
    checks = (
        (seen.ends_at <= at, Outlook.ENDED),
        (bool(seen.fault), Outlook.REFUSED),
        (seen.ends_at <= at + VERY_SOON, Outlook.ENDS_VERY_SOON),
        (seen.ends_at <= at + SOON, Outlook.ENDS_SOON),
        (seen.seen_at <= at - UNSEEN, Outlook.UNSEEN),
    )
    return next((found for holds, found in checks if holds), Outlook.WELL)


def look_where_due(*, at: datetime) -> SiteCertificate | None:
    """Look, unless somebody did within the day and found all well, or within the hour. What was seen; None where
    nothing was done. Speaks to the network: call it outside transactions."""
    seen = latest()
    if not is_watched() or (seen is not None and seen.tried_at > at - _lasts(seen, at=at)):
        return None
    return look(at=at)


def look(*, at: datetime) -> SiteCertificate:
    """Look now, and keep what was seen. Never raises for what stands there."""
    columns: dict[str, object] = {"tried_at": at}
    try:
        certificate = certificates.presented(settings.SITE_ORIGIN, policy=_policy())
    except WireError as error:
        _LOG.warning("Our own certificate was not seen: %s", error.code.value)  # its words speak of a provider
        certificate = None
    if certificate is not None:
        fault = certificate.fault.value if certificate.fault else ""
        columns |= {"seen_at": at, "ends_at": certificate.ends_at, "fault": fault}
    seen, _is_new = SiteCertificate.objects.update_or_create(origin=settings.SITE_ORIGIN, defaults=columns)
    return seen


def _lasts(seen: SiteCertificate, *, at: datetime) -> timedelta:
    """For how long nobody need look again."""
    is_well = seen.seen_at == seen.tried_at and outlook(seen, at=at) is Outlook.WELL
    return EVERY if is_well else AGAIN


def claim_telling(seen: SiteCertificate, *, at: datetime) -> bool:
    """Whether whoever asks is to tell staff: something is to be told, and nobody told them within the day."""
    if outlook(seen, at=at) not in ALARMING:
        return False
    untold = Q(told_at__isnull=True) | Q(told_at__lte=at - EVERY)
    return bool(SiteCertificate.objects.filter(untold, pk=seen.pk).update(told_at=at))


def _policy() -> AddressPolicy:
    """Whatever port it is at: the address is our own setting, and it must be public all the same."""
    address = urlsplit(settings.SITE_ORIGIN)
    return AddressPolicy(approved_origins=frozenset({f"https://{address.hostname}:{address.port or 443}"}))
