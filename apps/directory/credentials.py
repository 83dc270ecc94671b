"""How a registration authenticates: by a client secret, sealed for the installation and never shown, or by a signing
key. Only `client` and `system_client` decrypt a secret."""

from contextlib import nullcontext
from datetime import date, datetime, timedelta
from enum import StrEnum

from apps.directory import signing
from apps.directory.models import ClientRegistration, SystemAccount
from apps.vault import sealing
from apps.vault.sealing import Holder, KeyRing, Place
from apps.wire.client_authentication import Authentication, Client
from apps.wire.secret import Secret

ROTATE_AFTER = timedelta(days=365)  # unless staff enter another date, such as an earlier one of the provider's
WARN_DAYS = 30  # ahead of that date
_WITH_A_SECRET = frozenset({Authentication.QUERY, Authentication.BASIC, Authentication.BODY})
_WITH_A_KEY = frozenset({Authentication.PRIVATE_KEY_JWT, Authentication.BEARER_JWT})


def keep(registration: ClientRegistration, secret: Secret, *, at: datetime) -> None:
    """Seal the secret into the row and save it, due to be rotated in a year. An earlier secret is overwritten."""
    registration.sealed_secret = sealing.seal(
        secret.reveal().encode(), holder=Holder.installation(), place=place_of(registration)
    )
    registration.secret_set_at = at
    registration.secret_rotation_due_date = (at + ROTATE_AFTER).date()
    registration.save(update_fields=["sealed_secret", "secret_set_at", "secret_rotation_due_date"])


class Due(StrEnum):
    """Whether a secret has to be rotated."""

    OVERDUE = "overdue"
    SOON = "soon"
    LATER = "later"
    NEVER = "never"  # there is none, or no date


def due(registration: ClientRegistration, *, today: date) -> Due:
    """The state of the rotation date on this day; "soon" is a month ahead."""
    by = registration.secret_rotation_due_date
    if by is None or registration.secret_set_at is None:
        return Due.NEVER
    if by < today:
        return Due.OVERDUE
    return Due.SOON if by <= today + timedelta(days=WARN_DAYS) else Due.LATER


def client(registration: ClientRegistration, *, ring: KeyRing | None = None) -> Client:
    """Our client id with its credentials, for one call. Only the secret or key that the authentication method needs is
    decrypted, with the installation's key ring if the caller has it.

    Raises ClientRejected if it is missing, and the errors of opening a sealed value.
    """
    return _client(registration, registration.client_id, Authentication(registration.authentication), ring)


def system_authentication(registration: ClientRegistration, *, signed: Authentication | None) -> Authentication:
    """How its system account authenticates: as staff chose; otherwise with the kind of assertion that is usual there
    (`signed`) if the registration signs, and by Basic if it has a secret (specification 5.2.5 and 5.2.6)."""
    if registration.system_authentication:
        return Authentication(registration.system_authentication)
    does_sign = registration.authentication in _WITH_A_KEY
    return signed if does_sign and signed is not None else Authentication.BASIC


def system_client(
    registration: ClientRegistration, *, signed: Authentication | None = Authentication.BEARER_JWT
) -> Client:
    """The same for system access: the client id is the system account's (specification 5.2.5), the method that of
    `system_authentication`.

    Raises ClientRejected also if no approved account is named.
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
    """The place of `ClientRegistration.sealed_secret`."""
    return Place("client_registration", "sealed_secret", (str(registration.pk),))
