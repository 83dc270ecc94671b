"""A record that its server does not open with tokens it has just given: when it is tried again, and when that is over.

A 401 after a renewal ends a link (interface facts C45): the patient is asked to sign in. But a permission that somebody
ended is not renewed either, so that it mostly is a fault of theirs: the part that has the data does not know, for some
hours, what the part that gives tokens gave. So we go on as after any refusal that may be a mistake (`doubting`): a few
times the tokens are renewed, and the patient is read with each. As soon as that opens, the link is back.
"""

import logging
from contextlib import suppress
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest

from apps.connections import hearing
from apps.connections.models import Connection, MoveNotAllowed, StoredTokenSet
from apps.connections.reasons import Reason
from apps.connections.refreshing import protocol
from apps.connections.refreshing.claiming import Claim
from apps.directory import reaching
from apps.wire import fhir
from apps.wire.errors import AccessRefused, NotFound, WireError
from apps.wire.secret import Secret

_LOG = logging.getLogger(__name__)

_NOT_HEARD_WAIT = timedelta(hours=6)  # where nobody answers at the last time, either


def data_refused(connection: Connection, *, at: datetime) -> None:
    """Its server answered 401 to tokens that it had just given. In the caller's transaction; raises MoveNotAllowed
    where somebody else ended the link meanwhile. What cannot be renewed without its patient is not tried again."""
    connection.require_reauthorization(Reason.DATA_REFUSED, at=at)
    renewable = StoredTokenSet.objects.filter(sealed_refresh_token__isnull=False, is_session_bound=False)
    again_at = Greatest(at + protocol.AGAIN_AFTER_REFUSAL[0], F("not_before_at"))
    renewable.filter(pk=connection.pk).update(refused_at=at, is_data_refused=True, refresh_due_at=again_at)


def again_at(claim: Claim, *, at: datetime) -> datetime | None:
    """When it is tried again, if this time is in vain; None where that was the last."""
    wait = protocol.again_after_refusal(refused_for=_refused_for(claim, at=at))
    return None if wait is None else at + max(wait, claim.policy.floor)


def still_closed(claim: Claim, *, at: datetime) -> dict[str, object]:
    """The columns of tokens that were renewed while nobody knows yet whether they open anything: a worker that dies
    before `look` leaves that to the next."""
    due_at = again_at(claim, at=at) or at + _NOT_HEARD_WAIT
    return {"refused_at": claim.stored.refused_at, "is_data_refused": True, "refresh_due_at": due_at}


def look(claim: Claim, access_token: Secret, *, at: datetime) -> None:
    """Read the patient with the renewed token, and let the link go on where it opens. Speaks to the network: call it
    outside transactions, after the tokens were stored. `at`: when they were asked for. Only an answer ends it for good:
    where nobody answers, it is tried again."""
    opens = _opens(claim, access_token, at=at)
    if opens:
        _reopen(claim)
    elif opens is not None and again_at(claim, at=at) is None:
        _renewed(claim).update(refused_at=None, is_data_refused=False, refresh_due_at=None)


def _opens(claim: Claim, access_token: Secret, *, at: datetime) -> bool | None:
    """Whether the token is good: one that is told that this patient is not shared, or not there, was looked at. None
    where nobody answers; and where that is known of the endpoint, nobody waits for it."""
    connection = claim.connection
    if hearing.silent_since(connection.endpoint, at=at) is not None:
        return None
    try:
        fhir.read(
            reaching.fhir_server(connection.endpoint, connection.registration),
            access_token=access_token,
            resource_type="Patient",
            logical_id=connection.fhir_patient_id,
        )
    except (AccessRefused, NotFound):
        return True
    except WireError as error:
        if hearing.is_silence(error):
            was_asked = _refused_for(claim, at=at) >= protocol.AGAIN_AFTER_REFUSAL[1]
            hearing.not_answered(connection.endpoint, at=at, is_ones_again=was_asked)
            return None
        _LOG.warning("A record does not open with renewed tokens: connection %s: %s", connection.pk, error.code.value)
        return False
    return True


def _refused_for(claim: Claim, *, at: datetime) -> timedelta:
    return at - claim.stored.refused_at if claim.stored.refused_at else timedelta()


def _reopen(claim: Claim) -> None:
    """It is renewed once more when it would have been looked at again, and as usual from then on."""
    with suppress(MoveNotAllowed), transaction.atomic():  # disconnected meanwhile, or signed in again
        list(Connection.objects.select_for_update(no_key=True).filter(pk=claim.connection.pk).values_list("pk"))
        if _renewed(claim).update(refused_at=None, is_data_refused=False):
            claim.connection.restore()


def _renewed(claim: Claim) -> QuerySet[StoredTokenSet]:
    """The row that this attempt wrote, while nobody has written over it."""
    generation = claim.sent.generation + 1
    return StoredTokenSet.objects.filter(pk=claim.connection.pk, generation=generation, is_data_refused=True)
