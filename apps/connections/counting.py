"""Count how an attempt to link ended, for the directory to say how others fared. Nobody's name goes along."""

from collections.abc import Mapping
from datetime import date, datetime
from itertools import groupby
from uuid import UUID

from django.db import transaction

from apps.connections.models import AuthorizationRequest
from apps.connections.outcomes import Outcome
from apps.directory.models import Endpoint
from apps.directory.watching import succeeding
from apps.directory.watching.succeeding import Ending

MOST_AT_ONCE = 500

ENDINGS: Mapping[Outcome, Ending] = {
    Outcome.COMPLETED: Ending.COMPLETED,
    Outcome.CANCELLED: Ending.REFUSED_BY_PATIENT,
    Outcome.NOTHING_SHARED: Ending.REFUSED_BY_PATIENT,
    Outcome.DENIED_BY_PROVIDER: Ending.FAILED_THERE,
    Outcome.PROVIDER_DOWN: Ending.FAILED_THERE,
    Outcome.CODE_REFUSED: Ending.FAILED_THERE,
    Outcome.NOT_ENABLED: Ending.FAILED_THERE,
    Outcome.NO_PERSON: Ending.FAILED_THERE,
    Outcome.WRONG_ISSUER: Ending.FAILED_THERE,
    Outcome.UNREADABLE: Ending.FAILED_THERE,
    Outcome.ADDRESS_DOUBTED: Ending.FAILED_THERE,
    Outcome.IDENTITY_REFUSED: Ending.FAILED_THERE,
    Outcome.REGISTRATION_BROKEN: Ending.FAILED_HERE,
    Outcome.REQUEST_REFUSED: Ending.FAILED_HERE,
    Outcome.EXPIRED: Ending.ABANDONED,
}

# What becomes of an attempt after it was counted, what the patient did to it here, and answers of no known attempt.
NOT_COUNTED = frozenset(
    {
        Outcome.CONFIRMED, Outcome.ALREADY_CONNECTED, Outcome.DECLINED, Outcome.UNCONFIRMED, Outcome.CLOSED,
        Outcome.WRONG_PERSON, Outcome.FORGED, Outcome.OTHER_BROWSER, Outcome.OTHER_ACCOUNT, Outcome.USED_TWICE,
        Outcome.ACCOUNT_CLOSED, Outcome.SWITCHED_OFF,
    }
)  # fmt: skip


def count(endpoint: Endpoint, outcome: Outcome, *, at: datetime) -> None:
    """Count one attempt that ended so, where it says something about the provider. Call it outside transactions, after
    the attempt's own: at most once, since a worker that dies in between leaves a number behind and no patient."""
    if outcome in ENDINGS:
        succeeding.note(endpoint, ENDINGS[outcome], at=at)


def count_abandoned(*, at: datetime) -> int:
    """Close the requests of patients who left and never came back, and count each exactly once: both or neither.
    Returns how many.

    Whoever comes back after all finds the request expired, counted or not (`returning`). Rows that somebody else is
    writing are left to them, or to the next beat. Staff who try a registration out are no patients.
    """
    overdue = AuthorizationRequest.objects.filter(
        claimed_at__isnull=True, outcome="", left_at__isnull=False, expires_at__lte=at, trial__isnull=True
    )
    with transaction.atomic():
        locked = overdue.select_for_update(skip_locked=True, of=("self",)).select_related("endpoint")
        requests = list(locked.order_by("expires_at")[:MOST_AT_ONCE])
        AuthorizationRequest.objects.filter(pk__in=[request.pk for request in requests]).update(outcome=Outcome.EXPIRED)
        for _place_and_day, same in groupby(sorted(requests, key=_place_and_day_of), key=_place_and_day_of):
            first, *others = same
            succeeding.note(first.endpoint, ENDINGS[Outcome.EXPIRED], at=first.expires_at, times=1 + len(others))
    return len(requests)


def _place_and_day_of(request: AuthorizationRequest) -> tuple[UUID, date]:
    """What is counted together. In its order two that count at once never wait for each other (`succeeding.note`)."""
    return request.endpoint_id, request.expires_at.date()
