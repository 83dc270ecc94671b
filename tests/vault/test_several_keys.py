"""While a holder's key is renewed there are two: both open, one seals, and processes that read the old one notice
nothing."""

from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.vault import data_keys, renewing, sealing, shredding
from apps.vault.errors import CannotOpen, KeyMissing, Shredded
from apps.vault.holders import Holder, Place
from apps.vault.models import DataKey
from apps.vault.sealing import KeyRing
from tests.vault import retiring
from tests.vault.keys import entry, opened_for, people, sealed_for

pytestmark = pytest.mark.django_db

PLACE = Place("t", "f")


@pytest.fixture
def holder():
    (holder,) = people(1)
    return holder


class TestARetiredKey:
    def test_opens_what_it_sealed_and_seals_nothing_more(self, holder):
        before, old = sealed_for(holder, b"before"), retiring.name_of(holder)
        assert retiring.retire(holder)
        after = sealed_for(holder, b"after")
        assert (opened_for(holder, before), opened_for(holder, after)) == (b"before", b"after")
        assert (sealing.key_named_by(before), sealing.key_named_by(after)) == (old, retiring.name_of(holder))
        assert old != retiring.name_of(holder)

    def test_costs_no_query_more(self, holder, django_assert_num_queries):
        before = sealed_for(holder)
        retiring.retire(holder)
        after = sealed_for(holder)
        for values in ((before, after), (after, before)):
            with django_assert_num_queries(1), sealing.key_ring(holder) as ring:
                assert [ring.open(value, place=PLACE) for value in values] == [b"x", b"x"]
        with django_assert_num_queries(1), sealing.key_ring(holder) as ring:
            ring.seal(b"x", place=PLACE)
            assert ring.open(before, place=PLACE) == b"x"
            assert len(ring.keyed_digests(b"x")) == 2

    def test_of_one_is_nothing_to_another(self, holder):
        (stranger,) = people(1)
        theirs, mine = sealed_for(stranger), sealed_for(holder)
        retiring.retire(holder)
        assert opened_for(stranger, theirs) == b"x"
        for whose, value in ((stranger, mine), (holder, theirs)):
            with pytest.raises(CannotOpen):
                opened_for(whose, value)

    def test_needs_its_own_wrapping_key_and_the_other_does_not(self, holder, settings):
        before, given_before = sealed_for(holder), settings.VAULT_KEYS
        settings.VAULT_KEYS = [entry("new"), *given_before]
        retiring.retire(holder)
        after = sealed_for(holder)
        settings.VAULT_KEYS = settings.VAULT_KEYS[:1]
        assert opened_for(holder, after) == b"x"
        with pytest.raises(KeyMissing):
            opened_for(holder, before)

    def test_leaves_room_for_no_third(self, holder):
        assert retiring.retire(holder)
        assert not retiring.retire(holder)
        for is_retired in (True, False):
            with pytest.raises(IntegrityError), transaction.atomic():
                DataKey.objects.create(
                    holder_kind="user", holder_id=holder.id, wrapped=b"x", wrapping_key_id="k", is_retired=is_retired
                )

    @pytest.mark.parametrize(
        "columns",
        [
            {"is_retired": True, "wrapped": None, "shredded_at": "2026-01-01T00:00Z"},
            {"is_retired": False, "wrapped": b"x", "unused_since": "2026-01-01T00:00Z"},
        ],
    )
    def test_is_refused_by_the_database_when_its_columns_disagree(self, columns):
        with pytest.raises(IntegrityError), transaction.atomic():
            DataKey.objects.create(holder_kind="user", holder_id=uuid4(), wrapping_key_id="k", **columns)

    def test_is_shredded_with_the_other_and_leaves_one_tombstone(self, holder):
        before = sealed_for(holder)
        retiring.retire(holder)
        after = sealed_for(holder)
        shredding.shred(holder)
        for value in (before, after):
            with pytest.raises(Shredded):
                opened_for(holder, value)
        assert [key.wrapped for key in DataKey.objects.filter(holder_id=holder.id)] == [None]
        assert not retiring.retire(holder)

    def test_has_another_short_id_than_the_one_that_follows_it(self, holder, monkeypatch):
        first = retiring.key_of(holder).pk
        alike = UUID(bytes=first.bytes[:4] + uuid4().bytes[4:])
        drawn, made = iter([alike, alike, uuid4()]), data_keys.new_row

        def new_row(of: Holder) -> DataKey:
            row = made(of)
            row.pk = next(drawn)
            return row

        monkeypatch.setattr(data_keys, "new_row", new_row)
        renewing.retire(retiring.key_of(holder))
        assert next(drawn, None) is None
        assert retiring.key_of(holder).pk not in {first, alike}


class TestARingFromBefore:
    def test_opens_what_was_sealed_since_by_one_look_more(self, holder, django_assert_num_queries):
        before = sealed_for(holder)
        cabinet = sealing.Cabinet([holder])
        with sealing.key_rings(holder, cabinet=cabinet) as (ring,):
            assert ring.open(before, place=PLACE) == b"x"
            retiring.retire(holder)
            after = sealed_for(holder)
            with django_assert_num_queries(1):
                assert [ring.open(after, place=PLACE) for _ in range(3)] == [b"x"] * 3
                assert ring.open(before, place=PLACE) == b"x"
        with sealing.key_rings(holder, cabinet=cabinet) as (late,), django_assert_num_queries(1):
            assert late.open(after, place=PLACE) == b"x"

    def test_looks_once_for_a_key_that_nobody_has(self, holder, django_assert_num_queries):
        (stranger,) = people(1)
        strange = sealed_for(stranger)
        with sealing.key_ring(holder) as ring:
            ring.seal(b"x", place=PLACE)
            with django_assert_num_queries(1):
                for _ in range(3):
                    with pytest.raises(CannotOpen):
                        ring.open(strange, place=PLACE)

    def test_notices_that_its_holder_is_gone(self, holder):
        with sealing.key_ring(holder) as ring:
            ring.seal(b"x", place=PLACE)
            retiring.retire(holder)
            after = sealed_for(holder)
            shredding.shred(holder)
            with pytest.raises(Shredded):
                ring.open(after, place=PLACE)


class TestResealing:
    @pytest.mark.parametrize("seal", ["seal", "seal_body"])
    def test_keeps_what_it_is_and_changes_by_what_it_is_sealed(self, holder, seal):
        with sealing.key_ring(holder) as ring:
            before = getattr(ring, seal)(b"word " * 100, place=PLACE)
        retiring.retire(holder)
        with sealing.key_ring(holder) as ring:
            after = ring.reseal(before, place=PLACE)
            opened = getattr(ring, seal.replace("seal", "open"))
            assert opened(after, place=PLACE) == opened(before, place=PLACE) == b"word " * 100
        assert (after[0], len(after)) == (before[0], len(before))
        assert sealing.key_named_by(after) == retiring.name_of(holder) != sealing.key_named_by(before)

    def test_moves_nothing_to_another_place(self, holder):
        value = sealed_for(holder)
        retiring.retire(holder)
        with sealing.key_ring(holder) as ring, pytest.raises(CannotOpen):
            ring.reseal(value, place=Place("t", "g"))

    def test_digests_differ_by_key_and_both_are_known(self, holder):
        before = sealing.keyed_digest(b"x", holder=holder)
        retiring.retire(holder)
        after = sealing.keyed_digest(b"x", holder=holder)
        with sealing.key_ring(holder) as ring:
            assert ring.keyed_digests(b"x") == (after, before)
        assert after != before


class Work:
    """What one holder's values and rings go through; after each step every ring that lives opens every value."""

    def __init__(self, holder: Holder) -> None:
        self.holder = holder
        self.held: list[tuple[bytes, bytes]] = []
        self.rings = [KeyRing(holder)]

    def seal(self, text: bytes) -> None:
        self.held.append((sealed_for(self.holder, text), text))

    def seal_late(self, text: bytes) -> None:
        """By the oldest ring, as work does that began before the key was retired."""
        self.held.append((self.rings[0].seal(text, place=PLACE), text))

    def make_ring(self, _text: bytes) -> None:
        self.rings.append(KeyRing(self.holder))

    def retire(self, _text: bytes) -> None:
        retiring.retire(self.holder)

    def reseal(self, _text: bytes) -> None:
        for sealed, text in self.held[:1]:
            with sealing.key_ring(self.holder) as ring:
                self.held = [*self.held[1:], (ring.reseal(sealed, place=PLACE), text)]

    def destroy(self, _text: bytes) -> None:
        """Where nothing is left, and a day later: none of the rings is there any more."""
        if {sealing.key_named_by(sealed) for sealed, _text in self.held} <= {retiring.name_of(self.holder)}:
            DataKey.objects.filter(is_retired=True).delete()
            self.rings = [KeyRing(self.holder)]


STEPS = [Work.seal, Work.seal_late, Work.make_ring, Work.retire, Work.reseal, Work.destroy]


class TestWhateverHappens:
    @settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(steps=st.lists(st.sampled_from(STEPS), max_size=25))
    def test_every_value_opens_by_every_ring_that_lives(self, steps):
        (holder,) = people(1)
        work = Work(holder)
        for number, step in enumerate(steps):
            step(work, bytes([number]))
            for ring in work.rings:
                assert [ring.open(sealed, place=PLACE) for sealed, _text in work.held] == [
                    text for _sealed, text in work.held
                ]
        names = [data_keys.short_id(key.pk) for key in DataKey.objects.filter(holder_id=holder.id)]
        assert len(names) == len(set(names)) <= 2
