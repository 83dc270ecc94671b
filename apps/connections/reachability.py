"""Whether an endpoint's records can be reached, according to all syncs there and to checks whether a record opens again
(`refreshing.reopening`).

How token endpoints answer is kept in token sets and in the registration's pace. FHIR servers are other machines, which
may be silent while tokens are still refreshed. One sync turn without any answer may be a problem of that patient, or of
the moment. Several in a row, for more than one patient or not for a patient's chart, without anybody's answer in
between, are the provider's.
"""

from datetime import datetime, timedelta

from django.db.models import F, QuerySet

from apps.connections.models import EndpointSilence
from apps.directory.models import Endpoint
from apps.wire.errors import EndpointMisconfigured, Throttled, Unavailable, WireError

A_WHILE = timedelta(minutes=15)  # shorter silences are not shown
TURNS = 2
_OLD = timedelta(hours=25)  # each link is tried once a day, so an older silence may be over


def is_silence(error: Exception) -> bool:
    """Whether no answer came, or only one that says that the server cannot answer now. A server that asks us to slow
    down is there."""
    return isinstance(error, Unavailable) and not isinstance(error, Throttled)


def is_answer(error: WireError) -> bool:
    """Whether the provider answered, even with a refusal. If we broke off ourselves, because of a certificate or an
    address, that is neither an answer nor silence."""
    is_ours = isinstance(error, EndpointMisconfigured) and error.status is None
    return not is_ours and not is_silence(error)


def began_at(endpoint: Endpoint, *, at: datetime) -> datetime | None:
    """When a sync turn first got no answer there since the last answer to anybody."""
    rows = EndpointSilence.objects.filter(endpoint=endpoint, last_at__gt=at - _OLD)
    return rows.values_list("began_at", flat=True).first()


def is_silent_now(endpoint: Endpoint, *, at: datetime) -> bool:
    """Whether several turns have just asked there without an answer: another would wait in vain."""
    rows = EndpointSilence.objects.filter(endpoint=endpoint, turns__gte=TURNS, last_at__gt=at - A_WHILE)
    return rows.exists()


def not_answered(endpoint: Endpoint, *, at: datetime, is_ones_again: bool = False) -> None:
    """Record that a sync turn got no answer there. `is_ones_again`: as far as we know it was for the same patient as
    the last one without an answer. It may be that chart alone, so it says nothing more about the provider."""
    rows = EndpointSilence.objects.filter(endpoint=endpoint)
    rows.filter(last_at__lte=at - _OLD).delete()
    _row, is_new = EndpointSilence.objects.get_or_create(endpoint=endpoint, defaults={"began_at": at, "last_at": at})
    if not (is_new or is_ones_again):
        rows.update(turns=F("turns") + 1, last_at=at)


def answered(endpoint: Endpoint) -> None:
    """Record that somebody got an answer there: the silence is over."""
    EndpointSilence.objects.filter(endpoint=endpoint).delete()


def silent_since(endpoint: Endpoint, *, at: datetime) -> datetime | None:
    """Since when the endpoint's records have answered nobody; None if they answer, or if it is too early to say. Makes
    a query unless the endpoint was loaded with its `silence`."""
    silence: EndpointSilence | None = getattr(endpoint, "silence", None)
    if silence is None or silence.turns < TURNS or silence.last_at <= at - _OLD:
        return None
    return silence.began_at if silence.began_at <= at - A_WHILE else None


def silent(*, at: datetime) -> QuerySet[EndpointSilence]:
    """The silences, by the same rule, of endpoints that are switched on."""
    return EndpointSilence.objects.filter(
        turns__gte=TURNS, began_at__lte=at - A_WHILE, last_at__gt=at - _OLD, endpoint__is_switched_on=True
    )
