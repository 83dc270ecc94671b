"""Rotating the wrapping keys: everything can still be opened, whatever happens meanwhile."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.db import connection as database
from django.db import transaction

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.vault import rewrapping, sealing, shredding
from apps.vault.errors import CannotOpen, KeyMissing, Shredded, WeakKey
from apps.vault.holders import Holder
from apps.vault.models import DataKey
from apps.vault.rewrapping import KeyUse, Rewrapped
from tests.vault.keys import entry, opened_for, people, sealed_for

pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 20, 9, 40, tzinfo=UTC)
ACTOR = Actor.system("test")
OLD, NEW = entry("old"), entry("new")


def rewrap(tell=lambda _done: None) -> Rewrapped:
    return rewrapping.rewrap(actor=ACTOR, at=AT, tell=tell)


def wrapped_by(key_id: str) -> int:
    return DataKey.objects.filter(wrapping_key_id=key_id).count()


def owner(row: DataKey) -> Holder:
    return Holder.user(row.holder_id) if row.holder_id else Holder.installation()


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(rewrapping, "BATCH", 3)


@pytest.fixture
def held(settings):
    """Ten people and the installation, under the old key; the new one is in front of it since."""
    settings.VAULT_KEYS = [OLD]
    holders = [*people(10), Holder.installation()]
    sealed = {holder: sealed_for(holder) for holder in holders}
    settings.VAULT_KEYS = [NEW, OLD]
    return sealed


class TestRewrapping:
    @pytest.mark.conformance("C70")
    def test_lets_the_old_key_go_and_everything_still_opens(self, held, settings, small_batches):
        assert rewrap() == Rewrapped(done=11, unopened=0)
        settings.VAULT_KEYS = [NEW]
        assert [opened_for(holder, sealed) for holder, sealed in held.items()] == [b"x"] * 11
        assert rewrapping.missing() == []

    def test_does_not_touch_what_is_sealed_or_digested(self, held):
        holder = next(iter(held))
        digest = sealing.keyed_digest(b"x", holder=holder)
        rewrap()
        assert sealing.keyed_digest(b"x", holder=holder) == digest

    def test_leaves_nothing_of_the_old_wrapping(self, held):
        before = {bytes(row.wrapped or b"") for row in DataKey.objects.all()}
        rewrap()
        assert before & {bytes(row.wrapped or b"") for row in DataKey.objects.all()} == set()

    def test_says_how_far_it_is(self, held, small_batches):
        told: list[int] = []
        rewrap(told.append)
        assert told == sorted(told)
        assert {3, 6, 9, 11} <= set(told)

    def test_goes_on_where_it_was_killed_and_repeats_nothing(self, held, small_batches):
        def die(done: int) -> None:
            if done == 6:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            rewrap(die)
        first = {row.pk: bytes(row.wrapped or b"") for row in DataKey.objects.filter(wrapping_key_id="new")}
        assert (len(first), wrapped_by("old")) == (6, 5)
        assert rewrap() == Rewrapped(done=5, unopened=0)
        assert {row.pk: bytes(row.wrapped or b"") for row in DataKey.objects.filter(pk__in=first)} == first

    def test_takes_along_keys_that_an_earlier_process_makes_meanwhile(self, held, settings, small_batches):
        late: list[Holder] = []

        def an_old_process_makes_one(done: int) -> None:
            if done == 11 and not late:
                settings.VAULT_KEYS = [OLD]
                late.extend(people(1))
                settings.VAULT_KEYS = [NEW, OLD]

        assert rewrap(an_old_process_makes_one).done == 12
        assert (wrapped_by("old"), wrapped_by("new")) == (0, 12)

    def test_does_not_bring_back_a_key_that_was_shredded_meanwhile(self, held, small_batches):
        victim = max(DataKey.objects.filter(holder_kind="user"), key=lambda row: row.pk)
        holder = owner(victim)

        def shred_it(done: int) -> None:
            if done == 3:
                shredding.shred(holder)

        rewrap(shred_it)
        with pytest.raises(Shredded):
            opened_for(holder, held[holder])
        victim.refresh_from_db()
        assert (victim.wrapped, victim.wrapping_key_id) == (None, "")

    def test_leaves_alone_what_does_not_open(self, held):
        row = DataKey.objects.filter(holder_kind="user")[0]
        DataKey.objects.filter(pk=row.pk).update(wrapped=bytes(60))
        assert rewrap() == Rewrapped(done=10, unopened=1)
        row.refresh_from_db()
        assert (bytes(row.wrapped or b""), row.wrapping_key_id) == (bytes(60), "old")
        with pytest.raises(CannotOpen):
            sealed_for(owner(row))

    def test_leaves_alone_what_a_lost_key_wraps(self, held, settings):
        settings.VAULT_KEYS = [NEW, entry("third")]
        assert rewrap() == Rewrapped(done=0, unopened=0)
        assert wrapped_by("old") == 11

    def test_refuses_keys_that_cannot_be_used(self, held, settings):
        settings.VAULT_KEYS = ["nonsense"]
        with pytest.raises(WeakKey):
            rewrap()

    def test_is_written_down_without_a_key(self, held):
        rewrap()
        told = AuditEvent.objects.order_by("pk")
        assert [(event.event, event.subject_id, event.facts) for event in told] == [
            ("keys.rewrapped", "new", {"action": "begun", "count": 11}),
            ("keys.rewrapped", "new", {"action": "ended", "count": 11}),
        ]
        rewrap()
        assert AuditEvent.objects.count() == 2


class TestKeyUse:
    def test_says_who_needs_which_key(self, held, settings):
        settings.VAULT_KEYS = [NEW, entry("idle")]
        people(2)
        assert rewrapping.uses() == [
            KeyUse("new", 2, is_given=True, is_first=True),
            KeyUse("idle", 0, is_given=True, is_first=False),
            KeyUse("old", 11, is_given=False, is_first=False),
        ]
        assert rewrapping.missing() == [KeyUse("old", 11, is_given=False, is_first=False)]
        with pytest.raises(KeyMissing):
            sealed_for(Holder.installation())

    def test_does_not_count_what_was_shredded(self, held, settings):
        for holder in held:
            if holder.id:
                shredding.shred(holder)
        shredding.shred(Holder.user(uuid4()))
        settings.VAULT_KEYS = [NEW]
        assert rewrapping.missing() == [KeyUse("old", 1, is_given=False, is_first=False)]


@pytest.mark.django_db(transaction=True)
class TestRewrappingWhileOthersWork:
    @staticmethod
    def _elsewhere(work):
        """On a database connection of its own, as in another process."""
        try:
            return work()
        finally:
            database.close()

    def test_twice_at_once_shares_the_work(self, held, settings, small_batches):
        with ThreadPoolExecutor(2) as threads:
            runs = [threads.submit(self._elsewhere, rewrap) for _ in range(2)]
            done = sum(run.result().done for run in runs)
        assert done == 11
        settings.VAULT_KEYS = [NEW]
        assert [opened_for(holder, sealed) for holder, sealed in held.items()] == [b"x"] * 11

    def test_waits_for_nobody_and_keeps_no_reader_waiting(self, held, small_batches):
        row = DataKey.objects.order_by("pk")[4]
        holds, may_end = threading.Event(), threading.Event()

        def hold_one():
            with transaction.atomic():
                DataKey.objects.select_for_update().get(pk=row.pk)
                holds.set()
                may_end.wait(10)

        with ThreadPoolExecutor(1) as threads:
            other = threads.submit(self._elsewhere, hold_one)
            holds.wait(10)
            assert rewrap().done == 10
            holder = owner(row)
            assert opened_for(holder, held[holder]) == b"x"
            may_end.set()
            other.result()
        assert rewrap().done == 1

    def test_holds_only_the_rows_of_one_batch(self, held, small_batches):
        """Others are shredded meanwhile without waiting: asked with a limit on how long to wait for a lock."""
        last = max(DataKey.objects.filter(holder_kind="user"), key=lambda row: row.pk)
        with transaction.atomic():
            rewrapping._take_batch("old", rewrapping._FIRST_ID)

            def shred_last():
                with database.cursor() as cursor:
                    cursor.execute("SET lock_timeout = '2s'")
                shredding.shred(owner(last))

            with ThreadPoolExecutor(1) as threads:
                threads.submit(self._elsewhere, shred_last).result()
