"""Shelves are built from records, and can always be rebuilt."""

from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from apps.records import shelving, syncing
from apps.records.models import Leaf, Record, Shelf, SyncRun
from tests.records.linked import AT
from tests.records.runs import shelved_names
from tests.vault.losing import without_key

__all__ = ["without_key"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def synced(linked):
    run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
    syncing.advance(run.pk, at=AT)
    return linked


class TestShelf:
    def test_holds_nothing_in_the_clear(self, synced):
        values = [*Shelf.objects.values_list("sealed_index"), *Leaf.objects.values_list("sealed_rows")]
        assert len(values) == 7  # two shelves; a leaf of the Patient, four of an allergy: to list, begin, search, find
        assert not [value for (value,) in values if b"Quillfeather" in bytes(value) or b"Pteridine" in bytes(value)]

    def test_is_none_before_anything_came(self, linked):
        assert shelving.patients(linked) is None


class TestRebuildShelves:
    def test_builds_what_is_gone(self, synced, capsys):
        Shelf.objects.all().delete()
        call_command("rebuild_shelves")
        assert "1 connection rebuilt." in capsys.readouterr().out
        assert shelved_names(synced) == ["Dr. Wrenna Ilse Quillfeather"]

    @pytest.mark.parametrize(
        ("given", "words"), [("first", "invalid UUID value: 'first'"), (str(UUID(int=0)), "There is no connection")]
    )
    def test_refuses_what_is_no_connection(self, db, given, words):
        with pytest.raises(CommandError, match=words):
            call_command("rebuild_shelves", f"--connection={given}")

    def test_changes_nothing_when_asked_what_it_would_do(self, synced, capsys):
        Shelf.objects.all().delete()
        call_command("rebuild_shelves", "--dry-run")
        assert "1 connection has records." in capsys.readouterr().out
        assert not Shelf.objects.exists()

    def test_fails_where_records_do_not_open_says_how_many_and_builds_the_others(self, synced, capsys):
        Record.objects.filter(resource_type="AllergyIntolerance").update(sealed_body=b"\x03" + bytes(80))
        unopened = Record.objects.filter(resource_type="AllergyIntolerance").count()
        Shelf.objects.all().delete()
        with pytest.raises(CommandError):
            call_command("rebuild_shelves", "--connection", str(synced.pk))
        assert f"{synced.pk}: {unopened} records do not open" in capsys.readouterr().err
        assert shelved_names(synced) == ["Dr. Wrenna Ilse Quillfeather"]

    def test_fails_where_a_key_is_missing_and_says_which_connection(self, synced, without_key, capsys):
        with without_key(), pytest.raises(CommandError):
            call_command("rebuild_shelves", "--connection", str(synced.pk))
        assert f"{synced.pk}: No key is at hand" in capsys.readouterr().err
