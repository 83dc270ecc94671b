"""Rotate our signing keys, each overlapping the next, so that no provider meets a signature that it cannot verify.

A successor is published first, and signs once every copy of our key set has it. Then registrations move to it. The old
key stays published until what it signed has arrived and no older copy is in use; then it is retired (interface facts
4.2).

Each step finds what is due in rows, and works under their locks: repeated, interrupted, or run by two workers at once,
it happens only once. If a provider has an uploaded copy of our keys, its registration moves only when staff say that
the provider has the new key.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory import registering, signing
from apps.directory.models import ClientRegistration, SigningKey
from apps.directory.signing import Algorithm


class NotTheSuccessor(Exception):
    """The registration cannot move to this key: it is leaving or retired, or no newer than its present one."""


@dataclass(frozen=True)
class Rotation:
    """What one run did, by step; each may be empty."""

    published: tuple[SigningKey, ...]
    moved: tuple[ClientRegistration, ...]
    superseded: tuple[SigningKey, ...]
    retired: tuple[SigningKey, ...]


@dataclass(frozen=True)
class GivenUp:
    """The result of giving up a key: which registrations have its successor, and which have no key."""

    successor: SigningKey | None
    moved: tuple[ClientRegistration, ...]
    without_proof: tuple[ClientRegistration, ...]


def rotate(
    *, actor: Actor, at: datetime, algorithms: Iterable[str] = Algorithm.values, is_forced: bool = False
) -> Rotation:
    """Take every step that is due. If forced, the first step is due for each algorithm in use, unless it was just
    taken."""
    chosen = tuple(algorithms)
    return Rotation(
        published=tuple(publish_successors(actor=actor, at=at, algorithms=chosen, is_forced=is_forced)),
        moved=tuple(move_registrations(actor=actor, at=at, algorithms=chosen)),
        superseded=tuple(supersede_unused(actor=actor, at=at, algorithms=chosen)),
        retired=tuple(retire_superseded(actor=actor, at=at, algorithms=chosen)),
    )


def lasts() -> timedelta:
    """The age at which a key in use gets a successor."""
    return timedelta(days=settings.SIGNING_KEY_DAYS)


def standing() -> QuerySet[ClientRegistration]:
    """Registrations that are neither rejected nor retired."""
    return ClientRegistration.objects.exclude(status__in=registering.OVER)


def publish_successors(
    *, actor: Actor, at: datetime, algorithms: Iterable[str], is_forced: bool = False
) -> list[SigningKey]:
    """Step one: a successor, if the newest key of an algorithm in use is old."""
    made = (_publish_successor(each, actor=actor, at=at, is_forced=is_forced) for each in algorithms)
    return [key for key in made if key is not None]


def move_registrations(*, actor: Actor, at: datetime, algorithms: Iterable[str]) -> list[ClientRegistration]:
    """Step two: registrations whose provider fetches our key set sign with the newest key that may sign. So do rejected
    and retired ones, because permissions granted to them may still have to be revoked."""
    moved = []
    for algorithm in algorithms:
        target = signing.current(algorithm, at=at)
        if target is not None and target.signs_from_at <= at:
            behind = ClientRegistration.objects.filter(
                key_set_is_fetched=True, signing_key__algorithm=algorithm, signing_key__created_at__lt=target.created_at
            )
            moved += [row for row in behind if _give(row, target, actor=actor, at=at)]
    return moved


def supersede_unused(*, actor: Actor, at: datetime, algorithms: Iterable[str]) -> list[SigningKey]:
    """Step three: keys that nobody signs with any more begin to leave, unless they are used again."""
    superseded = []
    for algorithm in algorithms:
        newest = signing.current(algorithm, at=at)
        keys = SigningKey.objects.filter(algorithm=algorithm, retired_at__isnull=True).order_by("created_at")
        for key in keys.filter(superseded_at__isnull=False):
            if signing.is_in_use(key):
                signing.take_back(key, actor=actor, at=at)
        if newest is not None and newest.signs_from_at <= at:
            older = keys.filter(superseded_at__isnull=True, created_at__lt=newest.created_at)
            superseded += [key for key in older if _supersede(key, actor=actor, at=at)]
    return superseded


def retire_superseded(*, actor: Actor, at: datetime, algorithms: Iterable[str]) -> list[SigningKey]:
    """Step four: retire keys whose last signature has arrived, once no outdated copy of our key set is in use."""
    retired = []
    leaving = SigningKey.objects.filter(algorithm__in=tuple(algorithms), retired_at__isnull=True)
    for key in leaving.filter(superseded_at__lte=at - signing.LEAVES_WITHIN).order_by("superseded_at"):
        with suppress(signing.KeyInUse, signing.StillNeeded):  # taken up again meanwhile
            if signing.retire(key, actor=actor, at=at):
                retired.append(key)
    return retired


def successor(registration: ClientRegistration) -> SigningKey | None:
    """The key to upload for this registration, whose provider has a copy of ours; None if it has the newest."""
    own = registration.signing_key
    rows = signing.may_be_chosen()
    if own is not None:
        rows = rows.filter(algorithm=own.algorithm, created_at__gt=own.created_at)
    return rows.first()


def waiting_for_staff() -> list[ClientRegistration]:
    """Standing registrations that authenticate with a key, and whose provider must be given a newer one by hand."""
    rows = standing().select_related("signing_key").order_by("label", "pk")
    return [row for row in rows.filter(key_set_is_fetched=False) if waits_for_staff(row)]


def waits_for_staff(registration: ClientRegistration) -> bool:
    """Whether this registration does."""
    return registration.signs and not registration.key_set_is_fetched and successor(registration) is not None


def hand_over(registration: ClientRegistration, key: SigningKey, *, actor: Actor, at: datetime) -> None:
    """Staff made sure that the provider has this key: sign with it from now on. Raises NotTheSuccessor."""
    with transaction.atomic():
        row = ClientRegistration.objects.select_for_update().get(pk=registration.pk)
        locked = SigningKey.objects.select_for_update(no_key=True).get(pk=key.pk)
        is_early = row.key_set_is_fetched and at < locked.signs_from_at
        if is_early or locked.superseded_at is not None or not _give(row, locked, actor=actor, at=at):
            raise NotTheSuccessor
        registering.clear_trouble(row, actor=actor, at=at)
    registration.refresh_from_db()


def give_up(key: SigningKey, *, actor: Actor, at: datetime) -> GivenUp:
    """Somebody else may have the private half: retire the key now. Registrations whose provider fetches our key set
    sign with another key at once, which the provider may refuse until its copy is renewed. Those with an uploaded copy
    have no key."""
    with transaction.atomic():
        # Registrations are locked before keys, as everywhere.
        list(ClientRegistration.objects.select_for_update().filter(signing_key=key).order_by("pk"))
        signing.give_up(key, actor=actor, at=at)
        users = list(key.registrations.select_related("signing_key").order_by("label", "pk"))
        next_key = signing.current(key.algorithm, at=at)
        if next_key is None and users:
            next_key = signing.make(key.algorithm, actor=actor, at=at, signs_from_at=at)
        if next_key is not None and next_key.signs_from_at > at:
            next_key.signs_from_at = at
            next_key.save(update_fields=["signs_from_at"])
        moved = [row for row in users if row.key_set_is_fetched and _give(row, next_key, actor=actor, at=at)]
        without = [row for row in users if not row.key_set_is_fetched and _give(row, None, actor=actor, at=at)]
    stands = registering.OVER.isdisjoint
    return GivenUp(
        next_key,
        moved=tuple(row for row in moved if stands({row.status})),
        without_proof=tuple(row for row in without if stands({row.status})),
    )


def _publish_successor(algorithm: str, *, actor: Actor, at: datetime, is_forced: bool) -> SigningKey | None:
    with transaction.atomic():
        # A concurrent run waits here, and then sees the new key.
        rows = SigningKey.objects.filter(algorithm=algorithm, retired_at__isnull=True)
        keys = list(rows.select_for_update(no_key=True).order_by("pk"))
        if not any(signing.is_in_use(key) for key in keys):
            return None
        newest = rows.filter(superseded_at__isnull=True).order_by("-created_at", "pk").first()
        is_old = newest is None or newest.created_at + lasts() <= at
        is_under_way = newest is not None and at < newest.signs_from_at
        if is_under_way or not (is_old or is_forced):
            return None
        return signing.make(algorithm, actor=actor, at=at)


def _give(registration: ClientRegistration, key: SigningKey | None, *, actor: Actor, at: datetime) -> bool:
    """Give the registration this newer key, or none; returns whether it changed. If its old key was leaving, its time
    starts again, because it has signed until now."""
    with transaction.atomic():
        row = ClientRegistration.objects.select_for_update().get(pk=registration.pk)
        old = row.signing_key  # queried under the lock: a join would show the key from before the wait
        if old is not None and key is not None and not _is_newer(key, old):
            return False
        row.signing_key = key
        row.save(update_fields=["signing_key"])
        if old is not None and old.superseded_at is not None and old.retired_at is None:
            SigningKey.objects.filter(pk=old.pk).update(superseded_at=None)
        action = "left without a key" if key is None else "given another key"
        recording.record(
            EventType.REGISTRATION_CHANGED,
            actor=actor,
            at=at,
            subject="client registration",
            subject_id=str(row.pk),
            facts={Fact.ACTION: action, Fact.CHANGED: "signing_key"},
        )
    registration.refresh_from_db()
    return True


def _is_newer(key: SigningKey, old: SigningKey) -> bool:
    return key.algorithm == old.algorithm and (key.created_at > old.created_at or old.retired_at is not None)


def _supersede(key: SigningKey, *, actor: Actor, at: datetime) -> bool:
    try:
        return signing.supersede(key, actor=actor, at=at)
    except signing.KeyInUse:
        return False
