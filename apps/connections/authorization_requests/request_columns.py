"""What an authorization request stores sealed for its user: the PKCE verifier, and the launch that began it."""

from uuid import UUID

from apps.connections.models import AuthorizationRequest
from apps.vault import sealing
from apps.vault.sealing import Holder, Place
from apps.wire.secret import Secret


def pkce_verifier(request: AuthorizationRequest) -> Secret | None:
    """The verifier, decrypted; None if the registration uses no PKCE, or once the request was answered."""
    return _open(request, "sealed_pkce_verifier")


def launch(request: AuthorizationRequest) -> Secret | None:
    """The launch, decrypted; None if the patient began here, or once the request was answered."""
    return _open(request, "sealed_launch")


def seal(user_id: UUID, request_id: UUID, column: str, value: Secret | None) -> bytes | None:
    """Seal a value for one of the two columns of a request that is yet to be stored."""
    if value is None:
        return None
    return sealing.seal(value.reveal().encode(), holder=Holder.user(user_id), place=place_of(request_id, column))


def _open(request: AuthorizationRequest, column: str) -> Secret | None:
    sealed = getattr(request, column)
    if sealed is None:
        return None
    holder = Holder.user(request.user_id)
    return Secret(sealing.open_sealed(bytes(sealed), holder=holder, place=place_of(request.pk, column)).decode())


def place_of(request_id: UUID, column: str) -> Place:
    """The place of one of the two columns."""
    return Place("authorization_request", column, (str(request_id),))
