"""The three steps of renewing a data key, and whoever works at the same time."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection as database
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.vault import renewing, rewrapping, sealing, shredding
from apps.vault.errors import Shredded
from apps.vault.holders import Holder
from apps.vault.models import DataKey
from apps.vault.renewing import Chosen, Done
from tests.vault import retiring
from tests.vault.keys import PLACE, entry, opened_for, people, sealed_for

pytestmark = pytest.mark.django_db


def kinds():
    """Of each key whether it is retired, and whether a look found that it is needed no more."""
    return sorted((key.is_retired, key.unused_since is not None) for key in DataKey.objects.all())


class TestARenewal:
    def test_gives_everybody_another_key_and_destroys_the_old_ones_a_day_later(self):
        holders = [*people(3), Holder.installation()]
        sealed_for(Holder.installation())
        before = {bytes(key.wrapped or b"") for key in DataKey.objects.all()}
        assert retiring.begin() == Done(destroyed=0, retired=4, emptied=4)
        assert kinds() == [(False, False)] * 4 + [(True, True)] * 4
        assert renewing.renew(Chosen(), actor=retiring.ACTOR, at=timezone.now(), tell=print) == Done(0, 0, 0)
        assert retiring.end() == Done(destroyed=4, retired=0, emptied=0)
        assert kinds() == [(False, False)] * 4
        assert not before & {bytes(key.wrapped or b"") for key in DataKey.objects.all()}
        assert all(opened_for(holder, sealed_for(holder)) == b"x" for holder in holders)

    def test_is_of_one_holder_where_it_is_asked_for(self):
        one, other = people(2)
        was = retiring.name_of(other)
        assert retiring.begin(one).retired == 1
        assert retiring.end(other).destroyed == 0
        assert retiring.end(one).destroyed == 1
        assert retiring.name_of(other) == was

    def test_leaves_keys_alone_that_were_made_later(self):
        people(2)
        chosen = Chosen(made_before=timezone.now() - timedelta(days=1))
        assert renewing.renew(chosen, actor=retiring.ACTOR, at=timezone.now(), tell=print) == Done(0, 0, 0)

    def test_repeats_nothing(self):
        people(2)
        retiring.begin()
        first = set(DataKey.objects.values_list("pk", flat=True))
        DataKey.objects.filter(is_retired=False).update(created_at=timezone.now())  # made just now, in a transaction
        chosen = retiring.every()
        assert renewing.renew(chosen, actor=retiring.ACTOR, at=timezone.now(), tell=print) == Done(0, 0, 0)
        assert set(DataKey.objects.values_list("pk", flat=True)) == first

    def test_makes_no_key_for_whom_none_can_be_made(self, settings):
        people(1)
        settings.VAULT_KEYS = [entry("another")]
        (found,) = people(1)
        DataKey.objects.filter(holder_id=found.id).update(wrapped=bytes(60))
        gone = Holder.user(uuid4())
        shredding.shred(gone)
        assert retiring.begin() == Done(0, 0, 0)
        assert (DataKey.objects.count(), retiring.every().to_retire().count()) == (3, 2)

    def test_destroys_no_key_before_its_own_day_is_over(self):
        """Another run may have put it off since this one chose what to destroy."""
        early, due = people(2)
        retiring.begin()
        retired = {key.holder_id: key for key in DataKey.objects.filter(is_retired=True)}
        retiring.let_a_day_pass()
        DataKey.objects.filter(pk=retired[early.id].pk).update(unused_since=timezone.now())
        assert [renewing.destroy(retired[holder.id]) for holder in (early, due)] == [False, True]
        assert set(DataKey.objects.filter(is_retired=True)) == {retired[early.id]}

    def test_is_written_down_with_counts_alone(self):
        (one, _other) = people(2)
        retiring.begin()
        retiring.end(one)
        told = [
            (event.event, event.subject, event.subject_id, event.facts) for event in AuditEvent.objects.order_by("pk")
        ]
        assert told == [
            ("keys.renewed", "data keys", "", {"action": "begun", "count": 2}),
            ("keys.renewed", "data keys", "", {"action": "emptied", "count": 2}),
            ("keys.renewed", "data key of the user", str(one.id), {"action": "destroyed", "count": 1}),
        ]

    def test_has_retired_keys_wrapped_anew_as_well(self, settings):
        (holder,) = people(1)
        before, given_before = sealed_for(holder), settings.VAULT_KEYS
        retiring.retire(holder)
        settings.VAULT_KEYS = [entry("new"), *given_before]
        assert rewrapping.rewrap(actor=retiring.ACTOR, at=timezone.now(), tell=print).done == 2
        settings.VAULT_KEYS = settings.VAULT_KEYS[:1]
        assert opened_for(holder, before) == b"x"


def is_waiting(work: Future[Any]) -> bool:
    return not wait({work}, timeout=0.3).done


@contextmanager
def elsewhere():
    """Work on a database connection of its own, as in another process: `run(work)` begins it."""
    with ThreadPoolExecutor(4) as threads:

        def begin(work) -> Future[Any]:
            def done():
                try:
                    return work()
                finally:
                    database.close()

            return threads.submit(done)

        yield begin


@pytest.mark.django_db(transaction=True)
class TestBesideOthers:
    @pytest.mark.parametrize("opens_first", [False, True])
    def test_waits_for_whoever_seals_and_passes_by_where_that_takes_long(self, monkeypatch, opens_first):
        monkeypatch.setattr(renewing, "_PATIENCE", "SET LOCAL lock_timeout = '100ms'")
        (holder,) = people(1)
        before = sealed_for(holder)
        old, has_sealed, may_end = retiring.name_of(holder), threading.Event(), threading.Event()

        def seal_and_wait():
            with transaction.atomic(), sealing.key_ring(holder) as ring:
                if opens_first:
                    ring.open(before, place=PLACE)
                sealed = ring.seal(b"x", place=PLACE)
                has_sealed.set()
                may_end.wait(10)
                return sealed

        with elsewhere() as begin:
            other = begin(seal_and_wait)
            has_sealed.wait(10)
            assert not retiring.retire(holder)
            assert opened_for(holder, sealed_for(holder)) == b"x"  # nobody else waits meanwhile
            waiting = begin(lambda: [retiring.retire(holder) for _ in range(50)])
            may_end.set()
            assert sealing.key_named_by(other.result()) == old
            assert waiting.result().count(True) == 1
        assert sealing.key_named_by(sealed_for(holder)) != old

    def test_has_whoever_comes_while_a_key_is_retired_seal_by_the_new_one(self):
        (holder,) = people(1)
        before = sealed_for(holder)

        def seal():
            with transaction.atomic(), sealing.key_ring(holder) as ring:
                digests = ring.keyed_digests(b"x")
                return ring.seal(b"late", place=PLACE), digests, ring.open(before, place=PLACE)

        with elsewhere() as begin:
            with transaction.atomic():
                assert retiring.retire(holder)
                late = begin(seal)
                assert is_waiting(late)
            sealed, digests, opened = late.result()
        assert sealing.key_named_by(sealed) == retiring.name_of(holder)
        assert (len(digests), opened) == (2, b"x")

    def test_loses_against_shredding_that_comes_first(self):
        (holder,) = people(1)
        with elsewhere() as begin:
            with transaction.atomic():
                shredding.shred(holder)
                key = DataKey(pk=DataKey.objects.get().pk, holder_kind=holder.kind, holder_id=holder.id)
                late = begin(lambda: renewing.retire(key))
                assert is_waiting(late)
            assert late.result() is False
        assert [(key.wrapped, key.is_retired) for key in DataKey.objects.all()] == [(None, False)]

    def test_loses_against_shredding_that_comes_while_it_retires(self):
        (holder,) = people(1)
        sealed = sealed_for(holder)
        with elsewhere() as begin:
            with transaction.atomic():
                assert retiring.retire(holder)
                late = begin(lambda: shredding.shred(holder))
                assert is_waiting(late)
            late.result()
        assert [(key.wrapped, key.is_retired) for key in DataKey.objects.all()] == [(None, False)]
        with pytest.raises(Shredded):
            opened_for(holder, sealed)

    def test_loses_against_shredding_that_is_half_way(self, monkeypatch):
        (holder,) = people(1)
        insert, may_end = QuerySet.bulk_create, threading.Event()

        def retire():
            with transaction.atomic():
                is_retired = retiring.retire(holder)
                may_end.wait(0.5)
                return is_retired

        with elsewhere() as begin:

            def and_somebody_retires(rows, *given, **named):
                inserted = insert(rows, *given, **named)
                late.append(begin(retire))
                is_waiting(late[0])
                return inserted

            late: list[Future[Any]] = []
            monkeypatch.setattr(QuerySet, "bulk_create", and_somebody_retires)
            shredding.shred(holder)
            may_end.set()
            assert late[0].result() is False
        assert [(key.wrapped, key.is_retired) for key in DataKey.objects.all()] == [(None, False)]

    def test_keeps_nobody_waiting_who_shreds_while_others_seal(self):
        (holder,) = people(1)
        retiring.retire(holder)
        with elsewhere() as begin, transaction.atomic():
            sealed_for(holder)
            begin(lambda: shredding.shred(holder)).result(timeout=5)
            transaction.set_rollback(True)

    def test_keeps_nobody_waiting_who_shreds_while_somebody_seals_who_came_as_it_was_retired(self):
        (holder,) = people(1)
        before, has_sealed, may_end = sealed_for(holder), threading.Event(), threading.Event()

        def seal_and_wait():
            with transaction.atomic():
                sealed_for(holder)
                has_sealed.set()
                may_end.wait(20)

        with elsewhere() as begin:
            with transaction.atomic():
                assert retiring.retire(holder)
                late = begin(seal_and_wait)
                assert is_waiting(late)
            has_sealed.wait(10)
            try:
                begin(lambda: shredding.shred(holder)).result(timeout=5)
            finally:
                may_end.set()
        left = DataKey.objects.order_by("is_retired").values_list("wrapped", "is_retired")
        assert [(bytes(wrapped or b""), is_retired) for wrapped, is_retired in left] == [(b"", False), (b"", True)]
        with pytest.raises(Shredded):
            opened_for(holder, before)
        assert (retiring.go_on(holder), retiring.end(holder)) == (Done(0, 0, 1), Done(1, 0, 0))
        assert [key.is_retired for key in DataKey.objects.all()] == [False]

    def test_twice_at_once_renews_each_once(self):
        people(12)
        retiring.make_old()
        with elsewhere() as begin:
            runs = [begin(lambda: self.run()) for _ in range(2)]
            done = [run.result() for run in runs]
        assert (sum(one.retired for one in done), sum(one.emptied for one in done)) == (12, 12)
        assert kinds() == [(False, False)] * 12 + [(True, True)] * 12
        retiring.let_a_day_pass()
        with elsewhere() as begin:
            ended = [begin(lambda: self.run()) for _ in range(2)]
            assert sum(run.result().destroyed for run in ended) == 12
        assert kinds() == [(False, False)] * 12

    @staticmethod
    def run() -> Done:
        return renewing.renew(retiring.every(), actor=retiring.ACTOR, at=timezone.now(), tell=lambda _s, _c: None)
