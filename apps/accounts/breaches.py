"""Tell people that somebody may have seen their record who should not have, as the privacy notice promises: by e-mail
(`breach_mail`), and on Home until they have read it. What they read is in the operator's own words."""

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import islice
from typing import Final
from uuid import UUID

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from apps.accounts.models import Breach, BreachNotice, User
from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact

_AT_ONCE: Final = 500


def everybody() -> QuerySet[User]:
    """Whoever may have a record here, also if they may no longer sign in: all whose address was verified."""
    return User.objects.filter(pk__in=EmailAddress.objects.filter(verified=True).values("user"))


def told_of(breach: Breach) -> QuerySet[User]:
    """Everybody who was told of this one, for more that became known, or for a correction."""
    return User.objects.filter(pk__in=breach.notices.values("user"))


def untold(people: QuerySet[User], *, english: str, spanish: str) -> QuerySet[User]:
    """Those of these people who were not told the same words before."""
    told = BreachNotice.objects.filter(user=OuterRef("pk"), breach__english=english, breach__spanish=spanish)
    return people.filter(~Exists(told))


def announce(people: QuerySet[User], *, english: str, spanish: str, at: datetime, actor: Actor) -> Breach:
    """Tell those of these people who are `untold`. Their mail is sent on schedule.

    Some people at a time, because nobody whose row is locked can sign in: all in one transaction, that was 27 seconds
    for 100,000 people. If it breaks off, announcing the same again goes on with the others.
    """
    whom = untold(people, english=english, spanish=spanish)
    with transaction.atomic():
        breach = Breach.objects.create(english=english, spanish=spanish, announced_at=at)
        recording.record(
            EventType.BREACH_ANNOUNCED,
            actor=actor,
            at=at,
            subject="breach",
            subject_id=str(breach.pk),
            facts={Fact.COUNT: whom.count()},
        )
    ids = whom.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=_AT_ONCE)
    while batch := list(islice(ids, _AT_ONCE)):
        _announce_to(batch, breach)
    return breach


def _announce_to(user_ids: Sequence[UUID], breach: Breach) -> None:
    """Whoever closes their account meanwhile is left out."""
    with transaction.atomic():
        found = _locked(user_ids)
        due_at = breach.announced_at
        BreachNotice.objects.bulk_create(BreachNotice(breach=breach, user_id=pk, mail_due_at=due_at) for pk in found)
        User.objects.filter(pk__in=found).update(has_breach_to_read=True)


def withdraw(breach: Breach, *, at: datetime, actor: Actor) -> int:
    """Tell nobody else of it: it was announced by mistake. Returns how many know of it, or may know: of those whom no
    mail was tried for and who have not read it, nothing stays."""
    breach.notices.update(mail_due_at=None)
    unknown = breach.notices.filter(tries=0, read_at=None)
    ids = unknown.order_by("user").values_list("user", flat=True).iterator(chunk_size=_AT_ONCE)
    while batch := list(islice(ids, _AT_ONCE)):
        with transaction.atomic():
            people = _locked(batch)
            unknown.filter(user__in=people).delete()
            _set_whether_to_read(people)
    count = breach.notices.count()
    recording.record(
        EventType.BREACH_WITHDRAWN,
        actor=actor,
        at=at,
        subject="breach",
        subject_id=str(breach.pk),
        facts={Fact.COUNT: count},
    )
    return count


def unread(user: User) -> Sequence[BreachNotice]:
    """What this person was told and has not read, oldest first. One query, if there is any."""
    if not user.has_breach_to_read:
        return ()
    return tuple(_told(user).filter(read_at__isnull=True))


def read(user: User) -> Sequence[BreachNotice]:
    """What this person was told and has read, oldest first: they may need it again. One query."""
    return tuple(_told(user).filter(read_at__isnull=False))


def _told(user: User) -> QuerySet[BreachNotice]:
    return BreachNotice.objects.filter(user=user).select_related("breach").order_by("breach__announced_at", "pk")


def mark_read(user: User, notice_id: UUID, *, at: datetime) -> None:
    """Home shows it no more. The time of the first reading stays."""
    with transaction.atomic():
        people = _locked([user.pk])  # one notice is read, or announced, at a time
        BreachNotice.objects.filter(user__in=people, pk=notice_id, read_at=None).update(read_at=at)
        _set_whether_to_read(people)


def _locked(user_ids: Collection[UUID]) -> list[UUID]:
    """Those of these people who still have an account, locked."""
    rows = User.objects.select_for_update(no_key=True).filter(pk__in=user_ids).order_by("pk")
    return list(rows.values_list("pk", flat=True))


def _set_whether_to_read(user_ids: Collection[UUID]) -> None:
    unread = BreachNotice.objects.filter(user=OuterRef("pk"), read_at=None)
    User.objects.filter(pk__in=user_ids).update(has_breach_to_read=Exists(unread))
