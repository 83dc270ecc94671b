"""The audit log as its own person reads it: what happened, who did it, at which provider, and, if they have records of
several people, whose record it was.

A link that lives for months is renewed thousands of times, and these lines would bury everything else. So consecutive
renewals of one link are one line with a count, which can be opened to see each. And what happened several times within
a minute is one line that says how often.
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
# By anybody with a link, its owner included.
_BY_A_LINK = frozenset({EventType.SHARE_OPENED, EventType.SHARE_FILE_OPENED, EventType.SHARE_REFUSED})


@dataclass(frozen=True)
class Renewals:
    """The renewals of one connection that one line stands for. `first` and `last` are event numbers."""

    count: int
    since: datetime
    until: datetime
    connection_id: str
    provider_id: str
    first: int
    last: int


@dataclass(frozen=True)
class ActivityLine:
    """One line. `provider` is empty if it concerns none, or one that is gone; `person` is whose record the connection
    has, if there are several people's; `why` adds details, if known. `times` is how often the same happened within that
    minute, with nothing else in between."""

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
    """Newest first. `older_than` requests the next page; None on the last one."""

    lines: tuple[ActivityLine, ...]
    older_than: int | None


def page(user_id: UUID, *, before: str) -> ActivityPage:
    """ROWS events about one user, with numbers below `before`, and the renewals in between. `before` comes from the URL
    and may be anything."""
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
    """Everything that a reader sees of a line. A line of renewals, which can be opened, equals no other."""
    minute = line.at.replace(second=0, microsecond=0)
    return minute, line.what, line.why, line.who, line.where, line.number if line.renewals else None


def renewals_page(user_id: UUID, connection_id: UUID, *, first: str, before: str) -> ActivityPage:
    """The renewals of one connection of this user, with event numbers from `first` on and below `before`."""
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
    """Every event about one user, newest first, renewals included, in batches of limited size. Whose records there are
    is looked up now; everything else as it is read."""
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
    """One for each connection and each gap between these event numbers. The database counts, however many there are."""
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
        who=gettext("Holdfast, automatically"),
        provider=names.provider(renewals.provider_id, renewals.connection_id),
        person=names.people.get(renewals.connection_id, ""),
        renewals=renewals if renewals.count > 1 else None,
    )


def _who(event: AuditEvent) -> str:
    if event.event == EventType.USER_SIGN_IN_FAILED:
        return gettext("Someone: you, if you mistyped it")
    if event.event in _BY_A_LINK and event.actor_kind != ActorKind.USER:
        return gettext("Someone with the link")
    if event.actor_kind == ActorKind.STAFF or event.event == EventType.RECORD_DISCARDED:  # by a command, of theirs
        return gettext("Holdfast staff")
    return gettext("You") if event.actor_kind == ActorKind.USER else gettext("Holdfast, automatically")


def _why(event: AuditEvent) -> str:
    """Details from facts with a closed vocabulary; anything else is left out."""
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
    """Names of providers, by their own id and by the connection's, and of the person whose record a connection has, if
    there are several people's. The log has no foreign keys: what is gone stays nameless."""

    providers: Mapping[str, str]
    people: Mapping[str, str]

    def provider(self, provider_id: str, connection_id: str) -> str:
        """The name of an event's provider."""
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
    """Names that tell people apart, as on pages of the record; empty if all records are of one person."""
    return {str(pk): name for pk, name in telling_apart.of_account(user_id).items()}
