"""VAULT_KEYS: the first key wraps, all unwrap, and a list with a fault is refused."""

import os

import pytest
from django.conf import settings as project_settings

from apps.vault import sealing, wrapping
from apps.vault.errors import CannotOpen, KeyMissing, WeakKey
from apps.vault.holders import Holder, Place
from apps.vault.models import DataKey
from apps.vault.wrapping import Flaw
from tests.vault.keys import entry

HOLDER = Holder.installation()
PLACE = Place("t", "f")


@pytest.mark.django_db
class TestRotation:
    def test_opens_under_the_old_key_and_wraps_new_data_keys_under_the_first(self, settings):
        old, new = entry("old"), entry("new")
        settings.VAULT_KEYS = [old]
        sealed = sealing.seal(b"x", holder=HOLDER, place=PLACE)
        settings.VAULT_KEYS = [new, old]
        user = Holder.user(DataKey.objects.get().id)
        sealing.seal(b"y", holder=user, place=PLACE)

        assert sealing.open_sealed(sealed, holder=HOLDER, place=PLACE) == b"x"
        assert DataKey.objects.get(holder_id=user.id).wrapping_key_id == "new"
        assert DataKey.objects.get(holder_id=None).wrapping_key_id == "old"

    def test_misses_a_key_that_was_removed_too_early(self, settings):
        settings.VAULT_KEYS = [entry("old")]
        sealed = sealing.seal(b"x", holder=HOLDER, place=PLACE)
        settings.VAULT_KEYS = [entry("new")]
        with pytest.raises(KeyMissing):
            sealing.open_sealed(sealed, holder=HOLDER, place=PLACE)

    def test_refuses_another_key_under_the_same_id(self, settings):
        settings.VAULT_KEYS = [entry("same")]
        sealed = sealing.seal(b"x", holder=HOLDER, place=PLACE)
        settings.VAULT_KEYS = [entry("same")]
        with pytest.raises(CannotOpen):
            sealing.open_sealed(sealed, holder=HOLDER, place=PLACE)


@pytest.mark.django_db
class TestWrappedKey:
    def test_is_bound_to_its_holder(self):
        """Whoever can write to the database still cannot give one user's key to another."""
        alice, mallory = Holder.user(DataKey().id), Holder.user(DataKey().id)
        sealing.seal(b"", holder=alice, place=PLACE)
        sealing.seal(b"", holder=mallory, place=PLACE)
        stolen = DataKey.objects.get(holder_id=alice.id)
        DataKey.objects.filter(holder_id=alice.id).delete()
        DataKey.objects.filter(holder_id=mallory.id).update(id=stolen.id, wrapped=stolen.wrapped)
        with pytest.raises(CannotOpen):
            sealing.seal(b"", holder=mallory, place=PLACE)

    def test_holds_no_key_in_the_clear(self):
        sealing.seal(b"x", holder=HOLDER, place=PLACE)
        wrapped = bytes(DataKey.objects.get().wrapped or b"")
        assert len(wrapped) == 12 + 32 + 16
        keys = [key.key for key in wrapping._usable_keys()]
        assert not any(key in wrapped for key in keys)


class TestFlaws:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ([], {Flaw.MISSING}),
            (["no-colon"], {Flaw.UNNAMED}),
            ([":" + "A" * 43 + "="], {Flaw.UNNAMED}),
            (["id:"], {Flaw.NOT_BASE64}),
            (["id:***"], {Flaw.NOT_BASE64}),
            (["id:é"], {Flaw.NOT_BASE64}),
            ([entry("é")], {Flaw.UNNAMED}),
            ([entry("a b")], {Flaw.UNNAMED}),
            ([entry("a" * 65)], {Flaw.UNNAMED}),
            ([entry("a", bytes(range(100, 131)))], {Flaw.WRONG_LENGTH}),
            ([entry("a", os.urandom(33))], {Flaw.WRONG_LENGTH}),
            ([entry("a", bytes(32))], {Flaw.WEAK}),
            ([entry("a", b"Z" * 32)], {Flaw.WEAK}),
            ([entry("a", bytes(range(32)))], {Flaw.WEAK}),
            ([entry("a", bytes(range(200, 168, -1)))], {Flaw.WEAK}),
            ([entry("a", b"correct horse battery staple 12!")], {Flaw.WEAK}),
            ([entry("a", os.urandom(8) * 4)], {Flaw.WEAK}),
            ([entry("a"), entry("a")], {Flaw.DUPLICATE_ID}),
            ([entry("a"), entry("b")], set()),
            ([entry("a"), "b", entry("a"), entry("c", bytes(32))], {Flaw.UNNAMED, Flaw.WEAK, Flaw.DUPLICATE_ID}),
        ],
    )
    def test_are_all_found(self, given, expected):
        assert wrapping.flaws(given).keys() == expected

    def test_name_the_first_entry_that_has_them(self):
        given = [entry("a"), "b:***", "c:***", "", entry("a")]
        assert wrapping.flaws(given) == {Flaw.NOT_BASE64: 2, Flaw.UNNAMED: 4, Flaw.DUPLICATE_ID: 5}

    def test_are_not_found_in_random_keys(self):
        assert not any(wrapping.flaws([entry("a")]) for _ in range(2000))

    def test_include_the_key_of_the_test_settings(self):
        assert wrapping.flaws(project_settings.VAULT_KEYS).keys() == {Flaw.PUBLISHED}

    @pytest.mark.django_db
    @pytest.mark.parametrize("given", [[], ["no-colon"], [entry("a", bytes(32))], [entry("a"), entry("a")]])
    def test_stop_sealing(self, settings, given):
        settings.VAULT_KEYS = given
        with pytest.raises(WeakKey):
            sealing.seal(b"x", holder=HOLDER, place=PLACE)
        assert not DataKey.objects.exists()
