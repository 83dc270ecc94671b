"""The client secret: sealed for the installation, written once and never shown.

`client` is the only place where one is opened.
"""

from datetime import datetime

from apps.directory.models import ClientRegistration
from apps.vault import sealing
from apps.vault.sealing import Holder, Place
from apps.wire.client_authentication import Authentication, Client
from apps.wire.secret import Secret


def keep(registration: ClientRegistration, secret: Secret, *, at: datetime) -> None:
    """Seal the secret into the row and save it; an earlier one is overwritten."""
    registration.sealed_secret = sealing.seal(
        secret.reveal().encode(), holder=Holder.installation(), place=_place(registration)
    )
    registration.secret_set_at = at
    registration.save(update_fields=["sealed_secret", "secret_set_at"])


def client(registration: ClientRegistration) -> Client:
    """Our client id with its proof, for one call. Raises ClientRejected where either is missing."""
    return Client(
        client_id=registration.client_id,
        secret=_open(registration),
        authentication=Authentication(registration.authentication),
    )


def _open(registration: ClientRegistration) -> Secret | None:
    if registration.sealed_secret is None:
        return None
    opened = sealing.open_sealed(
        bytes(registration.sealed_secret), holder=Holder.installation(), place=_place(registration)
    )
    return Secret(opened.decode())


def _place(registration: ClientRegistration) -> Place:
    return Place("client_registration", "sealed_secret", (str(registration.pk),))
