"""Until when our own site's certificate is valid, seen as a patient's browser sees it.

One family of providers suspends permissions if our certificate becomes invalid (interface facts 3.10), so its expiry
would end links. The check is a TLS handshake with our own public address; nothing is sent.
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
AGAIN = timedelta(minutes=55)  # if it was not seen, or staff must act: a repair is noticed within the hour
SOON = timedelta(days=21)
VERY_SOON = timedelta(days=7)
UNSEEN = timedelta(days=3)  # a check may fail for a day or two


class Outlook(StrEnum):
    """The certificate's state. The last three require staff to act at once."""

    WELL = "well"
    NOT_WATCHED = "not_watched"  # plain http, or the check is switched off
    UNSEEN = "unseen"  # not for three days, or never
    ENDS_SOON = "ends_soon"  # within 21 days
    ENDS_VERY_SOON = "ends_very_soon"  # within 7 days
    ENDED = "ended"
    REFUSED = "refused"  # a browser would not accept it, whenever it expires


ALARMING = frozenset({Outlook.ENDS_SOON, Outlook.ENDS_VERY_SOON, Outlook.ENDED, Outlook.REFUSED})


def is_watched() -> bool:
    """False if there is no certificate to check: the demo uses plain http."""
    return bool(settings.WATCHES_SITE_CERTIFICATE) and urlsplit(settings.SITE_ORIGIN).scheme == "https"


def latest() -> SiteCertificate | None:
    """What was last seen for SITE_ORIGIN."""
    return SiteCertificate.objects.filter(origin=settings.SITE_ORIGIN).first() if is_watched() else None


def outlook(seen: SiteCertificate | None, *, at: datetime) -> Outlook:
    """The state of what was seen, at a moment."""
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
    """Check, unless that was done within the last day and all was well, or within the last hour. Returns what was seen;
    None if nothing was done. Speaks to the network: call it outside transactions."""
    seen = latest()
    if not is_watched() or (seen is not None and seen.tried_at > at - _lasts(seen, at=at)):
        return None
    return look(at=at)


def look(*, at: datetime) -> SiteCertificate:
    """Check now, and store what was seen. Never raises for what it finds."""
    columns: dict[str, object] = {"tried_at": at}
    try:
        certificate = certificates.presented(settings.SITE_ORIGIN, policy=_policy())
    except WireError as error:
        _LOG.warning("Our own certificate was not seen: %s", error.code.value)  # its text would speak of a provider
        certificate = None
    if certificate is not None:
        fault = certificate.fault.value if certificate.fault else ""
        columns |= {"seen_at": at, "ends_at": certificate.ends_at, "fault": fault}
    seen, _is_new = SiteCertificate.objects.update_or_create(origin=settings.SITE_ORIGIN, defaults=columns)
    return seen


def _lasts(seen: SiteCertificate, *, at: datetime) -> timedelta:
    """For how long this result counts before the next check."""
    is_well = seen.seen_at == seen.tried_at and outlook(seen, at=at) is Outlook.WELL
    return EVERY if is_well else AGAIN


def claim_telling(seen: SiteCertificate, *, at: datetime) -> bool:
    """Whether the caller is to tell staff: there is something to tell, and nobody told them within the last day."""
    if outlook(seen, at=at) not in ALARMING:
        return False
    untold = Q(told_at__isnull=True) | Q(told_at__lte=at - EVERY)
    return bool(SiteCertificate.objects.filter(untold, pk=seen.pk).update(told_at=at))


def _policy() -> AddressPolicy:
    """Any port is allowed, because the address is our own setting; but it must be public."""
    address = urlsplit(settings.SITE_ORIGIN)
    return AddressPolicy(approved_origins=frozenset({f"https://{address.hostname}:{address.port or 443}"}))
