"""Begin the sign-in of a trial, as a patient would: with an authorization request that is marked as a trial's.

This is possible while patients are kept away, and lets none of them in. Staff need not agree to the notice for
patients: whoever signs in there is invented.
"""

from datetime import datetime, timedelta

from django.db import transaction

from apps.accounts.models import User
from apps.connections.authorization_requests import creating
from apps.connections.authorization_requests.authorization_url import Departure
from apps.connections.authorization_requests.creating import CannotLink
from apps.connections.models import AuthorizationRequest, Trial
from apps.connections.outcomes import Outcome
from apps.connections.trials import beginning, obstacles
from apps.directory import discovering, served_endpoints
from apps.directory.linkability import Obstacle
from apps.wire.secret import Secret

OPEN_FOR = timedelta(hours=1)  # afterwards, what is published may have changed: start a new trial
FINISHES_WITHIN = timedelta(minutes=2)  # if an answer is still being processed after so long, its worker has died


class NotOpen(Exception):
    """The trial is over, is being answered, has expired, or belongs to somebody else."""


def is_open(trial: Trial, *, at: datetime) -> bool:
    """Whether its sign-in may still begin."""
    return trial.ended_at is None and at < trial.began_at + OPEN_FOR


def begin(trial: Trial, *, user: User, browser: Secret, at: datetime) -> Departure:
    """Store an authorization request of this member of staff and browser, for the trial. Their earlier requests for
    trials can no longer be answered.

    Raises NotOpen, and `creating.CannotLink` if not even staff can sign in. If the provider's addresses are stale, they
    are discovered: call it outside transactions.
    """
    discovering.keep_fresh(trial.endpoint, at=at)
    obstacle = obstacles.of(trial, at=at)
    if obstacle is not None:
        raise CannotLink(obstacle)
    if not served_endpoints.serves(trial.registration, trial.endpoint):
        raise CannotLink(Obstacle.NO_REGISTRATION)
    request = creating.request_of(user, trial.provider, trial.endpoint, trial.registration, at=at, trial=trial)
    with transaction.atomic():
        _hold(trial, user, at=at)
        departure = creating.store(request, browser)
        trial.left_at = at
        trial.save(update_fields=["left_at"])
        beginning.note(trial, "trial left", at=at)
    return departure


def _hold(trial: Trial, user: User, *, at: datetime) -> None:
    """The locks make two tabs count each other, and keep former staff from beginning anything."""
    staff = User.objects.select_for_update(no_key=True).filter(pk=user.pk, is_staff=True, is_active=True).first()
    held = Trial.objects.select_for_update().filter(pk=trial.pk, staff_id=user.pk).first()
    if staff is None or held is None or not is_open(held, at=at):
        raise NotOpen
    open_ones = AuthorizationRequest.objects.filter(user=user, trial__isnull=False, claimed_at__isnull=True)
    open_ones.update(claimed_at=at, outcome=Outcome.CLOSED, sealed_pkce_verifier=None, sealed_launch=None)
    if _is_being_answered(held, at=at):  # asked last: from here on, no earlier request can be claimed
        raise NotOpen


def _is_being_answered(trial: Trial, *, at: datetime) -> bool:
    """Whether an answer has come and is being processed."""
    return trial.authorization_requests.filter(claimed_at__gt=at - FINISHES_WITHIN, outcome="").exists()
