"""After shredding, nothing of the holder can be opened, and nothing new can be sealed for it."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from apps.vault import sealing, shredding
from apps.vault.errors import Shredded, VaultError
from apps.vault.holders import Holder, Place
from apps.vault.models import DataKey

pytestmark = pytest.mark.django_db
PLACE = Place("t", "f")


class TestShredding:
    def test_ends_opening_sealing_and_digests(self):
        holder = Holder.user(uuid4())
        sealed = sealing.seal(b"x", holder=holder, place=PLACE)
        shredding.shred(holder)
        for use in (
            lambda: sealing.open_sealed(sealed, holder=holder, place=PLACE),
            lambda: sealing.open_body(sealed, holder=holder, place=PLACE),
            lambda: sealing.seal(b"y", holder=holder, place=PLACE),
            lambda: sealing.keyed_digest(b"y", holder=holder),
        ):
            with pytest.raises(Shredded):
                use()

    def test_leaves_a_tombstone_without_key(self):
        holder = Holder.user(uuid4())
        sealing.seal(b"x", holder=holder, place=PLACE)
        shredding.shred(holder)
        tombstone = DataKey.objects.get(holder_id=holder.id)
        assert tombstone.wrapped is None
        assert tombstone.wrapping_key_id == ""
        assert tombstone.shredded_at is not None

    def test_keeps_somebody_without_key_from_ever_getting_one(self):
        holder = Holder.user(uuid4())
        shredding.shred(holder)
        with pytest.raises(Shredded):
            sealing.seal(b"x", holder=holder, place=PLACE)

    def test_twice_is_as_once(self):
        holder = Holder.user(uuid4())
        sealing.seal(b"x", holder=holder, place=PLACE)
        shredding.shred(holder)
        first = DataKey.objects.get(holder_id=holder.id).shredded_at
        shredding.shred(holder)
        assert DataKey.objects.get(holder_id=holder.id).shredded_at == first

    def test_leaves_a_stranger_alone(self):
        holder, stranger = Holder.user(uuid4()), Holder.user(uuid4())
        sealed = sealing.seal(b"x", holder=stranger, place=PLACE)
        shredding.shred(holder)
        assert sealing.open_sealed(sealed, holder=stranger, place=PLACE) == b"x"

    def test_is_refused_for_the_installation(self):
        sealed = sealing.seal(b"x", holder=Holder.installation(), place=PLACE)
        with pytest.raises(ValueError, match="Only a user's"):
            shredding.shred(Holder.installation())
        assert sealing.open_sealed(sealed, holder=Holder.installation(), place=PLACE) == b"x"


class TestDataKey:
    @pytest.mark.parametrize(
        "columns",
        [
            {"holder_kind": "user", "holder_id": None, "wrapped": b"x"},
            {"holder_kind": "installation", "holder_id": uuid4(), "wrapped": b"x"},
            {"holder_kind": "user", "holder_id": uuid4(), "wrapped": None},
            {"holder_kind": "user", "holder_id": uuid4(), "wrapped": b"x", "shredded_at": "2026-01-01T00:00Z"},
        ],
    )
    def test_is_refused_by_the_database_when_its_columns_disagree(self, columns):
        with pytest.raises(IntegrityError), transaction.atomic():
            DataKey.objects.create(wrapping_key_id="k", **columns)

    def test_of_the_installation_is_one(self):
        DataKey.objects.create(holder_kind="installation", wrapped=b"x", wrapping_key_id="k")
        with pytest.raises(IntegrityError), transaction.atomic():
            DataKey.objects.create(holder_kind="installation", wrapped=b"y", wrapping_key_id="k")


class TestErrors:
    def test_have_constant_texts_of_their_own(self):
        kinds = VaultError.__subclasses__()
        assert len({str(kind()) for kind in kinds}) == len(kinds) == 4
