"""Tell staff, by mail and in the log, when the certificate of our own site is about to expire: at most once a day,
until it is renewed."""

import logging
from datetime import datetime

from apps.accounts import mailing
from apps.accounts.models import User
from apps.connections.link_health import site_certificate
from apps.connections.link_health.site_certificate import Outlook
from apps.connections.models import SiteCertificate

_LOG = logging.getLogger(__name__)


def watch_site_certificate(*, at: datetime) -> None:
    """Check the certificate if that is due, and tell staff if they must act.

    Speaks to the network: call it outside transactions.
    """
    seen = site_certificate.look_where_due(at=at)
    if seen is not None and site_certificate.claim_telling(seen, at=at):
        _tell_staff(seen, site_certificate.outlook(seen, at=at))


def _tell_staff(seen: SiteCertificate, outlook: Outlook) -> None:
    _LOG.error("The certificate of our own site must be renewed: %s, until %s", outlook.value, seen.ends_at)
    context = {"outlook": outlook.value, "ends_at": seen.ends_at}
    for member in User.objects.filter(is_staff=True, is_active=True).order_by("pk"):
        with mailing.failures_logged(member):
            mailing.send("connections/email/site_certificate", to=member.email, context={**context, "user": member})
