"""Revoke tokens at the provider, if it supports that (RFC 7009; interface facts 5.6).

Forgetting a token here never waits for the provider and never fails because of it. `remember` seals the token into a
row of its own, in the transaction that deletes it. `tell_providers` works through these rows, with growing waits
between tries. After a day the token is deleted, whether the provider confirmed or not.
"""

import logging
import time
from collections.abc import Collection
from datetime import datetime, timedelta
from enum import Enum, auto
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from apps.audit import recording
from apps.audit.models import AuditEvent
from apps.audit.recording import Actor, EventType, Fact
from apps.connections.models import AuthorizationRequest, Connection, PendingRevocation
from apps.directory import pinning, reaching
from apps.directory.models import ClientRegistration, Endpoint
from apps.vault import sealing
from apps.vault.errors import VaultError
from apps.vault.sealing import Holder, Place
from apps.wire import token_endpoint
from apps.wire.errors import Code, Unavailable, WireError
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenEndpoint, TokenSet

_LOG = logging.getLogger(__name__)

GIVE_UP_AFTER = timedelta(hours=24)
TELLING_SECONDS = 45  # for one run: the call in progress then ends within ten more, before the next beat
_LONGEST_WAIT = timedelta(hours=1)


class _Answer(Enum):
    """The result of asking a provider to revoke a token."""

    CONFIRMED = auto()
    NONE = auto()  # the server does not answer at all now
    NEVER = auto()  # it cannot revoke tokens of this type: access tokens expire (RFC 7009 section 2.2.1; facts 3.10)
    ANOTHER = auto()


class Told(Enum):
    """Whether the provider knows that a connection has ended."""

    PENDING = auto()  # we are still trying
    CONFIRMED = auto()
    NEVER = auto()  # it supports no revocation, did not answer for a day, or there was no token left


def told(connection: Connection) -> Told:
    """Whether the provider knows that this connection, which its patient ended, is over."""
    if PendingRevocation.objects.filter(connection_id=connection.pk).exists():
        return Told.PENDING
    events = AuditEvent.objects.filter(user_id=connection.user_id, subject_id=str(connection.pk))
    latest = events.filter(event__in=[EventType.TOKENS_REVOKED, EventType.CONNECTION_DISCONNECTED]).order_by("-pk")
    return Told.CONFIRMED if latest.values_list("event", flat=True).first() == EventType.TOKENS_REVOKED else Told.NEVER


def revoke_unused(
    received_for: Connection | AuthorizationRequest,
    token_set: TokenSet,
    *,
    at: datetime,
    through: TokenEndpoint | None = None,
) -> bool:
    """Revoke tokens that were received and must not be kept: at once, or later like all others if that fails, even if
    the account is gone by now. Returns whether the provider confirmed at once.

    `through` is where the tokens came from, if the caller still has it: then nothing has to be read from our database.
    Speaks to the network: call it outside transactions.
    """
    token = token_set.refresh_token or token_set.access_token
    answer = _revoke(received_for.endpoint, received_for.registration, token, origin=token_set.origin, through=through)
    if answer not in {_Answer.CONFIRMED, _Answer.NEVER}:
        remember(received_for, token, origin=token_set.origin, at=at)
    return answer is _Answer.CONFIRMED


def remember(
    received_for: Connection | AuthorizationRequest,
    token: Secret,
    *,
    at: datetime,
    origin: str = "",
    is_its_own: bool = True,
) -> bool:
    """Store what is needed to revoke this token later, in the caller's transaction. False if the provider cannot be
    told.

    `origin` issued it; empty if that is not known. `is_its_own`: the connection ends with this token. The result for
    any other token says nothing about the connection.
    """
    if not _may_tell(received_for.endpoint, received_for.registration, origin):
        return False
    pending = PendingRevocation(
        user_id=received_for.user_id,
        connection_id=received_for.pk if isinstance(received_for, Connection) and is_its_own else None,
        provider_id=received_for.provider_id,
        endpoint_id=received_for.endpoint_id,
        registration_id=received_for.registration_id,
        token_origin=origin,
        created_at=at,
        try_at=at,
    )
    try:
        plain = token.reveal().encode()
        pending.sealed_token = sealing.seal(plain, holder=Holder.installation(), place=place_of(pending))
    except VaultError as error:
        _LOG.error("Tokens were dropped unrevoked: %s: %s", received_for, error)
        return False
    pending.save(force_insert=True)
    return True


def begin_again(*, at: datetime) -> None:
    """Restart the day for telling providers, for all that wait. After a restore, tokens from the backup, and from
    deletions repeated with their original time, would otherwise be dropped before any provider was asked."""
    PendingRevocation.objects.filter(created_at__lt=at).update(created_at=at, try_at=at, tries=0)


def tell_providers(*, at: datetime) -> int:
    """Revoke what is due, one after the other, for TELLING_SECONDS. Returns how many were confirmed.

    Several workers may run it at once: each row is taken by one. Speaks to the network: call it outside transactions.
    """
    stop_at = time.monotonic() + TELLING_SECONDS
    confirmed = 0
    silent: set[UUID] = set()  # registrations whose server did not answer: skipped until the next run
    while time.monotonic() < stop_at and (pending := _take_next(besides=silent, at=at)) is not None:
        answer = _tell(pending, at=at)
        confirmed += answer is _Answer.CONFIRMED
        if answer is _Answer.NONE:
            silent.add(pending.registration_id)
            _give_up(PendingRevocation.objects.filter(registration_id=pending.registration_id), at=at)
    return confirmed


def _take_next(*, besides: Collection[UUID], at: datetime) -> PendingRevocation | None:
    """The one that has waited longest. Before it is tried, its next try is scheduled: in two minutes, then twice as
    long each time."""
    with transaction.atomic():
        rows = PendingRevocation.objects.select_for_update(skip_locked=True, of=("self",))
        related = rows.select_related("endpoint__authorization_server", "registration__authorization_server")
        due = related.filter(try_at__lte=at).exclude(registration_id__in=besides)
        pending = due.order_by("try_at", "pk").first()
        if pending is not None:
            pending.tries += 1
            pending.try_at = at + min(timedelta(minutes=2**pending.tries), _LONGEST_WAIT)
            pending.save(update_fields=["tries", "try_at"])
    return pending


def _tell(pending: PendingRevocation, *, at: datetime) -> _Answer:
    token = _open(pending)
    answer = _Answer.ANOTHER
    if token is not None:
        answer = _revoke(pending.endpoint, pending.registration, token, origin=pending.token_origin)
    if answer is _Answer.CONFIRMED:
        with transaction.atomic():
            _note(pending, at=at)
            pending.delete()
    elif answer is _Answer.NEVER:
        pending.delete()
    else:
        _give_up(PendingRevocation.objects.filter(pk=pending.pk), at=at)
    return answer


def _give_up(rows: QuerySet[PendingRevocation], *, at: datetime) -> None:
    """Delete those whose day is over."""
    for pending in rows.filter(created_at__lte=at - GIVE_UP_AFTER):
        _LOG.warning("A provider never confirmed that a permission ended: connection %s", pending.connection_id)
        pending.delete()


def _may_tell(endpoint: Endpoint, registration: ClientRegistration, origin: str) -> bool:
    """Whether the provider has an address for that, and may be sent a token that this origin issued."""
    has_address = bool(reaching.authorization_server(endpoint, registration).revocation_url)
    return has_address and pinning.knows_issuer(registration, origin)


def _revoke(
    endpoint: Endpoint,
    registration: ClientRegistration,
    token: Secret,
    *,
    origin: str = "",
    through: TokenEndpoint | None = None,
) -> _Answer:
    """Ask the provider to revoke the token, if it can be told."""
    if not _may_tell(endpoint, registration, origin):
        return _Answer.ANOTHER
    try:
        token_endpoint.revoke(through or reaching.token_endpoint(endpoint, registration), token=token)
    except (WireError, VaultError) as error:
        if isinstance(error, WireError) and error.code is Code.UNSUPPORTED_TOKEN_TYPE:
            return _Answer.NEVER
        _LOG.warning("A token was not revoked: %s", error)
        return _Answer.NONE if isinstance(error, Unavailable) else _Answer.ANOTHER
    return _Answer.CONFIRMED


def _note(pending: PendingRevocation, *, at: datetime) -> None:
    recording.record(
        EventType.TOKENS_REVOKED,
        actor=Actor.system("revoking"),
        at=at,
        user_id=pending.user_id,
        subject="connection",
        subject_id=str(pending.connection_id or ""),
        facts={Fact.PROVIDER_ID: str(pending.provider_id), Fact.REVOKED_AT_PROVIDER: True},
    )


def _open(pending: PendingRevocation) -> Secret | None:
    """None if the vault cannot be used now: there will be more tries."""
    sealed = bytes(pending.sealed_token)
    try:
        return Secret(sealing.open_sealed(sealed, holder=Holder.installation(), place=place_of(pending)).decode())
    except VaultError as error:
        _LOG.error("A token to revoke does not open: connection %s: %s", pending.connection_id, error)
        return None


def place_of(pending: PendingRevocation) -> Place:
    """The place of `PendingRevocation.sealed_token`."""
    return Place("pending_revocation", "sealed_token", (str(pending.pk),))
