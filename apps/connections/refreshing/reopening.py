"""A record that its server does not open although it has just issued the tokens: when to try again, and when to stop.

A 401 after a refresh ends a link (interface facts C45), and the patient is asked to sign in. But a permission that
somebody ended is not refreshed either. So this is mostly the server's fault: for some hours, its resource server does
not know the tokens that its authorization server issued. We proceed as after any doubted refusal (`doubting`): the
tokens are refreshed a few times, and the patient is read with each. As soon as that works, the link is back. If a
server works and fails by turns, the half day is still counted from the first refusal.
"""

import logging
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from apps.connections import reachability
from apps.connections.models import Connection, MoveNotAllowed, StoredTokenSet
from apps.connections.reasons import Reason
from apps.connections.refreshing import protocol
from apps.connections.refreshing.claiming import Claim
from apps.connections.refreshing.timing import Times
from apps.directory import reaching
from apps.wire import fhir
from apps.wire.errors import AccessRefused, AuthorizationExpired, NotFound, WireError
from apps.wire.secret import Secret

_LOG = logging.getLogger(__name__)

_UNANSWERED_WAIT = timedelta(hours=6)  # after the last scheduled try, if it was not answered
_UNANSWERED_FOR = timedelta(hours=24)


def data_refused(connection: Connection, *, at: datetime) -> None:
    """The server answered 401 to tokens that it had just issued. Raises MoveNotAllowed if the link was ended otherwise
    meanwhile. What only the patient can restore is not tried again."""
    refreshable = StoredTokenSet.objects.filter(sealed_refresh_token__isnull=False, is_session_bound=False)
    held = refreshable.select_for_update(no_key=True).filter(pk=connection.pk)
    with transaction.atomic():
        connection.require_reauthorization(Reason.DATA_REFUSED, at=at)
        for first_at, not_before_at in held.values_list("data_refused_at", "not_before_at"):
            since = first_at if first_at and at < first_at + protocol.AGAIN_AFTER_REFUSAL[-1] else at
            wait = protocol.again_after_refusal(refused_for=at - since)
            if wait is not None:
                due_at = max(at + wait, not_before_at or at)
                held.update(refused_at=since, data_refused_at=since, refresh_due_at=due_at)


def still_closed(claim: Claim, times: Times, *, at: datetime) -> dict[str, Any]:
    """Columns for refreshed tokens while it is unknown whether they open anything: if the worker dies before `look`,
    the next one looks. `times` are those of the tokens, which may require a refresh sooner."""
    due_at = _next_look_at(claim, at=at) or at + _UNANSWERED_WAIT
    if times.refresh_due_at is not None:
        due_at = min(due_at, times.refresh_due_at)
    return {"refused_at": claim.stored.refused_at, "refresh_due_at": due_at}


def look(claim: Claim, access_token: Secret, *, at: datetime) -> bool:
    """Read the patient with the new access token, and restore the link if that works; returns whether it does. `at`:
    when the tokens were requested. Only a refusal is believed for good; if nobody answers, it is tried for a day.
    Speaks to the network: call it outside transactions, after the tokens were stored."""
    opens = _opens(claim, access_token, at=at)
    if opens:
        _reopen(claim)
    elif _next_look_at(claim, at=at) is None and (opens is not None or _refused_for(claim, at=at) >= _UNANSWERED_FOR):
        _as_written(claim).update(refused_at=None, refresh_due_at=None)
    return bool(opens)


def _next_look_at(claim: Claim, *, at: datetime) -> datetime | None:
    """When it is tried again, if this time fails; None if this was the last."""
    wait = protocol.again_after_refusal(refused_for=_refused_for(claim, at=at))
    return None if wait is None else at + max(wait, claim.policy.floor)


def _refused_for(claim: Claim, *, at: datetime) -> timedelta:
    return at - claim.stored.refused_at if claim.stored.refused_at else timedelta()


def _opens(claim: Claim, access_token: Secret, *, at: datetime) -> bool | None:
    """Whether the token is accepted. A response that this patient is not shared, or not found, shows that it is. None
    if no answer came; while the endpoint is known to be silent, it is not asked."""
    connection = claim.connection
    if reachability.is_silent_now(connection.endpoint, at=at):
        return None
    try:
        fhir.read(
            reaching.fhir_server(connection.endpoint, connection.registration),
            access_token=access_token,
            resource_type="Patient",
            logical_id=connection.fhir_patient_id,
        )
    except (AccessRefused, NotFound):
        opens: bool | None = True
    except AuthorizationExpired as refusal:
        _LOG.warning("A record does not open with new tokens: connection %s: %s", connection.pk, refusal.code.value)
        opens = False
    except WireError as error:
        _LOG.warning("A record could not be looked at: connection %s: %s", connection.pk, error.code.value)
        if reachability.is_silence(error):
            was_looked_at = _refused_for(claim, at=at) >= protocol.AGAIN_AFTER_REFUSAL[1]
            reachability.not_answered(connection.endpoint, at=at, is_ones_again=was_looked_at)
        return None
    else:
        opens = True
    reachability.answered(connection.endpoint)
    return opens


def _reopen(claim: Claim) -> None:
    """Continue as usual. The next refresh is when the next look would have been."""
    connection = claim.connection
    with suppress(MoveNotAllowed), transaction.atomic():  # disconnected meanwhile
        rows = Connection.objects.select_for_update(no_key=True).filter(pk=connection.pk)
        connection.status = rows.values_list("status", flat=True).get()
        is_written = _as_written(claim).update(refused_at=None)
        if is_written and connection.status != Connection.Status.ACTIVE:  # another worker may have just restored it
            connection.restore()


def _as_written(claim: Claim) -> QuerySet[StoredTokenSet]:
    """The row as this attempt wrote it, unless it was written again."""
    generation = claim.sent.generation + 1
    return StoredTokenSet.objects.filter(pk=claim.connection.pk, generation=generation)
