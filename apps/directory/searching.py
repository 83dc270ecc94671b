"""Find a provider by name, city, state or website: accents and case do not matter, and words may be unfinished.

Providers that cannot be linked are found too, with the reason: a list that hides them leaves people guessing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Prefetch, QuerySet

from apps.directory import explaining, linkability, spelling, versions, web_addresses
from apps.directory.explaining import Explanation
from apps.directory.linkability import Obstacle
from apps.directory.models import Enablement, Endpoint, Provider, SearchWord

MOST_SHOWN = 30


@dataclass(frozen=True)
class Choice:
    """One endpoint of a provider, and what stands in the way of linking it."""

    endpoint: Endpoint
    obstacle: Obstacle | None

    provider: Provider

    @property
    def explanation(self) -> Explanation | None:
        """Why it cannot be linked, in words; None where it can."""
        return explaining.words(self.obstacle, self.provider) if self.obstacle else None

    @property
    def words(self) -> versions.VersionWords:
        """What its FHIR version means to a patient."""
        return versions.words(self.endpoint.fhir_version)

    @property
    def interface_words(self) -> versions.InterfaceWords:
        """What its interface means to a patient: needed where a provider has both."""
        return versions.interface_words(self.endpoint.interface)


@dataclass(frozen=True)
class FoundProvider:
    """A provider with its choices, the better version first."""

    provider: Provider
    choices: tuple[Choice, ...]

    @property
    def linkable(self) -> tuple[Choice, ...]:
        """The choices a patient really has."""
        return tuple(choice for choice in self.choices if choice.obstacle is None)

    @property
    def has_both_interfaces(self) -> bool:
        """Whether the version alone does not tell its ways apart."""
        return len({choice.endpoint.interface for choice in self.choices}) > 1

    @property
    def obstacle(self) -> Obstacle | None:
        """Why nothing of it can be linked, or None where something can."""
        if self.linkable:
            return None
        return next((choice.obstacle for choice in self.choices), Obstacle.NO_ADDRESSES)

    @property
    def explanation(self) -> Explanation | None:
        """Why nothing of it can be linked, in words; None where something can."""
        return explaining.words(self.obstacle, self.provider) if self.obstacle else None


@dataclass(frozen=True)
class Results:
    """What a search found; `has_more` where it was cut off."""

    found: tuple[FoundProvider, ...]
    has_more: bool


def find(query: str, *, at: datetime) -> Results:
    """Providers in which every word of the query begins some word. Real ones first, then by name.

    An empty query finds nothing.
    """
    words = web_addresses.words(query[:200]) or spelling.plain_words(query[:200])
    if not words:
        return Results((), has_more=False)
    rows = _providers()
    for word in words:
        known = SearchWord.objects.filter(word__startswith=word).values_list("word", flat=True)[:500]
        rows = rows.filter(words__overlap=[word, *known])
    found = tuple(_found(row, at=at) for row in rows.order_by("is_sandbox", "name", "pk")[: MOST_SHOWN + 1])
    return Results(found[:MOST_SHOWN], has_more=len(found) > MOST_SHOWN)


def practice_providers(*, at: datetime) -> Sequence[FoundProvider]:
    """The sandbox's providers, where this installation allows them; offered before anything was searched."""
    if not settings.ALLOW_LOOPBACK_HTTP:
        return ()
    rows = _providers().filter(is_sandbox=True).order_by("name", "pk")
    return [_found(row, at=at) for row in rows[:MOST_SHOWN]]


def with_choices(provider: Provider, *, at: datetime) -> FoundProvider:
    """One provider with its choices."""
    return _found(_providers().get(pk=provider.pk), at=at)


def _providers() -> QuerySet[Provider]:
    enablements = Enablement.objects.select_related("registration__authorization_server")
    endpoints = Endpoint.objects.select_related("authorization_server").prefetch_related(
        "authorization_server__registrations", Prefetch("enablements", enablements)
    )
    return Provider.objects.filter(vanished_at__isnull=True).prefetch_related(Prefetch("endpoints", endpoints))


def _found(provider: Provider, *, at: datetime) -> FoundProvider:
    choices = [
        Choice(endpoint, linkability.obstacle(endpoint, provider=provider, at=at), provider)
        for endpoint in provider.endpoints.all()
    ]
    choices.sort(key=lambda choice: (choice.words.rank, choice.endpoint.fhir_base_url))
    return FoundProvider(provider, tuple(choices))
