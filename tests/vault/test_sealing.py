"""What was sealed can be opened, unless it was changed or moved: values are bound to place, holder and row."""

import os
import pickle
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from apps.vault import bodies, data_keys, holders, sealing, shredding
from apps.vault.errors import CannotOpen, KeyMissing, Shredded
from apps.vault.holders import Holder, HolderKind, Place
from apps.vault.models import DataKey

pytestmark = pytest.mark.django_db

ALICE_ID = UUID("00000000-0000-4000-8000-00000000000a")
ALICE = Holder.user(ALICE_ID)
STRANGER = Holder.user(UUID("00000000-0000-4000-8000-00000000000b"))
PLACE = Place("records_record", "body", ("connection", "Observation", "42"))

# One transaction serves all examples of a property: they leave nothing but the two data keys.
many = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

places = st.builds(
    Place, st.text(max_size=8), st.text(max_size=8), st.lists(st.text(max_size=8), max_size=3).map(tuple)
)


class TestValue:
    @many
    @given(plaintext=st.binary(max_size=3000), place=places)
    def test_opens_to_what_was_sealed(self, plaintext, place):
        sealed = sealing.seal(plaintext, holder=ALICE, place=place)
        assert sealing.open_sealed(sealed, holder=ALICE, place=place) == plaintext

    def test_opens_for_the_installation(self):
        sealed = sealing.seal(b"client secret", holder=Holder.installation(), place=PLACE)
        assert sealing.open_sealed(sealed, holder=Holder.installation(), place=PLACE) == b"client secret"

    def test_never_looks_the_same_twice(self):
        sealed = {sealing.seal(b"token", holder=ALICE, place=PLACE) for _ in range(50)}
        assert len(sealed) == 50

    def test_begins_with_format_key_id_and_dictionary_id(self):
        sealed = sealing.seal(b"token", holder=ALICE, place=PLACE)
        key = DataKey.objects.get(holder_id=ALICE.id)
        assert struct.unpack(">B4sH", sealed[:7]) == (1, key.id.bytes[:4], 0)
        assert len(sealed) == 7 + 12 + len(b"token") + 16

    def test_opens_with_nothing_but_what_this_test_knows_of_the_format(self):
        """The bytes on disk are a promise: a second, independent reading of them gives the plaintext."""
        sealed = sealing.seal(b"token", holder=ALICE, place=Place("t", "f", ("x",)))
        header, nonce, rest = sealed[:7], sealed[7:19], sealed[19:]
        items = (header, b"t", b"f", b"user", ALICE_ID.bytes, b"x")
        associated = b"".join(len(item).to_bytes(4, "big") + item for item in items)
        assert data_keys.find(ALICE).current.cipher.decrypt(nonce, rest, associated) == b"token"

    @many
    @given(plaintext=st.binary(max_size=200), data=st.data())
    def test_refuses_when_any_bit_was_flipped(self, plaintext, data):
        sealed = bytearray(sealing.seal(plaintext, holder=ALICE, place=PLACE))
        bit = data.draw(st.integers(0, len(sealed) * 8 - 1))
        sealed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(CannotOpen):
            sealing.open_sealed(bytes(sealed), holder=ALICE, place=PLACE)

    def test_refuses_every_single_flipped_bit_of_one_value(self):
        sealed = sealing.seal(b"token", holder=ALICE, place=PLACE)
        for bit in range(len(sealed) * 8):
            changed = bytearray(sealed)
            changed[bit // 8] ^= 1 << bit % 8
            with pytest.raises(CannotOpen):
                sealing.open_sealed(bytes(changed), holder=ALICE, place=PLACE)

    @many
    @given(cut=st.integers(0, 39), tail=st.binary(min_size=1, max_size=40))
    def test_refuses_when_cut_or_extended(self, cut, tail):
        sealed = sealing.seal(b"token", holder=ALICE, place=PLACE)
        for changed in (sealed[:cut], sealed + tail):
            with pytest.raises(CannotOpen):
                sealing.open_sealed(changed, holder=ALICE, place=PLACE)

    @many
    @given(noise=st.binary(max_size=200))
    def test_refuses_bytes_that_never_were_sealed(self, noise):
        sealing.seal(b"", holder=ALICE, place=PLACE)
        with pytest.raises(CannotOpen):
            sealing.open_sealed(noise, holder=ALICE, place=PLACE)

    @many
    @given(place=places, other=places)
    def test_refuses_at_any_other_place(self, place, other):
        assume(place != other)
        sealed = sealing.seal(b"token", holder=ALICE, place=place)
        with pytest.raises(CannotOpen):
            sealing.open_sealed(sealed, holder=ALICE, place=other)

    @pytest.mark.parametrize(
        "other",
        [
            Place("records_recordversion", "body", PLACE.identity),
            Place("records_record", "digest", PLACE.identity),
            Place("records_record", "body", ("connection", "Observation", "43")),
            Place("records_record", "body", ("connection", "Observation")),
            Place("records_record", "body", ("connection", "Observation4", "2")),
            Place("records_recordbody", "", PLACE.identity),
            Place("records_record", "body", ("connection", "Observation", "42", "")),
        ],
    )
    def test_refuses_at_a_neighboring_place(self, other):
        sealed = sealing.seal(b"token", holder=ALICE, place=PLACE)
        with pytest.raises(CannotOpen):
            sealing.open_sealed(sealed, holder=ALICE, place=other)

    def test_refuses_for_a_stranger(self):
        sealing.seal(b"hers", holder=STRANGER, place=PLACE)
        sealed = sealing.seal(b"token", holder=ALICE, place=PLACE)
        with pytest.raises(CannotOpen):
            sealing.open_sealed(sealed, holder=STRANGER, place=PLACE)

    def test_refuses_for_the_installation(self):
        sealing.seal(b"ours", holder=Holder.installation(), place=PLACE)
        sealed = sealing.seal(b"token", holder=ALICE, place=PLACE)
        with pytest.raises(CannotOpen):
            sealing.open_sealed(sealed, holder=Holder.installation(), place=PLACE)

    def test_does_not_open_as_a_body_nor_a_body_as_a_value(self):
        value = sealing.seal(b"token", holder=ALICE, place=PLACE)
        body = sealing.seal_body(b"token", holder=ALICE, place=PLACE)
        with pytest.raises(CannotOpen):
            sealing.open_body(value, holder=ALICE, place=PLACE)
        with pytest.raises(CannotOpen):
            sealing.open_sealed(body, holder=ALICE, place=PLACE)

    def test_needs_a_key_to_open(self):
        sealed = sealing.seal(b"token", holder=ALICE, place=PLACE)
        with pytest.raises(KeyMissing):
            sealing.open_sealed(sealed, holder=Holder.user(uuid4()), place=PLACE)
        assert DataKey.objects.count() == 1


class TestBody:
    @many
    @given(body=st.one_of(st.binary(max_size=5000), st.text(max_size=2000).map(str.encode)))
    def test_opens_to_what_was_sealed(self, body):
        sealed = sealing.seal_body(body, holder=ALICE, place=PLACE)
        assert sealing.open_body(sealed, holder=ALICE, place=PLACE) == body

    def test_is_compressed_before_it_is_sealed(self):
        sealed = sealing.seal_body(b'{"resourceType": "Observation"}' * 500, holder=ALICE, place=PLACE)
        assert sealed[0] == bodies.COMPRESSED_FORMAT
        assert len(sealed) < 300

    def test_is_stored_as_given_where_compression_does_not_help(self):
        assert sealing.seal_body(os.urandom(500), holder=ALICE, place=PLACE)[0] == bodies.STORED_FORMAT

    @many
    @given(body=st.binary(max_size=1000))
    def test_is_padded_to_64_bytes(self, body):
        sealed = sealing.seal_body(body, holder=ALICE, place=PLACE)
        assert (len(sealed) - 7 - 12 - 16) % 64 == 0

    def test_refuses_when_any_bit_was_flipped(self):
        sealed = sealing.seal_body(b"body", holder=ALICE, place=PLACE)
        for bit in range(len(sealed) * 8):
            changed = bytearray(sealed)
            changed[bit // 8] ^= 1 << bit % 8
            with pytest.raises(CannotOpen):
                sealing.open_body(bytes(changed), holder=ALICE, place=PLACE)


class TestKeyedDigest:
    @many
    @given(one=st.binary(max_size=100), other=st.binary(max_size=100))
    def test_tells_equal_from_different(self, one, other):
        digests = [sealing.keyed_digest(plaintext, holder=ALICE) for plaintext in (one, other)]
        assert (digests[0] == digests[1]) == (one == other)
        assert len(digests[0]) == 32

    def test_says_nothing_across_holders(self):
        assert sealing.keyed_digest(b"same", holder=ALICE) != sealing.keyed_digest(b"same", holder=STRANGER)


class TestAssociatedData:
    @given(one=st.lists(st.binary(max_size=6), max_size=5), other=st.lists(st.binary(max_size=6), max_size=5))
    def test_is_the_same_only_for_the_same_list(self, one, other):
        assert (holders.associated_data(one) == holders.associated_data(other)) == (one == other)

    @given(items=st.lists(st.binary(max_size=10), min_size=2, max_size=5), cut=st.integers(0, 10))
    def test_differs_when_bytes_move_from_one_item_to_the_next(self, items, cut):
        cut = min(cut, len(items[1]))
        moved = [items[0] + items[1][:cut], items[1][cut:], *items[2:]]
        assume(moved != items)
        assert holders.associated_data(items) != holders.associated_data(moved)

    def test_takes_identities_that_are_no_text(self):
        place = Place("t", "f", ("\ud800", "\x00", "é"))
        sealed = sealing.seal(b"x", holder=ALICE, place=place)
        assert sealing.open_sealed(sealed, holder=ALICE, place=place) == b"x"


class TestHolder:
    def test_needs_an_id_exactly_when_it_is_a_user(self):
        with pytest.raises(ValueError, match="has an id"):
            Holder(HolderKind.USER)
        with pytest.raises(ValueError, match="has an id"):
            Holder(HolderKind.INSTALLATION, uuid4())


class TestKeyRing:
    def test_unlocks_once_for_many_values(self, django_assert_num_queries):
        sealing.seal(b"", holder=ALICE, place=PLACE)
        with django_assert_num_queries(1), sealing.key_ring(ALICE) as ring:
            sealed = [ring.seal(bytes([n]), place=PLACE) for n in range(20)]
            assert [ring.open(value, place=PLACE) for value in sealed] == [bytes([n]) for n in range(20)]
            assert ring.open_body(ring.seal_body(b"b", place=PLACE), place=PLACE) == b"b"
            assert len(ring.keyed_digest(b"d")) == 32

    def test_seals_what_the_functions_open(self):
        with sealing.key_ring(ALICE) as ring:
            sealed = ring.seal(b"x", place=PLACE)
            digest = ring.keyed_digest(b"x")
        assert sealing.open_sealed(sealed, holder=ALICE, place=PLACE) == b"x"
        assert sealing.keyed_digest(b"x", holder=ALICE) == digest

    def test_is_of_no_use_after_its_block(self):
        with sealing.key_ring(ALICE) as ring:
            sealed = ring.seal(b"x", place=PLACE)
        for use in (lambda: ring.seal(b"x", place=PLACE), lambda: ring.open(sealed, place=PLACE)):
            with pytest.raises(RuntimeError):
                use()

    def test_keeps_no_key_after_its_block(self):
        with sealing.key_rings(ALICE, STRANGER) as rings:
            for ring in rings:
                ring.seal(b"x", place=PLACE)
            assert all(ring._keys for ring in rings)
        assert not any(ring._keys for ring in rings)

    def test_comes_with_those_of_others_for_one_query(self, django_assert_num_queries):
        ours = Holder.installation()
        theirs, own = (sealing.seal(b"x", holder=holder, place=PLACE) for holder in (ALICE, ours))
        with sealing.key_rings(ALICE, ours, STRANGER) as (alice, installation, stranger):
            with django_assert_num_queries(1):
                assert (alice.open(theirs, place=PLACE), installation.open(own, place=PLACE)) == (b"x", b"x")
                with pytest.raises(KeyMissing):
                    stranger.open(theirs, place=PLACE)
            with pytest.raises(CannotOpen):
                installation.open(theirs, place=PLACE)
        with pytest.raises(RuntimeError):
            alice.open(theirs, place=PLACE)

    def test_costs_no_query_where_its_cabinet_was_asked_before(self, django_assert_num_queries):
        theirs, strange = (sealing.seal(b"x", holder=holder, place=PLACE) for holder in (ALICE, STRANGER))
        cabinet = sealing.Cabinet([ALICE, STRANGER])
        with django_assert_num_queries(1):
            for holder, sealed in ((ALICE, theirs), (STRANGER, strange)):
                with sealing.key_rings(holder, cabinet=cabinet) as (ring,):
                    assert ring.open(sealed, place=PLACE) == b"x"
        with sealing.key_rings(ALICE, cabinet=cabinet) as (ring,), pytest.raises(CannotOpen):
            ring.open(strange, place=PLACE)
        assert repr(cabinet) == "<Cabinet>"

    def test_has_no_key_that_its_cabinet_was_not_asked_for(self):
        sealed = sealing.seal(b"x", holder=STRANGER, place=PLACE)
        others = sealing.Cabinet([ALICE])
        with sealing.key_rings(STRANGER, cabinet=others) as (stranger,), pytest.raises(KeyMissing):
            stranger.open(sealed, place=PLACE)

    def test_seals_nothing_in_a_transaction_where_its_key_is_shredded_meanwhile(self):
        sealed = sealing.seal(b"x", holder=ALICE, place=PLACE)
        with sealing.key_rings(ALICE, cabinet=sealing.Cabinet([ALICE])) as (ring,):
            assert ring.open(sealed, place=PLACE) == b"x"
            shredding.shred(ALICE)
            with pytest.raises(Shredded):
                ring.seal(b"x", place=PLACE)

    def test_seals_what_nobody_opens_where_its_key_is_shredded_meanwhile(self, monkeypatch):
        """Outside a transaction, where it costs no query to seal after opening."""
        monkeypatch.setattr(data_keys, "can_hold", lambda: False)
        sealed = sealing.seal(b"x", holder=ALICE, place=PLACE)
        with sealing.key_rings(ALICE, cabinet=sealing.Cabinet([ALICE])) as (ring,):
            assert ring.open(sealed, place=PLACE) == b"x"
            shredding.shred(ALICE)
            late = ring.seal(b"x", place=PLACE)
        with pytest.raises(Shredded):
            sealing.open_sealed(late, holder=ALICE, place=PLACE)

    def test_makes_a_first_key_beside_those_of_others(self):
        with sealing.key_rings(ALICE, STRANGER) as (alice, stranger):
            sealed = alice.seal(b"x", place=PLACE)
            with pytest.raises(KeyMissing):
                stranger.open(sealed, place=PLACE)
        assert sealing.open_sealed(sealed, holder=ALICE, place=PLACE) == b"x"

    def test_cannot_leave_the_process(self):
        with sealing.key_ring(ALICE) as ring:
            ring.seal(b"x", place=PLACE)
            with pytest.raises(TypeError):
                pickle.dumps(ring)
            with pytest.raises(TypeError):
                pickle.dumps(ring._keys)
            with pytest.raises(TypeError):
                pickle.dumps(data_keys.find(ALICE).current)


class TestRepr:
    def test_is_silent_everywhere(self):
        holder, place = Holder.user(uuid4()), Place("records_record", "body", ("CANARY",))
        with sealing.key_ring(holder) as ring:
            ring.seal(b"CANARY", place=place)
            keys = data_keys.find(holder)
            key = keys.current
            shown = repr(
                (holder, place, ring, keys, key, data_keys.rows([holder]), DataKey.objects.get(holder_id=holder.id))
            )
        assert "CANARY" not in shown
        assert str(holder.id) not in shown
        assert repr(key.digest_key)[2:-1] not in shown
        assert "digest_key" not in shown


@pytest.mark.django_db(transaction=True)
class TestFirstUse:
    def test_by_eight_threads_at_once_makes_one_key(self):
        holder, start = Holder.user(uuid4()), threading.Barrier(8)

        def first_use(number: int) -> bytes:
            try:
                start.wait()
                with transaction.atomic():
                    return sealing.seal(bytes([number]), holder=holder, place=PLACE)
            finally:
                connection.close()

        with ThreadPoolExecutor(8) as threads:
            sealed = list(threads.map(first_use, range(8)))

        assert DataKey.objects.filter(holder_id=holder.id).count() == 1
        opened = [sealing.open_sealed(value, holder=holder, place=PLACE) for value in sealed]
        assert opened == [bytes([number]) for number in range(8)]

    def test_waits_for_one_that_may_still_roll_back(self):
        """The second user must not seal under a key that vanishes with the first one's transaction."""
        holder, inserted, other_waits = Holder.user(uuid4()), threading.Event(), threading.Event()

        def rolls_back() -> None:
            try:
                with transaction.atomic():
                    sealing.seal(b"lost", holder=holder, place=PLACE)
                    inserted.set()
                    other_waits.wait(0.3)
                    transaction.set_rollback(True)
            finally:
                connection.close()

        thread = threading.Thread(target=rolls_back)
        thread.start()
        inserted.wait(5)
        sealed = sealing.seal(b"kept", holder=holder, place=PLACE)
        thread.join()
        assert sealing.open_sealed(sealed, holder=holder, place=PLACE) == b"kept"
