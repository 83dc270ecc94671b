"""How a registration proves itself: a client secret, sealed for the installation, written once and never shown, or a
signing key. `client` is the only place where a secret is opened.
"""

from contextlib import nullcontext
from datetime import date, datetime, timedelta
from enum import StrEnum

from apps.directory import signing
from apps.directory.models import ClientRegistration, SystemAccount
from apps.vault import sealing
from apps.vault.sealing import Holder, KeyRing, Place
from apps.wire.client_authentication import Authentication, Client
from apps.wire.secret import Secret

ROTATE_AFTER = timedelta(days=365)  # unless staff write another date, or the provider wants it sooner
WARN_DAYS = 30  # ahead of that date
_WITH_A_SECRET = frozenset({Authentication.QUERY, Authentication.BASIC, Authentication.BODY})
_WITH_A_KEY = frozenset({Authentication.PRIVATE_KEY_JWT, Authentication.BEARER_JWT})


def keep(registration: ClientRegistration, secret: Secret, *, at: datetime) -> None:
    """Seal the secret into the row and save it, due to be rotated in a year; an earlier one is overwritten."""
    registration.sealed_secret = sealing.seal(
        secret.reveal().encode(), holder=Holder.installation(), place=place_of(registration)
    )
    registration.secret_set_at = at
    registration.secret_rotation_due_date = (at + ROTATE_AFTER).date()
    registration.save(update_fields=["sealed_secret", "secret_set_at", "secret_rotation_due_date"])


class Due(StrEnum):
    """Whether a secret is to be rotated."""

    OVERDUE = "overdue"
    SOON = "soon"
    LATER = "later"
    NEVER = "never"  # there is none, or no date


def due(registration: ClientRegistration, *, today: date) -> Due:
    """How the rotation date stands to this day; soon is a month ahead."""
    by = registration.secret_rotation_due_date
    if by is None or registration.secret_set_at is None:
        return Due.NEVER
    if by < today:
        return Due.OVERDUE
    return Due.SOON if by <= today + timedelta(days=WARN_DAYS) else Due.LATER


def client(registration: ClientRegistration, *, ring: KeyRing | None = None) -> Client:
    """Our client id with its proof, for one call. Only the proof that the method of authentication needs is opened,
    with the key ring of the installation where the caller has one.

    Raises ClientRejected where it is missing, and what opening a sealed value raises.
    """
    return _client(registration, registration.client_id, Authentication(registration.authentication), ring)


def system_authentication(registration: ClientRegistration, *, signed: Authentication | None) -> Authentication:
    """How its system account proves itself: as staff chose; or else with the assertion that is usual there (`signed`)
    where the registration signs, and by Basic where it has a secret (specification 5.2.5 and 5.2.6)."""
    if registration.system_authentication:
        return Authentication(registration.system_authentication)
    does_sign = registration.authentication in _WITH_A_KEY
    return signed if does_sign and signed is not None else Authentication.BASIC


def system_client(
    registration: ClientRegistration, *, signed: Authentication | None = Authentication.BEARER_JWT
) -> Client:
    """The same for system access, whose client id is that of the system account (specification 5.2.5), and whose proof
    is that of `system_authentication`.

    Raises ClientRejected where no approved account is named, too.
    """
    account = registration.system_account
    is_approved = account is not None and account.status == SystemAccount.Status.APPROVED
    client_id = account.account_id if account is not None and is_approved else ""
    return _client(registration, client_id, system_authentication(registration, signed=signed), None)


def _client(
    registration: ClientRegistration, client_id: str, authentication: Authentication, ring: KeyRing | None
) -> Client:
    key = registration.signing_key if authentication in _WITH_A_KEY else None
    return Client(
        client_id=client_id,
        secret=_open(registration, ring) if authentication in _WITH_A_SECRET else None,
        authentication=authentication,
        signing_key=signing.open_key(key) if key is not None else None,
    )


def _open(registration: ClientRegistration, ring: KeyRing | None) -> Secret | None:
    if registration.sealed_secret is None:
        return None
    with nullcontext(ring) if ring is not None else sealing.key_ring(Holder.installation()) as ours:
        return Secret(ours.open(bytes(registration.sealed_secret), place=place_of(registration)).decode())


def place_of(registration: ClientRegistration) -> Place:
    """Of `ClientRegistration.sealed_secret`."""
    return Place("client_registration", "sealed_secret", (str(registration.pk),))
