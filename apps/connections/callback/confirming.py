"""Confirm: the patient says whether the person found is the right one. Nothing is copied before that.

If there is already a living connection to the chosen person, it is reauthorized and keeps its record. The same person
at another practice behind the same gateway becomes another connection.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.audit.recording import Actor, EventType
from apps.connections import connection_events, refreshing
from apps.connections.authorization_responses import candidates as sealed_candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.ending import dropping
from apps.connections.grants import launch_context
from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.outcomes import Outcome


class TooLate(Exception):
    """The connection was dropped, or is being dropped: nobody confirmed it in time, or the account was closed."""


class NoSuchCandidate(Exception):
    """The number is not one of the candidates'."""


@dataclass(frozen=True)
class Confirmed:
    """The connection that is now active. `existed_before` if this sign-in reauthorized it."""

    connection: Connection
    existed_before: bool


def candidates(connection: Connection) -> Sequence[Candidate]:
    """The people to choose from, decrypted; none once the connection was confirmed."""
    return sealed_candidates.find(connection)


def confirm(connection: Connection, *, candidate: int, at: datetime) -> Confirmed:
    """Make the connection active for the candidate with this index. Pressing the button again changes nothing.

    Raises TooLate and NoSuchCandidate.
    """
    with transaction.atomic():
        # against two links to one person at once; and an account that is being closed is gone once we have the lock
        User.objects.select_for_update(no_key=True).filter(pk=connection.user_id).first()
        locked = Connection.objects.select_for_update().filter(pk=connection.pk).first()
        if locked is not None and locked.confirmed_at is not None:
            return Confirmed(locked, existed_before=False)
        if locked is None or locked.confirm_by_at is None or locked.confirm_by_at <= at:
            raise TooLate
        people = sealed_candidates.find(locked)
        if not people:
            raise TooLate
        if not 0 <= candidate < len(people):
            raise NoSuchCandidate
        return _confirm(locked, people[candidate], at=at)


def decline(connection: Connection, *, at: datetime) -> bool:
    """It is not the right person: drop the connection and the permission. False if it was already dropped or
    confirmed."""
    return dropping.drop_unconfirmed(
        connection,
        outcome=Outcome.DECLINED,
        event=EventType.CONNECTION_DECLINED,
        actor=Actor.user(connection.user_id),
        at=at,
    )


def _confirm(connection: Connection, person: Candidate, *, at: datetime) -> Confirmed:
    living = (
        Connection.objects.select_for_update()
        .living()
        .filter(
            user_id=connection.user_id,
            endpoint_id=connection.endpoint_id,
            provider_id=connection.provider_id,
            fhir_patient_id=person.patient_id,
        )
        .first()
    )
    if living is not None:
        _reauthorize(living, connection, at=at)
        return Confirmed(living, existed_before=True)
    sealed_person = sealed_candidates.seal_person(connection, person)
    connection.confirm(patient_id=person.patient_id, at=at, sealed_person=sealed_person)
    AuthorizationRequest.objects.filter(connection=connection).update(outcome=Outcome.CONFIRMED)
    connection_events.note_connection(EventType.CONNECTION_CONFIRMED, connection, at=at)
    return Confirmed(connection, existed_before=False)


def _reauthorize(living: Connection, unconfirmed: Connection, *, at: datetime) -> None:
    """Give the new sign-in's tokens to the existing connection; everything else about it stays."""
    refreshing.end_replaced(living, by=refreshing.held(unconfirmed), at=at)
    refreshing.hand_over(giver=unconfirmed, receiver=living)
    if living.status != Connection.Status.ACTIVE:
        living.restore()
    living.requested_scope = unconfirmed.requested_scope
    living.granted_scope = unconfirmed.granted_scope
    living.sealed_context = launch_context.seal(living, launch_context.find(unconfirmed))
    living.registration = unconfirmed.registration
    living.save(update_fields=["requested_scope", "granted_scope", "sealed_context", "registration"])
    AuthorizationRequest.objects.filter(connection=unconfirmed).update(
        outcome=Outcome.ALREADY_CONNECTED, connection=living
    )
    unconfirmed.delete()
    connection_events.note_connection(EventType.CONNECTION_REAUTHORIZED, living, at=at)
