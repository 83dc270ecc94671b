"""Shelves that cannot be opened, or that an earlier run did not build, are built by the next sync."""

import pytest

from apps.records.models import Shelf, SyncStep
from tests.records.runs import shelved_names, sync
from tests.records.syncing.test_updating_shelves import built, practice

__all__ = ["built", "practice"]

pytestmark = pytest.mark.django_db


class TestAShelf:
    @pytest.mark.parametrize("subject", ["allergies", "patient"])
    def test_that_does_not_open_is_built_again_though_nothing_changed(self, linked, provider, built, subject):
        sync(linked)
        Shelf.objects.filter(subject=subject).update(sealed_index=b"\x03" + bytes(80))
        built.clear()
        run = sync(linked)
        assert (run.outcome, built) == ("complete", [{subject}])
        assert shelved_names(linked) == ["Dr. Wrenna Ilse Quillfeather"]

    def test_of_what_an_earlier_run_left_is_built_by_the_next(self, linked, practice, built):
        run = sync(linked)
        run.steps.filter(resource_type="AllergyIntolerance").update(needs_shelf=True)
        built.clear()
        sync(linked)
        assert built == [{"allergies"}]
        assert not SyncStep.objects.filter(needs_shelf=True).exists()

    def test_of_those_whose_names_an_earlier_run_left_is_built_by_the_next(self, linked, practice, built):
        run = sync(linked)
        run.steps.filter(resource_type="Practitioner").update(needs_shelf=True)
        built.clear()
        sync(linked)
        assert [("allergies" in times, "plans" in times) for times in built] == [(True, False)]
