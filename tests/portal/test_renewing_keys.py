"""Renewing data keys: every sealed value, in whichever table, is sealed again with the new key, and nobody notices."""

import base64
import hmac

import pytest
from django.apps import apps
from django.db import models
from django.utils import timezone

from apps.portal import closing
from apps.records.resealing import DigestedColumn
from apps.vault import data_keys, renewing, sealed_columns
from apps.vault.data_keys import UnlockedKey
from apps.vault.holders import Holder
from apps.vault.models import DataKey
from apps.vault.renewing import Done
from apps.vault.sealed_columns import SealedColumn
from tests.portal import leavers, sealed_everywhere
from tests.vault import retiring

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled(alice, endpoint, provider):
    return sealed_everywhere.fill(alice, endpoint, provider)


class TestEverySealedColumn:
    def test_is_one_that_somebody_seals_anew(self):
        known = {(column.table.model, column.field) for column in sealed_columns.everything()}
        assert known == set(sealed_everywhere.columns())
        assert len(known) > 15

    def test_is_known_by_its_name(self):
        """Whatever else is a byte string is a hash, the wrapped key itself, or a digest, which stands beside what is
        sealed and is made anew with it."""
        others = {
            (model, field.name)
            for model in models_of_ours()
            for field in model._meta.concrete_fields
            if isinstance(field, models.BinaryField) and not field.name.startswith("sealed_")
        }
        assert {name for _model, name in others} == {
            "wrapped", "digest", "state_hash", "browser_hash", "launch_hash", "token_hash", "file_hash",
        }  # fmt: skip
        digested = {column.table.model for column in sealed_columns.everything() if isinstance(column, DigestedColumn)}
        assert {model for model, name in others if name == "digest"} == digested

    def test_is_filled_here_so_that_it_is_tested(self, filled):
        assert [name for name, held in sealed_everywhere.values().items() if not held] == []

    def test_is_sealed_anew_and_reads_as_before(self, alice, filled):
        hers, ours = retiring.name_of(Holder.user(alice.pk)), retiring.name_of(Holder.installation())
        before, was = sealed_everywhere.readings(alice), sealed_everywhere.sealed_keys()
        assert set().union(*was.values()) == {hers, ours}
        assert retiring.begin() == Done(destroyed=0, retired=2, emptied=2)
        new = {hers: retiring.name_of(Holder.user(alice.pk)), ours: retiring.name_of(Holder.installation())}
        assert sealed_everywhere.sealed_keys() == {name: {new[key] for key in keys} for name, keys in was.items()}
        assert sealed_everywhere.readings(alice) == before
        assert retiring.end() == Done(destroyed=2, retired=0, emptied=0)
        assert sealed_everywhere.readings(alice) == before

    def test_opens_meanwhile_by_the_key_that_is_retired(self, alice, filled):
        before = sealed_everywhere.readings(alice)
        for holder in (Holder.user(alice.pk), Holder.installation()):
            assert retiring.retire(holder)
        assert sealed_everywhere.readings(alice) == before


class TestTheOldKey:
    def test_opens_nothing_in_the_whole_database(self, alice, sam, endpoint, provider, filled):
        """Whoever had a copy of the database, and a wrapping key, has this key. It is looked for in every byte string
        and every text there is, and so are the digests it made."""
        old = {holder: data_keys.find(holder).current for holder in (Holder.user(alice.pk), Holder.installation())}
        bodies = sealed_everywhere.readings(alice)["records"]
        digests = [hmac.digest(old[Holder.user(alice.pk)].digest_key, body, "sha256") for body in bodies]
        before = whole_database()
        assert all(digest.hex() in before for digest in digests)
        assert all(marks(key, before) for key in old.values())
        retiring.begin()
        retiring.end()
        after = whole_database()
        assert not any(digest.hex() in after for digest in digests)
        assert not any(marks(key, after) for key in old.values())
        assert not DataKey.objects.filter(is_retired=True).exists()

    def test_of_one_goes_and_nothing_of_a_stranger_is_touched(self, alice, sam, endpoint, provider, filled):
        sealed_everywhere.fill(sam, endpoint, provider)
        hers, his = Holder.user(alice.pk), Holder.user(sam.pk)
        others = {retiring.name_of(his), retiring.name_of(Holder.installation())}

        def of_others():
            return {
                name: [one for one in held if one[1:5] in others] for name, held in sealed_everywhere.values().items()
            }

        before, read = of_others(), sealed_everywhere.readings(sam)
        assert retiring.begin(hers) == Done(destroyed=0, retired=1, emptied=1)
        assert retiring.end(hers) == Done(destroyed=1, retired=0, emptied=0)
        assert of_others() == before
        assert sealed_everywhere.readings(sam) == read
        assert DataKey.objects.count() == 3


class TestARenewalThatIsKilled:
    def test_at_any_write_leaves_everything_readable_and_is_gone_on_with(self, alice, filled, monkeypatch):
        """Each run dies a write later than the one before, until one comes to its end."""
        monkeypatch.setattr(sealed_columns, "_MOST_ROWS", 1)
        before, store = sealed_everywhere.readings(alice), SealedColumn.store
        rows = sum(map(len, sealed_everywhere.values().values()))
        deaths, left = 0, [0]

        def dies(column, changed):
            store(column, changed)
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt

        monkeypatch.setattr(SealedColumn, "store", dies)
        while True:
            left[0] = deaths + 1
            try:
                retiring.begin() if not deaths else retiring.go_on()
                break
            except KeyboardInterrupt:
                deaths += 1
            assert sealed_everywhere.readings(alice) == before
        assert 5 < deaths < rows
        assert retiring.end() == Done(destroyed=2, retired=0, emptied=0)
        assert sealed_everywhere.readings(alice) == before

    @pytest.mark.parametrize("step", ["_note_unused", "_is_used"])
    def test_between_two_steps_is_gone_on_with(self, alice, filled, monkeypatch, step):
        before, of_renewing = sealed_everywhere.readings(alice), renewing
        with monkeypatch.context() as patch:
            patch.setattr(of_renewing, step, killed)
            with pytest.raises(KeyboardInterrupt):
                retiring.begin()
        assert sealed_everywhere.readings(alice) == before
        assert retiring.go_on().emptied == 2
        with monkeypatch.context() as patch:
            patch.setattr(of_renewing, "_is_used", killed)
            with pytest.raises(KeyboardInterrupt):
                retiring.end()
        assert sealed_everywhere.readings(alice) == before
        assert retiring.go_on().destroyed == 2

    def test_before_there_is_another_key_changed_nothing(self, alice, filled, monkeypatch):
        keys = list(DataKey.objects.order_by("pk").values())
        with monkeypatch.context() as patch:
            patch.setattr(data_keys, "new_row", killed)
            with pytest.raises(KeyboardInterrupt):
                retiring.retire(Holder.user(alice.pk))
        assert list(DataKey.objects.order_by("pk").values()) == keys


def killed(*_given):
    raise KeyboardInterrupt


class TestAnAccountThatIsClosedMeanwhile:
    @pytest.mark.parametrize("step", [retiring.retire, retiring.begin])
    def test_leaves_a_tombstone_and_nothing_to_go_on_with(self, alice, endpoint, provider, step):
        leavers.link(alice, endpoint, provider)
        step(Holder.user(alice.pk))
        closing.close(alice, at=timezone.now())
        (key,) = DataKey.objects.filter(holder_id=alice.pk)
        assert (key.wrapped, key.is_retired, key.shredded_at is not None) == (None, False, True)
        assert retiring.end(Holder.user(alice.pk)) == Done(0, 0, 0)
        assert DataKey.objects.filter(holder_id=alice.pk).count() == 1


def marks(key: UnlockedKey, text: str) -> bool:
    """Whether something says that this key sealed it: bytes as Postgres prints them, or within a text in base64."""
    as_text = [base64.b64encode(bytes([form]) + key.short_id + b"\0").decode() for form in (1, 2, 3)]
    as_bytes = [f"\\x{form:02x}{key.short_id.hex()}0000" for form in (1, 2, 3)]
    return any(mark in text for mark in (*as_text, *as_bytes))


def whole_database() -> str:
    """Every row of every table."""
    return "\n".join(line for lines in leavers.rows().values() for line in lines)


def models_of_ours():
    return [model for model in apps.get_models() if model.__module__.startswith("apps.")]
