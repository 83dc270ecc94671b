"""Shelves that cannot be opened, or that an earlier run did not build, are built by the next sync."""

import pytest

from apps.connections.models import Connection
from apps.records import shelving
from apps.records.models import Shelf, SyncStep
from apps.records.subjects import PATIENT
from tests.records.linked import AT
from tests.records.people import allergy, bundle
from tests.records.provider import ALLERGIES
from tests.records.runs import resume, shelved, shelved_names, sync
from tests.records.syncing.test_updating_shelves import built, practice
from tests.vault.losing import without_key
from tests.wire.servers import http

__all__ = ["built", "practice", "without_key"]

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


class TestALinkThatEndsWhileItIsCopied:
    @pytest.fixture
    def interrupted(self, linked, practice):
        """A run that waits for the second page of allergies."""
        first = bundle(allergy("a1"), next_url=practice.next_url(2))
        practice.answers[ALLERGIES] = http(body=first)
        practice.answers["GET /fhir/r4/AllergyIntolerance?page=2"] = http(503)
        run = sync(linked)
        assert run.finished_at is None
        linked.status = Connection.Status.DISCONNECTED
        linked.save()
        return run

    def test_shows_all_that_came_before(self, linked, interrupted, practice):
        sent = len(practice.asked)
        resume(interrupted)
        assert interrupted.outcome == "partial"
        assert len(shelved(linked, "allergies")) == 1
        assert not SyncStep.objects.filter(needs_shelf=True).exists()
        assert len(practice.asked) == sent

    def test_shows_it_even_if_the_worker_dies_over_the_shelves(self, alice, linked, interrupted, monkeypatch):
        shelving.rebuild(linked, PATIENT, at=AT)

        def die(*_args, **_others):
            raise SystemExit

        with monkeypatch.context() as patch:
            patch.setattr(shelving, "rebuild_all", die)
            with pytest.raises(SystemExit):
                resume(interrupted)
        interrupted.refresh_from_db()
        assert interrupted.finished_at is not None
        Shelf.objects.update(tried_at=None)
        assert shelving.renew_some(at=AT) == 1
        assert len(shelved(linked, "allergies")) == 1

    def test_ends_its_run_without_a_key(self, linked, interrupted, without_key, caplog):
        with without_key():
            resume(interrupted)
        assert interrupted.outcome == "partial"
        assert "cannot be built anew" in caplog.text
