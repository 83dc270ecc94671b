"""Note that somebody wants a provider which cannot be connected, or which no directory lists.

A wish sends nothing to a provider. Its owner sees what has become of it and, of a listed provider, is told once by mail
that it works (`connections.availability_mail`); staff see how many wishes there are. What one person alone has written
nobody else reads: it may be anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Count, Min, QuerySet

from apps.accounts.models import User
from apps.directory.list_formats import texts
from apps.directory.models import Provider, Wish
from apps.directory.searching import finding
from apps.directory.searching.finding import FoundProvider
from apps.directory.words import spelling

MOST_OPEN = 24
LOOK_AGAIN_AFTER = timedelta(minutes=15)
LOOK_LESS_FROM = timedelta(days=1)  # what did not come in a day may never come: nobody takes such a wish back
LOOK_LESS_AFTER = timedelta(hours=1)
_ENOUGH = 2  # people who wrote the same, so that staff read it
_ALIKE = ("plain_name", "plain_city")


class TooManyWishes(Exception):
    """The person has as many as we keep."""


@dataclass(frozen=True)
class Noted:
    """A wish and what has become of it: the provider as it is found now, or, for one that was wished for by name,
    whether a provider is listed under that name now."""

    wish: Wish
    found: FoundProvider | None
    is_listed: bool

    @property
    def is_connectable(self) -> bool:
        """Whether nothing stands in the way any more."""
        return self.found is not None and self.found.explanation is None

    @property
    def is_awaited(self) -> bool:
        """Whether its owner is still to be told that it works."""
        return self.wish.waits_since is not None


@dataclass(frozen=True)
class Unlisted:
    """A provider that no directory lists, as it was written, and how many people want it."""

    name: str
    city: str
    count: int


def note(user: User, provider: Provider, *, at: datetime, needs_sign_in: bool = False) -> Wish:
    """Twice is as once; its owner is told when it works from now on. `needs_sign_in`: where the provider refused what
    we asked, that it answers says nothing, wherever they ask once more before anybody was let in. Raises TooManyWishes.
    """
    with transaction.atomic():  # under the locks of `_kept`: it is neither taken back nor told of meanwhile
        wish = _kept(user, at=at, provider=provider)
        wish.needs_sign_in = needs_sign_in or (wish.needs_sign_in and wish.waits_since is not None)
        wish.waits_since, wish.due_at = at, at + LOOK_AGAIN_AFTER
        wish.save(update_fields=["waits_since", "due_at", "needs_sign_in"])
    return wish


def note_by_name(user: User, name: str, city: str, *, at: datetime) -> Wish:
    """Of a provider that is not listed. Twice is as once. Raises TooManyWishes, and ValueError where there is no letter
    in the name."""
    name, city = texts.on_one_line(name)[:200], texts.on_one_line(city)[:100]
    if not spelling.plain(name):
        raise ValueError("A wish names a provider.")
    return _kept(user, at=at, provider=None, name=name, city=city)


def take_back(user: User, wish_id: UUID) -> None:
    """Forget it. One that is another's, or gone already, is left alone."""
    Wish.objects.filter(user=user, pk=wish_id).delete()


def of_user(user: User, *, at: datetime) -> Sequence[Noted]:
    """The person's wishes, the newest first, with what has become of each. One query where there are none."""
    wishes = list(Wish.objects.filter(user=user).order_by("-created_at", "pk"))
    found = finding.by_id([wish.provider_id for wish in wishes if wish.provider_id], at=at)
    names = {spelling.plain(wish.name)[:200] for wish in wishes if not wish.provider_id}
    listed = Provider.objects.filter(plain_name__in=names, vanished_at__isnull=True) if names else None
    listed_names = set(listed.values_list("plain_name", flat=True)) if listed is not None else set()
    return [
        Noted(
            wish,
            found.get(wish.provider_id) if wish.provider_id else None,
            is_listed=spelling.plain(wish.name)[:200] in listed_names,
        )
        for wish in wishes
        if not wish.provider_id or wish.provider_id in found
    ]


def unlisted(*, most: int) -> Sequence[Unlisted]:
    """What several people wish for by name, the most wanted first: spellings that searching takes for the same are one,
    told as who wished first wrote it."""
    rows = Wish.objects.filter(provider__isnull=True)
    groups: list[Any] = list(_of_several().order_by("-people", *_ALIKE)[:most])
    if not groups:
        return []
    firsts = rows.filter(plain_name__in=[group["plain_name"] for group in groups])
    firsts = firsts.filter(created_at__in=[group["first_at"] for group in groups])
    written = {(row.plain_name, row.plain_city, row.created_at): row for row in firsts}
    told = [(written.get((group["plain_name"], group["plain_city"], group["first_at"])), group) for group in groups]
    return [Unlisted(row.name, row.city, group["people"]) for row, group in told if row]  # or taken back meanwhile


def wished_once() -> int:
    """How many names there are beside those, each wished for by one person."""
    with connection.cursor() as cursor:
        cursor.execute(*_once())
        (found,) = cursor.fetchone()
    return int(found)


@lru_cache(maxsize=1)
def _once() -> tuple[str, Sequence[Any]]:
    """The statement for it, with its parameters: to put it together takes longer than to answer it."""
    (names, of_names), (several, of_several) = (rows.query.sql_with_params() for rows in (_by_name(), _of_several()))
    counted = f"SELECT (SELECT count(*) FROM ({names}) AS names) - (SELECT count(*) FROM ({several}) AS several)"  # noqa: S608 # nosec B608 - of querysets
    return counted, (*of_names, *of_several)


def _by_name() -> "QuerySet[Any, Any]":
    """The names that are wished for, each once."""
    rows: QuerySet[Any, Any] = Wish.objects.filter(provider__isnull=True).order_by().values(*_ALIKE)
    counted: QuerySet[Any, Any] = rows.annotate(wishes=Count("*"))
    return counted


def _of_several() -> "QuerySet[Any, Any]":
    """Those that several people wish for: how many, and since when. Most names are wished for once, which the index
    alone tells, so that few people need counting."""
    often = _by_name().filter(wishes__gte=_ENOUGH).values("plain_name")
    rows: QuerySet[Any, Any] = Wish.objects.filter(provider__isnull=True, plain_name__in=often).order_by()
    counted: QuerySet[Any, Any] = rows.values(*_ALIKE).annotate(
        people=Count("user", distinct=True), first_at=Min("created_at")
    )
    return counted.filter(people__gte=_ENOUGH)


def _kept(user: User, *, at: datetime, provider: Provider | None, name: str = "", city: str = "") -> Wish:
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)  # so that two tabs do not both add the last one
        what = {"user": user, "provider": provider, "name": name, "city": city}
        wish = Wish.objects.select_for_update(no_key=True).filter(**what).first()
        listed = Wish.objects.filter(user=user, provider__vanished_at=None)  # those that its owner can take back
        if wish is None and listed.count() >= MOST_OPEN:
            raise TooManyWishes
        return wish or Wish.objects.create(**what, created_at=at)
