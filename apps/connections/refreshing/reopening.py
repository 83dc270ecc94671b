"""A record that its server does not open with tokens it has just given: when it is tried again, and when that is over.

A 401 after a renewal ends a link (interface facts C45): the patient is asked to sign in. But a permission that somebody
ended is not renewed either, so that it mostly is a fault of theirs: the part that has the data does not know, for some
hours, what the part that gives tokens gave. So we go on as after any refusal that may be a mistake (`doubting`): a few
times the tokens are renewed, and the patient is read with each. As soon as that opens, the link is back. A server that
opens and closes by turns wins nothing by that: the times of half a day are counted from the first refusal.
"""

import logging
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from apps.connections import hearing
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

_UNANSWERED_WAIT = timedelta(hours=6)  # after the last time, where nobody answered it
_UNANSWERED_FOR = timedelta(hours=24)


def data_refused(connection: Connection, *, at: datetime) -> None:
    """Its server answered 401 to tokens that it had just given. Raises MoveNotAllowed where somebody else ended the
    link meanwhile. What cannot be renewed without its patient is not tried again."""
    renewable = StoredTokenSet.objects.filter(sealed_refresh_token__isnull=False, is_session_bound=False)
    held = renewable.select_for_update(no_key=True).filter(pk=connection.pk)
    with transaction.atomic():
        connection.require_reauthorization(Reason.DATA_REFUSED, at=at)
        for first_at, not_before_at in held.values_list("data_refused_at", "not_before_at"):
            since = first_at if first_at and at < first_at + protocol.AGAIN_AFTER_REFUSAL[-1] else at
            wait = protocol.again_after_refusal(refused_for=at - since)
            if wait is not None:
                due_at = max(at + wait, not_before_at or at)
                held.update(refused_at=since, data_refused_at=since, refresh_due_at=due_at)


def still_closed(claim: Claim, times: Times, *, at: datetime) -> dict[str, Any]:
    """The columns of tokens that were renewed while nobody knows yet whether they open anything: a worker that dies
    before `look` leaves that to the next. `times` are those of the tokens, which may want a renewal sooner."""
    due_at = _next_look_at(claim, at=at) or at + _UNANSWERED_WAIT
    if times.refresh_due_at is not None:
        due_at = min(due_at, times.refresh_due_at)
    return {"refused_at": claim.stored.refused_at, "refresh_due_at": due_at}


def look(claim: Claim, access_token: Secret, *, at: datetime) -> bool:
    """Read the patient with the renewed token, and let the link go on where it opens; returns whether it does. Speaks
    to the network: call it outside transactions, after the tokens were stored. `at`: when they were asked for. Only a
    refusal is believed for good: where nobody answers, it is tried again for a day."""
    opens = _opens(claim, access_token, at=at)
    if opens:
        _reopen(claim)
    elif _next_look_at(claim, at=at) is None and (opens is not None or _refused_for(claim, at=at) >= _UNANSWERED_FOR):
        _renewed(claim).update(refused_at=None, refresh_due_at=None)
    return bool(opens)


def _next_look_at(claim: Claim, *, at: datetime) -> datetime | None:
    """When it is tried again, if this time is in vain; None where that was the last."""
    wait = protocol.again_after_refusal(refused_for=_refused_for(claim, at=at))
    return None if wait is None else at + max(wait, claim.policy.floor)


def _refused_for(claim: Claim, *, at: datetime) -> timedelta:
    return at - claim.stored.refused_at if claim.stored.refused_at else timedelta()


def _opens(claim: Claim, access_token: Secret, *, at: datetime) -> bool | None:
    """Whether the token is good: one that is told that this patient is not shared, or not there, was looked at. None
    where that was not answered; and while an endpoint is known to be silent, nobody waits for it."""
    connection = claim.connection
    if hearing.is_silent_now(connection.endpoint, at=at):
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
        _LOG.warning("A record does not open with renewed tokens: connection %s: %s", connection.pk, refusal.code.value)
        opens = False
    except WireError as error:
        _LOG.warning("A record could not be looked at: connection %s: %s", connection.pk, error.code.value)
        if hearing.is_silence(error):
            was_looked_at = _refused_for(claim, at=at) >= protocol.AGAIN_AFTER_REFUSAL[1]
            hearing.not_answered(connection.endpoint, at=at, is_ones_again=was_looked_at)
        return None
    else:
        opens = True
    hearing.answered(connection.endpoint)
    return opens


def _reopen(claim: Claim) -> None:
    """As usual from then on; its next renewal is when it would have been looked at again."""
    connection = claim.connection
    with suppress(MoveNotAllowed), transaction.atomic():  # disconnected meanwhile
        rows = Connection.objects.select_for_update(no_key=True).filter(pk=connection.pk)
        connection.status = rows.values_list("status", flat=True).get()
        is_written = _renewed(claim).update(refused_at=None)
        if is_written and connection.status != Connection.Status.ACTIVE:  # another worker may just have looked, too
            connection.restore()


def _renewed(claim: Claim) -> QuerySet[StoredTokenSet]:
    """The row that this attempt wrote, while nobody has written over it."""
    generation = claim.sent.generation + 1
    return StoredTokenSet.objects.filter(pk=claim.connection.pk, generation=generation)
