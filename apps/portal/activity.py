"""The audit log as its own person reads it: what happened, who did it, and at which provider; and where they have
records of several people, with whose.

A link that lives for months is renewed thousands of times, and between two such lines everything else would be lost.
Renewals of one link with nothing else between them are one line with a count; it opens to each of them. What happened
several times within a minute is told once, and how often: nobody reads more out of the same words again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import (
    BigIntegerField,
    Count,
    F,
    Func,
    IntegerField,
    Max,
    Min,
    QuerySet,
    TextChoices,
    Value,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.utils.translation import gettext

from apps.accounts.failed_sign_ins import Method
from apps.audit.models import ActorKind, AuditEvent, EventType
from apps.audit.recording import Fact
from apps.connections.models import Connection
from apps.connections.outcomes import Outcome
from apps.connections.reasons import Reason
from apps.directory.models import Provider
from apps.records.models import SyncRun
from apps.records.viewing.opening import telling_apart

ROWS = 50
_ROWS_AT_ONCE = 500
_WORDS = {event.value: event.label for event in EventType}
_LONGEST_NUMBER = 18
_BY_A_LINK = frozenset({EventType.SHARE_OPENED, EventType.SHARE_REFUSED})  # of a share; its owner has it as well


@dataclass(frozen=True)
class Renewals:
    """What one line stands for: so many renewals of one connection. `first` and `last` are numbers of events."""

    count: int
    since: datetime
    until: datetime
    connection_id: str
    provider_id: str
    first: int
    last: int


@dataclass(frozen=True)
class ActivityLine:
    """One line. `provider` is empty where it concerns none, or one that is gone; `person` is whose record it keeps,
    where there are several people's; `why` says more, if more is known. `times` is how often the very same happened
    within that minute, with nothing else between."""

    number: int
    at: datetime
    what: str
    who: str
    provider: str
    person: str = ""
    why: str = ""
    renewals: Renewals | None = None
    times: int = 1

    @property
    def where(self) -> str:
        """The provider, and whose record."""
        return f"{self.provider} ({self.person})" if self.provider and self.person else self.provider or self.person


@dataclass(frozen=True)
class ActivityPage:
    """Newest first. `older_than` asks for the next page; None where this is the last."""

    lines: tuple[ActivityLine, ...]
    older_than: int | None


def page(user_id: UUID, *, before: str) -> ActivityPage:
    """The events about one user with a number below `before`, which comes from the address and may be anything: ROWS of
    them, and the renewals in between."""
    mine = AuditEvent.objects.filter(user_id=user_id)
    top = _number(before)
    if top is not None:
        mine = mine.filter(pk__lt=top)
    found = list(mine.exclude(event=EventType.TOKENS_REFRESHED).order_by("-pk")[: ROWS + 1])
    is_last = len(found) <= ROWS
    shown = found[:ROWS]
    renewals = mine.filter(event=EventType.TOKENS_REFRESHED)
    if not is_last:
        renewals = renewals.filter(pk__gt=shown[-1].pk)
    folded = _folded(renewals, between=[event.pk for event in shown])
    names = _names(user_id, shown, folded)
    lines = [_line(event, names) for event in shown] + [_renewed(one, names) for one in folded]
    lines.sort(key=lambda one: one.number, reverse=True)
    return ActivityPage(tuple(_told_once(lines)), None if is_last else shown[-1].pk)


def _told_once(lines: Iterable[ActivityLine]) -> Iterator[ActivityLine]:
    for _words, alike in groupby(lines, key=_as_read):
        first, *others = alike
        yield replace(first, times=1 + len(others)) if others else first


def _as_read(line: ActivityLine) -> tuple[object, ...]:
    """All that its reader sees of a line; a line of renewals, which opens to each, is like no other."""
    minute = line.at.replace(second=0, microsecond=0)
    return minute, line.what, line.why, line.who, line.where, line.number if line.renewals else None


def renewals_page(user_id: UUID, connection_id: UUID, *, first: str, before: str) -> ActivityPage:
    """Each renewal of one connection of this user, from the event number `first` on, below `before`."""
    mine = AuditEvent.objects.filter(
        user_id=user_id,
        event=EventType.TOKENS_REFRESHED,
        subject_id=str(connection_id),
        pk__gte=_number(first) or 0,
    )
    top = _number(before)
    if top is not None:
        mine = mine.filter(pk__lt=top)
    found = list(mine.order_by("-pk")[: ROWS + 1])
    shown = found[:ROWS]
    names = _names(user_id, shown, ())
    lines = tuple(_line(event, names) for event in shown)
    return ActivityPage(lines, shown[-1].pk if len(found) > ROWS else None)


def each(user_id: UUID) -> Iterator[list[ActivityLine]]:
    """Every event about one user by itself, newest first, renewals as well: so many at once that memory does not grow
    with them. Whose records there are is asked here, and all else as it is read."""
    return _each(user_id, _people(user_id))


def _each(user_id: UUID, people: Mapping[str, str]) -> Iterator[list[ActivityLine]]:
    mine = AuditEvent.objects.filter(user_id=user_id).order_by("-pk")
    found = list(mine[:_ROWS_AT_ONCE])
    while found:
        names = _Names(_providers(user_id, found), people)
        yield [_line(event, names) for event in found]
        found = list(mine.filter(pk__lt=found[-1].pk)[:_ROWS_AT_ONCE])


def _number(unverified: str) -> int | None:
    is_number = unverified.isascii() and unverified.isdigit() and len(unverified) <= _LONGEST_NUMBER
    return int(unverified) if is_number else None


def _folded(renewals: QuerySet[AuditEvent], *, between: Sequence[int]) -> list[Renewals]:
    """One for each connection and each gap between the events of these numbers. Counted by the database, however many
    there are."""
    numbers = Cast(Value(sorted(between)), output_field=ArrayField(BigIntegerField()))
    gap = Func(F("pk"), numbers, function="width_bucket", output_field=IntegerField())
    rows = renewals.order_by().annotate(gap=gap).values("gap", "subject_id")
    counted = rows.annotate(count=Count("pk"), since=Min("at"), until=Max("at"), first=Min("pk"), last=Max("pk"))
    return [
        Renewals(
            count=row["count"],
            since=row["since"],
            until=row["until"],
            connection_id=row["subject_id"],
            provider_id=row["provider_id"] or "",
            first=row["first"],
            last=row["last"],
        )
        for row in counted.annotate(provider_id=Max(KT(f"facts__{Fact.PROVIDER_ID}")))
    ]


def _line(event: AuditEvent, names: "_Names") -> ActivityLine:
    return ActivityLine(
        number=event.pk,
        at=event.at,
        what=str(_WORDS.get(event.event, event.event)),
        who=_who(event),
        provider=names.provider(_provider_id(event), event.subject_id),
        person=names.people.get(event.subject_id, ""),
        why=_why(event),
    )


def _renewed(renewals: Renewals, names: "_Names") -> ActivityLine:
    return ActivityLine(
        number=renewals.last,
        at=renewals.until,
        what=str(_WORDS[EventType.TOKENS_REFRESHED.value]),
        who=gettext("Holdfast, by itself"),
        provider=names.provider(renewals.provider_id, renewals.connection_id),
        person=names.people.get(renewals.connection_id, ""),
        renewals=renewals if renewals.count > 1 else None,
    )


def _who(event: AuditEvent) -> str:
    if event.event == EventType.USER_SIGN_IN_FAILED:
        return gettext("Somebody: you, if you mistyped it")
    if event.event in _BY_A_LINK and event.actor_kind != ActorKind.USER:
        return gettext("Somebody with the link")
    if event.actor_kind == ActorKind.STAFF or event.event == EventType.RECORD_DISCARDED:  # by a command, of theirs
        return gettext("Holdfast staff")
    return gettext("You") if event.actor_kind == ActorKind.USER else gettext("Holdfast, by itself")


def _why(event: AuditEvent) -> str:
    """What the facts say more, from closed vocabularies; what is in none of them is left out."""
    if event.event == EventType.CONNECTION_NEEDS_REAUTHORIZATION:
        return _label(Reason, event.facts.get(Fact.REASON))
    if event.event == EventType.USER_SIGN_IN_FAILED:
        return _label(Method, event.facts.get(Fact.METHOD))
    if event.event == EventType.CONNECTION_FAILED:
        return _label(Outcome, event.facts.get(Fact.OUTCOME))
    if event.event == EventType.SYNC_FINISHED:
        return _label(SyncRun.Outcome, event.facts.get(Fact.OUTCOME))
    if event.event == EventType.TOKENS_REVOKED and not event.subject_id:  # `revoking`: no connection is over with it
        return gettext("an earlier one, or one that was not kept")
    return ""


def _label(vocabulary: type[TextChoices], value: object) -> str:
    return str(vocabulary(value).label) if value in vocabulary.values else ""


def _provider_id(event: AuditEvent) -> str:
    return str(event.facts.get(Fact.PROVIDER_ID, ""))


@dataclass(frozen=True)
class _Names:
    """Of providers, by their own id and by that of the connection, and of whose record a connection keeps, where there
    are several people's. The log has no foreign keys: what is gone stays nameless."""

    providers: Mapping[str, str]
    people: Mapping[str, str]

    def provider(self, provider_id: str, connection_id: str) -> str:
        """What the provider of an event is called."""
        return self.providers.get(provider_id) or self.providers.get(connection_id, "")


def _names(user_id: UUID, events: Iterable[AuditEvent], folded: Iterable[Renewals]) -> _Names:
    events, folded = list(events), list(folded)
    people = _people(user_id) if folded or any(map(_connection_id, events)) else {}
    return _Names(_providers(user_id, events, folded), people)


def _providers(user_id: UUID, events: Sequence[AuditEvent], folded: Iterable[Renewals] = ()) -> Mapping[str, str]:
    connections = set(map(_connection_id, events)) - {""}
    rows = Connection.objects.filter(user_id=user_id, pk__in=connections).values_list("pk", "provider__name")
    providers = {*map(_provider_id, events), *(one.provider_id for one in folded)} - {""}
    named = Provider.objects.filter(pk__in=providers).values_list("pk", "name")
    return {str(pk): name for pk, name in (*rows, *named)}


def _connection_id(event: AuditEvent) -> str:
    return event.subject_id if event.subject == "connection" else ""


def _people(user_id: UUID) -> Mapping[str, str]:
    """As the pages of the record tell them apart; nobody, where all are of one."""
    return {str(pk): name for pk, name in telling_apart.of_account(user_id).items()}
