"""Find providers that staff may want to register with: patients' wishes, or by name, place or address."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Prefetch, Q, QuerySet

from apps.directory import registering, registration_overview
from apps.directory.models import ClientRegistration, Endpoint, Provider, Wish
from apps.directory.searching import finding, wishing
from apps.directory.searching.finding import FoundProvider
from apps.directory.searching.wishing import Unlisted

_MOST_ENDPOINTS = 12  # per provider; a search by address finds the others
_MOST_WANTED = 100  # counted, of which some may be linked already


@dataclass(frozen=True)
class Wanted:
    """One endpoint, and our standing registration there, if there is one."""

    endpoint: Endpoint
    registration: ClientRegistration | None


@dataclass(frozen=True)
class WantedProvider:
    """A name with its endpoints, by FHIR version; `more` counts those not included."""

    name: str
    place: str
    endpoints: tuple[Wanted, ...]
    is_sandbox: bool
    more: int = 0


@dataclass(frozen=True)
class Wished:
    """A listed provider that patients asked for and cannot link, and how many did."""

    provider: Provider
    count: int


def find(query: str, *, at: datetime, most: int) -> Sequence[WantedProvider]:
    """Endpoints with the query in their address, if it looks like one; otherwise providers, as patients find them."""
    if "/" in query:
        return [_at_address(endpoint) for endpoint in _with_address(query.replace("\x00", "").strip()[:200])[:most]]
    return [_of_provider(found) for found in finding.find(query, at=at, shown=most).found]


def wished(*, at: datetime, most: int) -> Sequence[Wished]:
    """Providers that patients wish for and cannot link yet, the most wanted first."""
    counted = Wish.objects.filter(provider__isnull=False).order_by().values("provider").annotate(count=Count("*"))
    most_wanted = dict(counted.order_by("-count", "provider").values_list("provider", "count")[:_MOST_WANTED])
    listed = Provider.objects.filter(pk__in=most_wanted, vanished_at__isnull=True).only("name")
    by_count = sorted(listed, key=lambda row: (-most_wanted[row.pk], row.name))
    counts = {row.pk: most_wanted[row.pk] for row in by_count[: 2 * most]}
    found = finding.by_id(counts.keys(), at=at)
    unlinkable = [
        Wished(found[pk].provider, count) for pk, count in counts.items() if pk in found and found[pk].obstacle
    ]
    return unlinkable[:most]


def unlisted(*, most: int) -> Sequence[Unlisted]:
    """Names that several people wish for and no directory lists, the most wanted first."""
    return wishing.unlisted(most=most)


def wished_once() -> int:
    """How many names only one person wishes for. They are not shown."""
    return wishing.wished_once()


def _of_provider(found: FoundProvider) -> WantedProvider:
    endpoints = [choice.endpoint for choice in found.choices]
    provider = found.provider
    return WantedProvider(
        name=provider.name,
        place=", ".join(part for part in (provider.city, provider.state) if part),
        endpoints=tuple(_wanted(endpoint) for endpoint in endpoints[:_MOST_ENDPOINTS]),
        is_sandbox=provider.is_sandbox,
        more=len(endpoints[_MOST_ENDPOINTS:]),
    )


def _at_address(endpoint: Endpoint) -> WantedProvider:
    names = sorted(getattr(endpoint, "provider_names", ()))
    return WantedProvider(names[0] if names else "", "", (_wanted(endpoint),), endpoint.is_sandbox)


def _with_address(address: str) -> QuerySet[Endpoint]:
    """Case-insensitive, because addresses typed by hand may differ in case."""
    rows = Endpoint.objects.filter(vanished_at__isnull=True).filter(
        Q(fhir_base_url__icontains=address) | Q(authorization_server__authorize_url__icontains=address)
    )
    return (
        registration_overview.with_names(rows.select_related("authorization_server"))
        .prefetch_related("authorization_server__registrations", Prefetch("enablements", registering.enablements()))
        .order_by("fhir_base_url", "pk")
    )


def _wanted(endpoint: Endpoint) -> Wanted:
    return Wanted(endpoint, registering.standing_at(endpoint))
