"""Answer a program that follows a SMART Health Link: the manifest, and the file that it leads to.

Both have the record as it is when they are asked for. A file by its own address is not kept either: its ticket says
which share it is of and when it was given, and the share is asked again.
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
    """What a program is told that gave the right passcode; `address` makes a file's out of its ticket. A request that
    lacks the passcode takes no try. Raises Over, Refused, TooOften, and VaultError."""
    if not asked.passcode:
        raise Refused(visiting.tries_left(token, at=at))
    share = visiting.enter(token, asked.passcode, name=asked.recipient, way=Opening.Way.PROGRAM, at=at)
    file, about = _file(share, at=at), About(last_updated=at)
    if manifests.may_embed(file, asked):
        return manifests.embedded(file, about)
    return manifests.located(address(_ticket(share, at=at)), about)


def file(token: str, ticket: str, *, at: datetime) -> str:
    """The file of a ticket that is not an hour old. Raises Over, also where it is no ticket of ours, TooOften, and
    VaultError."""
    share = visiting.find(token, at=at)
    if not _is_of(share, ticket, at=at):
        raise Over
    rate_limit.count(share.pk)
    return _file(share, at=at)


def _ticket(share: Share, *, at: datetime) -> str:
    return _SIGNER.sign(f"{share.pk}:{int(at.timestamp())}")


def _is_of(share: Share, unverified: str, *, at: datetime) -> bool:
    """Whether it is a ticket of this share, and still holds."""
    try:
        share_id, given_at = _SIGNER.unsign(unverified).split(":")
    except BadSignature:
        return False
    return share_id == str(share.pk) and at <= datetime.fromtimestamp(int(given_at), UTC) + manifests.LOCATION_LASTS


def _file(share: Share, *, at: datetime) -> str:
    """The days in it are those of its owner, as on the page."""
    with timezone.override(time_zones.of(share.user)):
        shown = showing.of(share, at=at)
        return encrypting.encrypt(showing.document(shown, at=at), shown.terms.key)
