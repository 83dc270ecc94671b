"""Whether the records of an endpoint answer, as heard by the syncs of all who are linked there, and by whoever looks
whether a record opens again (`refreshing.reopening`).

What a link hears at the token endpoint stands in its token set, and in the pace of its registration. A FHIR server is
another machine: it may be silent where tokens are renewed as ever. One turn of a sync that brought no answer at all may
be that patient's trouble, or a moment's; several in a row, of more than one patient or asked for nobody's chart, and
nobody's answer between them, are the provider's.
"""

from datetime import datetime, timedelta

from django.db.models import F, QuerySet

from apps.connections.models import EndpointSilence
from apps.directory.models import Endpoint
from apps.wire.errors import EndpointMisconfigured, Throttled, Unavailable, WireError

A_WHILE = timedelta(minutes=15)  # what works does not flicker
TURNS = 2
_OLD = timedelta(hours=25)  # each link is tried once a day: what nobody has tried since is not known to last


def is_silence(error: Exception) -> bool:
    """Whether nothing came, or nothing but that they cannot answer now. Who asks us to slow down is there."""
    return isinstance(error, Unavailable) and not isinstance(error, Throttled)


def is_answer(error: WireError) -> bool:
    """Whether the provider said so, and be it a refusal. Nobody was heard where we broke off ourselves, over a
    certificate or an address: that is neither an answer nor silence."""
    is_ours = isinstance(error, EndpointMisconfigured) and error.status is None
    return not is_ours and not is_silence(error)


def began_at(endpoint: Endpoint, *, at: datetime) -> datetime | None:
    """When a turn got no answer there for the first time since anybody did."""
    rows = EndpointSilence.objects.filter(endpoint=endpoint, last_at__gt=at - _OLD)
    return rows.values_list("began_at", flat=True).first()


def is_silent_now(endpoint: Endpoint, *, at: datetime) -> bool:
    """Whether several have just asked there, and nobody got an answer: one more would wait in vain."""
    rows = EndpointSilence.objects.filter(endpoint=endpoint, turns__gte=TURNS, last_at__gt=at - A_WHILE)
    return rows.exists()


def not_answered(endpoint: Endpoint, *, at: datetime, is_ones_again: bool = False) -> None:
    """A turn of a sync asked there and got no answer. `is_ones_again`: the one patient's, for all we know, whose turn
    got none before; it may be that chart which never comes, and says nothing more of the provider."""
    rows = EndpointSilence.objects.filter(endpoint=endpoint)
    rows.filter(last_at__lte=at - _OLD).delete()
    _row, is_new = EndpointSilence.objects.get_or_create(endpoint=endpoint, defaults={"began_at": at, "last_at": at})
    if not (is_new or is_ones_again):
        rows.update(turns=F("turns") + 1, last_at=at)


def answered(endpoint: Endpoint) -> None:
    """Somebody got an answer there: silence is over."""
    EndpointSilence.objects.filter(endpoint=endpoint).delete()


def silent_since(endpoint: Endpoint, *, at: datetime) -> datetime | None:
    """Since when its records have answered nobody; None where they do, or nobody can say yet. A query, unless the
    endpoint is loaded with its `silence`."""
    silence: EndpointSilence | None = getattr(endpoint, "silence", None)
    if silence is None or silence.turns < TURNS or silence.last_at <= at - _OLD:
        return None
    return silence.began_at if silence.began_at <= at - A_WHILE else None


def silent(*, at: datetime) -> QuerySet[EndpointSilence]:
    """Those of endpoints that are switched on of which the same is true."""
    return EndpointSilence.objects.filter(
        turns__gte=TURNS, began_at__lte=at - A_WHILE, last_at__gt=at - _OLD, endpoint__is_switched_on=True
    )
