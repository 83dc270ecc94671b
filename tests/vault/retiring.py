"""For tests of renewing: data keys that were made long ago, and those whose day of retirement is over."""

from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from apps.audit.recording import Actor
from apps.vault import data_keys, renewing
from apps.vault.holders import Holder
from apps.vault.models import DataKey
from apps.vault.renewing import Chosen, Done

ACTOR = Actor.system("test")


def begin(holder: Holder | None = None) -> Done:
    """Renew every key that is there, or this holder's: as far as one run takes it."""
    make_old()
    return renewing.renew(every(holder), actor=ACTOR, at=timezone.now(), tell=lambda _step, _count: None)


def go_on(holder: Holder | None = None) -> Done:
    """Another run at once."""
    return renewing.renew(Chosen(holder), actor=ACTOR, at=timezone.now(), tell=lambda _step, _count: None)


def every(holder: Holder | None = None) -> Chosen:
    """All keys that were there before `begin`."""
    return Chosen(holder, timezone.now() - timedelta(days=20))


def end(holder: Holder | None = None) -> Done:
    """Another run, a day later."""
    let_a_day_pass()
    return go_on(holder)


def retire(holder: Holder) -> bool:
    """The first step alone: what was sealed stays as it is."""
    return renewing.retire(key_of(holder))


def let_a_day_pass() -> None:
    """Since a look found nothing more."""
    DataKey.objects.update(unused_since=F("unused_since") - renewing.KEPT_FOR - timedelta(seconds=1))


def key_of(holder: Holder) -> DataKey:
    """The one that seals."""
    return DataKey.objects.get(holder_kind=holder.kind, holder_id=holder.id, is_retired=False)


def name_of(holder: Holder) -> bytes:
    """Its short id."""
    return data_keys.short_id(key_of(holder).pk)


def make_old() -> None:
    """All that are there, as if they had been for more than a year."""
    DataKey.objects.filter(is_retired=False).update(created_at=timezone.now() - timedelta(days=400))
