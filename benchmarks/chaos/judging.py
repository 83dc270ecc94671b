"""What came of it: each link as we hold it, compared with what its provider knows."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Q

from apps.audit.models import AuditEvent
from apps.audit.recording import EventType
from apps.connections.models import Connection, StoredTokenSet
from apps.vault import sealing
from apps.vault.sealing import Holder, Place
from apps.wire.secret import Secret
from benchmarks.sandbox_links import Link, Server

_FLOOR_SECONDS = 59  # of a minute, counted where the calls arrive: some are longer on their way than others
WRONGS = ("unavoidable", "lost", "unexplained", "given_up", "believed", "stuck", "too_soon", "left", "twice")


@dataclass(frozen=True)
class Kind:
    """Links at one kind of server. `rotates`: each refresh token serves once; `repeats`: or for two minutes more."""

    name: str
    server: Server
    links: Sequence[Link]
    rotates: bool
    repeats: bool

    @property
    def is_strict(self) -> bool:
        """Whether an answer that never arrived ends the link."""
        return self.rotates and not self.repeats


@dataclass(frozen=True)
class _Seen:
    """One link, from both sides."""

    kind: Kind
    connection_id: UUID
    status: str
    stored: StoredTokenSet
    fingerprint: str
    grant: Mapping[str, Any]

    def __str__(self) -> str:
        """Without a secret: for whoever has to find out why."""
        grant = self.grant
        counts = ", ".join(f"{name} {grant[name]}" for name in ("calls", "answered", "lost", "refused", "most_at_once"))
        after = grant["shortest_after_answer_seconds"]
        times = " ".join(time[11:23] for time in grant["times"])
        return (
            f"{self.kind.name} {grant['grant']} ({self.connection_id}): {self.status}, {self.written} written; there "
            f"{counts}, shortest {grant['shortest_seconds']}, after an answer {after}; called at {times}"
        )

    @property
    def is_active(self) -> bool:
        """Whether we believe that it holds."""
        return self.status == Connection.Status.ACTIVE

    @property
    def written(self) -> int:
        """How many refreshes we wrote down."""
        return self.stored.generation - 1

    @property
    def is_lost(self) -> bool:
        """What we hold opens nothing."""
        return self.fingerprint not in self.grant["live"]

    @property
    def unheard(self) -> int:
        """How many answers with tokens the provider gave that we never wrote down."""
        answered: int = self.grant["answered"]
        return answered - self.written


def verdict(kinds: Sequence[Kind], *, rounds: int, in_doubt: Collection[UUID]) -> tuple[dict[str, int], list[str]]:
    """How many links are wrong in each way, and a line about each of them. Every number but `unavoidable` has to be
    nought. `in_doubt`: connections that somebody was asking for when they were killed, or when the database went.

    `lost`: at servers that do not rotate, or let the last token be repeated. `unavoidable`: at those that let nothing
    be repeated, where an answer never arrived. `unexplained`: where the two sides' lists of those differ, or where
    nothing broke that could explain it. `given_up`: ended here while the provider would still answer. `believed`: lost,
    and nobody was told. `stuck`: with a lease or an attempt that never ended. `too_soon`: called within the floor.
    `left`: not refreshed as often as there were rounds. `twice`: a generation written twice, or a token held by two.
    """
    seen = [one for kind in kinds for one in _seen(kind)]
    found = dict.fromkeys(WRONGS, 0)
    lines = []
    for one in seen:
        wrongs = list(_wrongs(one, rounds=rounds, in_doubt=in_doubt))
        for wrong in wrongs:
            found[wrong] += 1
        if wrongs:
            lines.append(f"{', '.join(wrongs)}: {one}")
    found["twice"] = _written_twice(seen)
    return {"links": len(seen), "refreshes": sum(one.written for one in seen), **found}, lines


def _wrongs(one: "_Seen", *, rounds: int, in_doubt: Collection[UUID]) -> Iterator[str]:
    if one.is_lost:
        yield "unavoidable" if one.kind.is_strict else "lost"
    if one.is_lost == one.is_active:
        yield "believed" if one.is_lost else "given_up"
    if one.kind.is_strict and one.is_lost != (one.unheard > 0):
        yield "unexplained"
    if one.kind.is_strict and one.is_lost and not (one.grant["lost"] or one.connection_id in in_doubt):
        yield "unexplained"
    if one.stored.attempt_id is not None or one.stored.lease_until is not None:
        yield "stuck"
    if _is_too_soon(one, in_doubt):
        yield "too_soon"
    if one.written < rounds and not one.is_lost:
        yield "left"


def left(kinds: Sequence[Kind], rounds: int) -> int:
    """How many links have yet to be refreshed so often, or wait for an answer. One that ended is not waited for."""
    ids = [link.connection_id for kind in kinds for link in kind.links]
    behind = Q(generation__lte=rounds) | Q(attempt_id__isnull=False) | Q(attempt_started_at__isnull=False)
    active = StoredTokenSet.objects.filter(connection__in=ids, connection__status=Connection.Status.ACTIVE)
    return active.filter(behind).count()


def in_hand() -> set[UUID]:
    """The connections that somebody has claimed."""
    return set(StoredTokenSet.objects.filter(attempt_id__isnull=False).values_list("pk", flat=True))


def _seen(kind: Kind) -> list[_Seen]:
    grants = kind.server.grants()
    stored = StoredTokenSet.objects.select_related("connection").in_bulk([link.connection_id for link in kind.links])
    return [
        _Seen(
            kind=kind,
            connection_id=link.connection_id,
            status=stored[link.connection_id].connection.status,
            stored=stored[link.connection_id],
            fingerprint=_fingerprint(stored[link.connection_id]),
            grant=grants[link.grant],
        )
        for link in kind.links
    ]


def _fingerprint(stored: StoredTokenSet) -> str:
    assert stored.sealed_refresh_token is not None
    place = Place("stored_token_set", "sealed_refresh_token", (str(stored.pk),))
    holder = Holder.user(stored.connection.user_id)
    opened = sealing.open_sealed(bytes(stored.sealed_refresh_token), holder=holder, place=place)
    return Secret(opened.decode()).fingerprint()


def _written_twice(seen: Sequence[_Seen]) -> int:
    """Generations with more than one event, links with more or fewer than they have generations, and tokens held by
    more than one link."""
    events = AuditEvent.objects.filter(event=EventType.TOKENS_REFRESHED)
    a_generation = events.values("subject_id", "facts__generation").annotate(number=Count("pk"))
    again: int = a_generation.filter(number__gt=1).count()
    written = {row["subject_id"]: row["number"] for row in events.values("subject_id").annotate(number=Count("pk"))}
    uneven: int = sum(written.get(str(one.connection_id), 0) != one.written for one in seen)
    return again + uneven + len(seen) - len({one.fingerprint for one in seen})


def _is_too_soon(one: _Seen, in_doubt: Collection[UUID]) -> bool:
    """A server that rotates may be asked again at once where an answer got lost, of which the tally knows only those
    that the sandbox lost itself."""
    if one.kind.rotates:
        seconds = one.grant["shortest_after_answer_seconds"]
        return seconds is not None and seconds < _FLOOR_SECONDS and one.connection_id not in in_doubt
    return one.grant["shortest_seconds"] is not None and one.grant["shortest_seconds"] < _FLOOR_SECONDS
