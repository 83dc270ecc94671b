"""Count how attempts to link end, so that the directory can tell patients how others fared. Nobody's identity is stored
with the counts.

Each account counts once a day at an endpoint, so that nobody can outweigh others. Whom we counted is kept as a keyed
digest, in the cache and until the day is over. If the cache does not answer, nothing is counted.
"""

from collections.abc import Mapping
from datetime import date, datetime
from itertools import groupby
from uuid import UUID

from django.core.cache import cache
from django.db import transaction
from django.utils.crypto import salted_hmac
from redis.exceptions import RedisError

from apps.connections.models import AuthorizationRequest
from apps.connections.outcomes import Outcome
from apps.directory.models import Endpoint
from apps.directory.monitoring import link_statistics
from apps.directory.monitoring.link_statistics import Ending

MOST_AT_ONCE = 500
_HOUR_SECONDS = 3600
_DAY_SECONDS = 24 * _HOUR_SECONDS

ENDINGS: Mapping[Outcome, Ending] = {
    Outcome.CONFIRMED: Ending.COMPLETED,
    Outcome.ALREADY_CONNECTED: Ending.COMPLETED,
    Outcome.CANCELLED: Ending.REFUSED_BY_PATIENT,
    Outcome.NOTHING_SHARED: Ending.REFUSED_BY_PATIENT,
    Outcome.PROVIDER_DOWN: Ending.FAILED_THERE,
    Outcome.CODE_REFUSED: Ending.FAILED_THERE,
    Outcome.NOT_ENABLED: Ending.FAILED_THERE,
    Outcome.NO_PERSON: Ending.FAILED_THERE,
    Outcome.UNREADABLE: Ending.FAILED_THERE,
    Outcome.ADDRESS_DOUBTED: Ending.FAILED_THERE,
    Outcome.IDENTITY_REFUSED: Ending.FAILED_THERE,
    Outcome.REGISTRATION_BROKEN: Ending.FAILED_HERE,
    Outcome.REQUEST_REFUSED: Ending.FAILED_HERE,
    Outcome.EXPIRED: Ending.ABANDONED,
}

# Not an end yet; what only a browser says about the provider; what the patient did to an attempt here; and answers that
# belong to no known attempt.
NOT_COUNTED = frozenset(
    {
        Outcome.COMPLETED, Outcome.DENIED_BY_PROVIDER, Outcome.WRONG_ISSUER, Outcome.DECLINED,
        Outcome.UNCONFIRMED, Outcome.CLOSED,
        Outcome.WRONG_PERSON, Outcome.FORGED, Outcome.OTHER_BROWSER, Outcome.OTHER_ACCOUNT, Outcome.USED_TWICE,
        Outcome.ACCOUNT_CLOSED, Outcome.SWITCHED_OFF,
    }
)  # fmt: skip


def count(endpoint: Endpoint, outcome: Outcome, *, user_id: UUID, at: datetime) -> None:
    """Count this account's attempt, if its outcome says something about the provider. Call it outside transactions,
    after the attempt's own. It counts at most once: if a worker dies in between, the attempt is missing from the
    numbers."""
    if outcome not in ENDINGS:
        return
    ending = ENDINGS[outcome]
    if _is_first(endpoint.pk, ending, user_id=user_id, at=at):
        link_statistics.note(endpoint, ending, at=at)
    elif ending is Ending.COMPLETED:
        before = _ending_until_now(endpoint.pk, user_id=user_id, at=at)
        if before is not None:
            link_statistics.move(endpoint, before, ending, at=at)


def count_hearsay(endpoint: Endpoint, outcome: Outcome, *, user_id: UUID, at: datetime) -> None:
    """Count an outcome that a browser brought and no call of ours confirmed: only the patient's own refusal counts."""
    if outcome is Outcome.CANCELLED:
        count(endpoint, outcome, user_id=user_id, at=at)


def count_abandoned(*, at: datetime) -> int:
    """Close the requests of patients who left and never came back, and count each exactly once: closing and counting
    are one transaction. Returns how many.

    A patient who comes back after all finds the request expired, whether it was counted or not
    (`callback.completing`). Rows that another transaction has locked are left to it, or to the next beat. Trials by
    staff are not counted.
    """
    overdue = AuthorizationRequest.objects.filter(
        claimed_at__isnull=True, outcome="", left_at__isnull=False, expires_at__lte=at, trial__isnull=True
    )
    with transaction.atomic():
        locked = overdue.select_for_update(skip_locked=True, of=("self",)).select_related("endpoint")
        requests = list(locked.order_by("expires_at")[:MOST_AT_ONCE])
        AuthorizationRequest.objects.filter(pk__in=[request.pk for request in requests]).update(outcome=Outcome.EXPIRED)
        for _place_and_day, same in groupby(sorted(requests, key=_place_and_day_of), key=_place_and_day_of):
            firsts = {one.user_id: one for one in same if not _is_counted(one)}
            for first in list(firsts.values())[:1]:
                link_statistics.note(first.endpoint, Ending.ABANDONED, at=first.expires_at, times=len(firsts))
    for request in requests:  # not before it is certain that they were counted
        _is_first(request.endpoint_id, Ending.ABANDONED, user_id=request.user_id, at=request.expires_at)
    return len(requests)


def _place_and_day_of(request: AuthorizationRequest) -> tuple[UUID, date]:
    """The key of a group. Sorting by it makes concurrent workers lock rows in one order (`link_statistics.note`)."""
    return request.endpoint_id, request.expires_at.date()


def _is_counted(request: AuthorizationRequest) -> bool:
    """Whether the account was already counted there on that day; also True if the cache does not answer."""
    try:
        return cache.get(_key(request.endpoint_id, request.user_id, request.expires_at)) is not None
    except RedisError:
        return True


def _is_first(endpoint_id: UUID, ending: Ending, *, user_id: UUID, at: datetime) -> bool:
    """Whether this account was not counted there on this day yet. From now on it is."""
    try:
        return cache.add(_key(endpoint_id, user_id, at), ending.value, timeout=_rest_of_the_day(at))
    except RedisError:
        return False


def _ending_until_now(endpoint_id: UUID, *, user_id: UUID, at: datetime) -> Ending | None:
    """How this account was counted on this day, unless as completed. It is returned once; then the caller counts it as
    completed."""
    key = _key(endpoint_id, user_id, at)
    try:
        before = cache.get(key)
        is_mine = before is not None and cache.add(f"{key}:connected", 1, timeout=_rest_of_the_day(at))
    except RedisError:
        return None
    return Ending(before) if is_mine and before != Ending.COMPLETED else None


def _key(endpoint_id: UUID, user_id: UUID, at: datetime) -> str:
    digest = salted_hmac("link days", f"{endpoint_id} {user_id} {at.date()}", algorithm="sha256")
    return f"link-days:{digest.hexdigest()}"


def _rest_of_the_day(at: datetime) -> int:
    """In seconds; at least an hour, for what is counted after its day."""
    return max(_HOUR_SECONDS, _DAY_SECONDS - (at.hour * _HOUR_SECONDS + at.minute * 60 + at.second))
