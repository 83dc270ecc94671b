"""Answer a program that follows a SMART Health Link: the manifest, and the file that it points to.

Both show the record as it is at that moment. The file is not stored: its URL contains a signed ticket that says which
share it is for and when it was issued, and the share is checked again.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from django.core.signing import BadSignature, Signer
from django.utils import timezone

from apps.accounts import time_zones
from apps.sharing import rate_limit, showing, visiting
from apps.sharing.health_links import encrypting, manifests
from apps.sharing.health_links.manifest_requests import ManifestRequest
from apps.sharing.health_links.manifests import About
from apps.sharing.models import Opening, Share
from apps.sharing.visiting import Over, Refused

_SIGNER: Final = Signer(salt="apps.sharing.fetching")


def manifest(token: str, asked: ManifestRequest, *, address: Callable[[str], str], at: datetime) -> bytes:
    """The manifest, for a program that sent the right passcode; `address` makes a file's URL from its ticket. A request
    without a passcode does not count as a try. Raises Over, Refused, TooOften and VaultError."""
    if not asked.passcode:
        raise Refused(visiting.tries_left(token, at=at))
    showing.of(visiting.find(token, at=at), at=at)  # if it shows nothing, that is no visit
    share, _visit = visiting.enter(token, asked.passcode, name=asked.recipient, way=Opening.Way.PROGRAM, at=at)
    file, about = _file(share, at=at), About(last_updated=at)
    if manifests.may_embed(file, asked):
        return manifests.embedded(file, about)
    return manifests.located(address(_ticket(share, at=at)), about)


def file(token: str, ticket: str, *, at: datetime) -> str:
    """The file for a ticket that is less than an hour old. Raises Over, also for an invalid ticket, TooOften and
    VaultError."""
    share = visiting.find(token, at=at)
    if not _is_of(share, ticket, at=at):
        raise Over
    rate_limit.count(share.pk)
    return _file(share, at=at)


def _ticket(share: Share, *, at: datetime) -> str:
    return _SIGNER.sign(f"{share.pk}:{int(at.timestamp())}")


def _is_of(share: Share, unverified: str, *, at: datetime) -> bool:
    """Whether the ticket is for this share, and still valid."""
    try:
        share_id, given_at = _SIGNER.unsign(unverified).split(":")
    except BadSignature:
        return False
    return share_id == str(share.pk) and at <= datetime.fromtimestamp(int(given_at), UTC) + manifests.LOCATION_LASTS


def _file(share: Share, *, at: datetime) -> str:
    """Dates in it are in the owner's time zone, as on the page."""
    with timezone.override(time_zones.of(share.user)):
        shown = showing.of(share, at=at)
        return encrypting.encrypt(showing.document(shown, at=at), shown.terms.key)
