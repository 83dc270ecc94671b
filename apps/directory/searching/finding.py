"""Find a provider by name, other names, city, state, postal code or the address of its portal.

Providers that cannot be linked are found too, with the reason: hiding them would leave people guessing.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Prefetch, Value, Window, prefetch_related_objects
from django.db.models.functions import RowNumber

from apps.directory import linkability, obstacle_wording, registering
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration, Enablement, Provider, ProviderPortal, Wish
from apps.directory.obstacle_wording import Explanation
from apps.directory.searching import candidates, choices, grouping, meanings, ranking, telling_apart, wording
from apps.directory.searching.candidates import Candidate
from apps.directory.searching.choices import Choice, SignIn
from apps.directory.searching.grouping import Group
from apps.directory.searching.meanings import Meaning, Query

PAGE = 10
MOST_SHOWN = 100
MOST_WAYS = 60  # per provider
_FEW = 3  # with fewer results, similar words are searched as well


class Fit(StrEnum):
    """How the results match what was typed."""

    ALL = "all"
    SIMILAR = "similar"  # no provider has the words as they were typed
    MOST = "most"  # nor similar ones: one word was left out


@dataclass(frozen=True)
class FoundProvider:
    """A provider as a person thinks of it: with the choices of all its rows, the better version first, and with the
    sites that match."""

    provider: Provider
    choices: tuple[Choice, ...]
    sites: tuple[Candidate, ...] = ()
    system_name: str = ""  # of what it is part of, where it has portals of its own
    is_wanted: bool = False  # by the given user
    is_cut: bool = False  # there are more rows or choices than are shown

    @property
    def lines(self) -> list[str]:
        """The lines under its name."""
        return wording.lines(self.provider, sites=self.sites, system_name=self.system_name)

    @property
    def linkable(self) -> tuple[Choice, ...]:
        """The choices that can be linked."""
        return tuple(choice for choice in self.choices if choice.obstacle is None)

    @property
    def sign_ins(self) -> tuple[SignIn, ...]:
        """The choices to show, by patient portal; without strangers, which nobody should see."""
        return telling_apart.sign_ins([choice for choice in self.choices if choice.obstacle is not Obstacle.STRANGER])

    @property
    def obstacle(self) -> Obstacle | None:
        """Why none of it can be linked; None if something can."""
        if self.linkable:
            return None
        shown = (choice.obstacle for choice in self.choices if choice.obstacle is not Obstacle.STRANGER)
        return next(shown, Obstacle.STRANGER if self.choices else Obstacle.NO_ADDRESSES)

    @property
    def explanation(self) -> Explanation | None:
        """Why none of it can be linked, in words; None if something can."""
        return obstacle_wording.words(self.obstacle, self.provider) if self.obstacle else None


@dataclass(frozen=True)
class Results:
    """The results of a search. `total` counts the known ones; `is_cut` if there are more than are counted."""

    found: tuple[FoundProvider, ...] = ()
    total: int = 0
    is_cut: bool = False
    fit: Fit = Fit.ALL

    @property
    def has_more(self) -> bool:
        """Whether more can be shown."""
        return len(self.found) < min(self.total, MOST_SHOWN)


@dataclass(frozen=True)
class Page:
    """Some rows, individually, and whether others follow."""

    found: tuple[FoundProvider, ...]
    has_more: bool


def find(text: str, *, at: datetime, shown: int = PAGE, user_id: UUID | None = None) -> Results:
    """The best matches for what was typed, at most so many, and which of them this user wishes for. Text without a
    letter or digit finds nothing."""
    query = meanings.read(text)
    if not query.words:
        return Results()
    ranked, fit, is_cut = _candidates(query)
    groups = grouping.groups(ranked)
    found = _with_choices(groups[: min(max(shown, PAGE), MOST_SHOWN)], at=at, user_id=user_id)
    return Results(found, total=len(groups), is_cut=is_cut, fit=fit)


def practice_providers(*, at: datetime) -> Sequence[FoundProvider]:
    """The sandbox's providers, if this installation allows them; shown before anything is searched."""
    if not settings.ALLOW_LOOPBACK_HTTP:
        return ()
    return _with_choices(grouping.groups(candidates.practice()), at=at)


def with_choices(provider: Provider, *, at: datetime, user_id: UUID | None = None) -> FoundProvider:
    """One provider, as a person thinks of it."""
    return by_id([provider.pk], at=at, user_id=user_id)[provider.pk]


def by_id(pks: Collection[UUID], *, at: datetime, user_id: UUID | None = None) -> Mapping[UUID, FoundProvider]:
    """The same for several, by id; without those that are no longer listed."""
    if not pks:
        return {}
    groups = {row.pk: grouping.groups([row])[0] for row in candidates.these(pks)}
    return dict(zip(groups, _with_choices(list(groups.values()), at=at, user_id=user_id), strict=True))


def one_by_one(provider: Provider, *, page: int, at: datetime, user_id: UUID | None = None) -> Page:
    """The rows that are this provider to a person, individually: there may be more than one page of choices shows."""
    head = candidates.of(provider)
    pks = candidates.all_alike(head, skip=(max(page, 1) - 1) * PAGE, most=PAGE + 1)
    rows = {row.pk: row for row in candidates.these(pks)}
    groups = [Group(rows[pk], ()) for pk in pks[:PAGE] if pk in rows]
    found = _with_choices(groups, at=at, user_id=user_id, is_alone=True)
    return Page(found, has_more=len(pks) > PAGE)


def alone(provider: Provider, *, at: datetime, user_id: UUID | None = None) -> FoundProvider:
    """One row individually, without others of that name."""
    (found,) = _with_choices([Group(candidates.of(provider), ())], at=at, user_id=user_id, is_alone=True)
    return found


def _candidates(query: Query) -> tuple[list[Candidate], Fit, bool]:
    """Ranked, and whether there are more. Widens the search only if little was found."""
    by_name = [] if query.is_address else candidates.named(query.plain)
    if len(by_name) == candidates.MOST_BY_NAME:
        return _ranked(by_name, query, meanings.unasked(query.words)), Fit.ALL, True
    asked = meanings.known(query.words)
    fitting = candidates.with_all(asked) if all(meaning.is_known for meaning in asked) else []
    found = _ranked([*by_name, *fitting], query, asked)
    if len(found) >= _FEW:
        return found, Fit.ALL, len(fitting) == candidates.MOST
    return _widened(found, query, asked)


def _widened(found: list[Candidate], query: Query, asked: Sequence[Meaning]) -> tuple[list[Candidate], Fit, bool]:
    wide = meanings.similar(asked)
    similar = candidates.with_all(wide) if all(meaning.is_known for meaning in wide) else []
    if similar or found:
        both = _once([*found, *_ranked(similar, query, wide)])
        return both, Fit.ALL if found else Fit.SIMILAR, len(similar) == candidates.MOST
    most = candidates.with_most(wide)
    return _ranked(most, query, wide), Fit.MOST, len(most) == candidates.MOST


def _ranked(rows: Iterable[Candidate], query: Query, asked: Sequence[Meaning]) -> list[Candidate]:
    ready = ranking.asked(asked)
    return sorted(_once(rows), key=lambda row: ranking.rank(row, query, ready))


def _once(rows: Iterable[Candidate]) -> list[Candidate]:
    return list({row.pk: row for row in rows}.values())


def _with_choices(
    groups: Sequence[Group], *, at: datetime, user_id: UUID | None = None, is_alone: bool = False
) -> tuple[FoundProvider, ...]:
    """Makes three queries, however many groups there are; one more if we are registered anywhere, and one if there are
    enablements. With all rows that are alike, or each head alone."""
    heads = [group.head for group in groups]
    pks = {head.pk for head in heads}.union(() if is_alone else candidates.alike(heads))
    key: Callable[[Candidate], object] = _itself if is_alone else grouping.likeness
    rows = Provider.objects.filter(vanished_at__isnull=True, pk__in=pks)
    alike: dict[object, list[Provider]] = defaultdict(list)
    wishes = Exists(Wish.objects.filter(user=user_id, provider=OuterRef("pk"))) if user_id else Value(value=False)
    told = rows.annotate(system_name=F("part_of__name"), is_wanted=wishes)
    for row in told.order_by("directory", "directory_id"):
        alike[key(candidates.of(row))].append(row)
    wanted = [row for group in groups for row in alike[key(group.head)]]
    portals = _portals(wanted)
    return tuple(_found(group, alike[key(group.head)], portals, at=at) for group in groups)


def _itself(row: Candidate) -> UUID:
    return row.pk


def _portals(providers: Sequence[Provider]) -> Mapping[UUID, list[ProviderPortal]]:
    """By provider, with everything that decides whether each can be linked. (Queried directly, because prefetching them
    for each provider takes longer than everything else.) For most providers nothing more is known, and no more queries
    are made."""
    registrations = ClientRegistration.objects.filter(authorization_server=OuterRef("endpoint__authorization_server"))
    of_these = ProviderPortal.objects.filter(provider__in=[row.pk for row in providers])
    of_these = of_these.annotate(is_registered=Exists(registrations))
    place = Window(RowNumber(), partition_by="provider", order_by=[F("is_registered").desc(), "pk"])
    portals = list(
        of_these.filter(pk__in=of_these.annotate(place=place).filter(place__lte=MOST_WAYS + 1).values("pk"))
        .select_related("endpoint__authorization_server")
        .annotate(has_enablements=Exists(Enablement.objects.filter(endpoint=OuterRef("endpoint"))))
        .order_by("pk")
    )
    standing, enabled = ClientRegistration.objects.none(), Enablement.objects.none()
    if any(portal.is_registered for portal in portals):
        standing = ClientRegistration.objects.all()
    if any(portal.has_enablements for portal in portals):
        enabled = registering.enablements()
    prefetch_related_objects(
        portals,
        Prefetch("endpoint__authorization_server__registrations", standing),
        Prefetch("endpoint__enablements", enabled),
    )
    found: dict[UUID, list[ProviderPortal]] = defaultdict(list)
    for portal in portals:
        found[portal.provider_id].append(portal)
    return found


def _found(
    group: Group, rows: Sequence[Provider], portals: Mapping[UUID, Sequence[ProviderPortal]], *, at: datetime
) -> FoundProvider:
    head = next((row for row in rows if row.pk == group.head.pk), rows[0])
    listed = [(portal, row) for row in rows for portal in portals.get(row.pk, ())]
    listed.sort(key=lambda pair: pair[0].pk)  # an endpoint belongs to the row that had it first
    offered = [
        Choice(
            portal.endpoint,
            linkability.obstacle(portal.endpoint, provider=row, at=at),
            row,
            portal_name=portal.name,
        )
        for portal, row in listed
    ]
    ways = choices.in_order(offered)
    return FoundProvider(
        head,
        ways if len(ways) <= MOST_WAYS else _fewer(ways),
        group.sites,
        is_cut=len(rows) >= candidates.MOST_ALIKE or len(ways) > MOST_WAYS,
        system_name=getattr(head, "system_name", None) or "",
        is_wanted=getattr(head, "is_wanted", False),
    )


def _fewer(ways: Sequence[Choice]) -> tuple[Choice, ...]:
    """Those that can be linked before the others, then in the original order."""
    kept = {choice.endpoint.pk for choice in sorted(ways, key=lambda choice: choice.obstacle is not None)[:MOST_WAYS]}
    return tuple(choice for choice in ways if choice.endpoint.pk in kept)
