"""EHR launch (interface facts 3.9): from the link in a provider's own portal to a sign-in there.

`arrive` checks the link and remembers the launch for its browser. Meanwhile the person signs in here, or signs up, and
agrees to our notice. `begin` is called when they decide to go on. A launch authenticates nobody and chooses no account:
it names the provider, and its value is returned to the authorization server that issued it.
"""

import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID, uuid4

from apps.accounts.models import User
from apps.connections.authorization_requests import binding, creating
from apps.connections.authorization_requests.authorization_url import Departure
from apps.connections.authorization_requests.creating import Launch
from apps.connections.models import PendingLaunch
from apps.directory import served_endpoints
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration, Provider
from apps.vault import sealing
from apps.vault.sealing import Holder, Place
from apps.wire.secret import Secret

LIFETIME = timedelta(minutes=10)
MOST_OPEN = 5  # per browser; the oldest is dropped

_LONGEST_ISS = 1000  # as for FHIR base URLs in the directory
_LONGEST_LAUNCH = 4096
_VISIBLE = re.compile(r"[\x21-\x7e]+")


class Refusal(StrEnum):
    """Why a link was not accepted."""

    UNREADABLE = "unreadable"
    UNKNOWN_PROVIDER = "unknown-provider"
    ELSEWHERE = "elsewhere"
    TOO_MANY = "too-many"


class Refused(Exception):
    """The link was not accepted; `why` says why. No request was sent to anybody."""

    def __init__(self, why: Refusal) -> None:
        super().__init__(self.__doc__)
        self.why = why


class NotOpen(Exception):
    """The launch was used, has expired, or belongs to another browser."""


@dataclass(frozen=True, repr=False)
class _Link:
    iss: str
    launch: Secret


def arrive(
    *, launch_id: UUID, unverified_query: Mapping[str, Sequence[str]], browser: Secret, at: datetime
) -> PendingLaunch:
    """Remember the launch of this link for this browser, for ten minutes. Opening the same link again is the same
    launch.

    Raises Refused if the link cannot be read, if it names a FHIR base URL that this launch URL does not serve, or if
    another browser has used it. Makes no network calls.
    """
    link = _read(unverified_query)
    registration = ClientRegistration.objects.filter(launch_id=launch_id).first()
    endpoint = served_endpoints.endpoint_at(registration, link.iss) if registration is not None else None
    if registration is None or endpoint is None:
        raise Refused(Refusal.UNKNOWN_PROVIDER)
    same = PendingLaunch.objects.filter(registration=registration, launch_hash=binding.hashed(link.launch))
    mine = same.filter(browser_hash=binding.hashed(browser), endpoint=endpoint).first()
    if mine is not None:
        return mine
    if same.filter(claimed_at__isnull=False).exists():
        raise Refused(Refusal.ELSEWHERE)
    pending_id = uuid4()
    pending = PendingLaunch.objects.create(
        id=pending_id,
        registration=registration,
        endpoint=endpoint,
        iss=link.iss,
        browser_hash=binding.hashed(browser),
        launch_hash=binding.hashed(link.launch),
        sealed_launch=sealing.seal(
            link.launch.reveal().encode(), holder=Holder.installation(), place=place_of(pending_id)
        ),
        created_at=at,
        expires_at=at + LIFETIME,
    )
    _drop_oldest(browser)
    return pending


def find(pending_id: UUID, browser: Secret | None) -> PendingLaunch | None:
    """The launch, only for the browser that it came to."""
    rows = PendingLaunch.objects.select_related("endpoint", "registration", "authorization_request")
    pending = rows.filter(pk=pending_id).first()
    return pending if pending is not None and _is_its_browser(pending, browser) else None


def is_open(pending: PendingLaunch, *, at: datetime) -> bool:
    """Whether a sign-in can still begin with it."""
    return pending.claimed_at is None and pending.expires_at > at


def providers(pending: PendingLaunch) -> list[Provider]:
    """The providers that may have sent the person: several can share a FHIR base URL, and a launch does not say
    which."""
    return list(pending.endpoint.providers.filter(vanished_at__isnull=True).order_by("name", "pk"))


def begin(
    pending: PendingLaunch,
    *,
    user: User,
    provider: Provider,
    browser: Secret,
    at: datetime,
    closes_others: bool = False,
) -> Departure:
    """Turn the launch into a sign-in of this user, once. If that fails, the launch stays as it was.

    Raises NotOpen, the errors of `creating.create`, and VaultError if the launch cannot be decrypted.
    """
    if not served_endpoints.serves(pending.registration, pending.endpoint):
        raise creating.CannotLink(Obstacle.NO_REGISTRATION)
    _claim(pending, browser, at=at)
    try:
        departure = creating.create(
            user=user,
            provider=provider,
            endpoint=pending.endpoint,
            browser=browser,
            launch=Launch(pending.iss, _open(pending)),
            closes_others=closes_others,
            at=at,
        )
    except Exception:
        PendingLaunch.objects.filter(pk=pending.pk, claimed_at=at).update(claimed_at=None)
        raise
    PendingLaunch.objects.filter(pk=pending.pk).update(
        sealed_launch=None, authorization_request_id=departure.request_id
    )
    return departure


def _drop_oldest(browser: Secret) -> None:
    """Nobody needs more than a few. Those that became a sign-in stay."""
    unused = PendingLaunch.objects.filter(browser_hash=binding.hashed(browser), claimed_at__isnull=True)
    surplus = unused.order_by("-created_at", "-pk").values_list("pk", flat=True)[MOST_OPEN:]
    unused.filter(pk__in=list(surplus)).delete()


def _claim(pending: PendingLaunch, browser: Secret, *, at: datetime) -> None:
    rows = PendingLaunch.objects.filter(pk=pending.pk, claimed_at__isnull=True, expires_at__gt=at)
    if not _is_its_browser(pending, browser) or not rows.update(claimed_at=at):
        raise NotOpen


def _open(pending: PendingLaunch) -> Secret:
    sealed = bytes(pending.sealed_launch or b"")
    return Secret(sealing.open_sealed(sealed, holder=Holder.installation(), place=place_of(pending.pk)).decode())


def _is_its_browser(pending: PendingLaunch, browser: Secret | None) -> bool:
    return browser is not None and hmac.compare_digest(bytes(pending.browser_hash), binding.hashed(browser))


def _read(unverified_query: Mapping[str, Sequence[str]]) -> _Link:
    """Each of the two parameters once, printable, and of a plausible length. Other parameters are ignored."""
    iss = _single(unverified_query.get("iss", ()), _LONGEST_ISS)
    launch = _single(unverified_query.get("launch", ()), _LONGEST_LAUNCH)
    return _Link(iss, Secret(launch))


def _single(values: Sequence[str], longest: int) -> str:
    if len(values) != 1 or len(values[0]) > longest or not _VISIBLE.fullmatch(values[0]):
        raise Refused(Refusal.UNREADABLE)
    return values[0]


def place_of(pending_id: UUID) -> Place:
    """The place of `PendingLaunch.sealed_launch`."""
    return Place("pending_launch", "sealed_launch", (str(pending_id),))
