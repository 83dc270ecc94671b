"""Resources that rows refer to, where most of them lead nowhere."""

from datetime import timedelta

import pytest

from apps.records import syncing
from apps.records.models import PendingRead, SyncStep
from apps.records.syncing import running, stepping
from tests.records.linked import AT
from tests.records.people import allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, statement
from tests.records.runs import step, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

_ROWS = 40


class TestReferencesThatLeadNowhere:
    @pytest.fixture(autouse=True)
    def many(self, linked, provider, monkeypatch):
        monkeypatch.setattr(stepping, "MOST_READS", 10)
        provider.answers[METADATA] = http(body=statement("Patient", "AllergyIntolerance", "Practitioner"))
        rows = (allergy(f"a{number}", recorder={"reference": f"Practitioner/d{number}"}) for number in range(_ROWS))
        provider.answers[ALLERGIES] = http(body=bundle(*rows))

    def test_are_asked_for_no_more_often_than_those_that_are_there(self, linked, provider):
        run = sync(linked)
        asked = [request for request in provider.asked if "/Practitioner/" in request]
        assert len(asked) < _ROWS / 2  # what was under way when there were enough is one round at most
        assert (step(run, "Practitioner").gap, step(run, "Practitioner").pages) == (SyncStep.Gap.TOO_MUCH, 0)

    def test_are_put_down_as_far_as_they_are_read(self, linked, provider, monkeypatch):
        monkeypatch.setattr(running, "SLICE", timedelta(0))
        run = sync(linked)
        syncing.advance(run.pk, at=AT)
        assert PendingRead.objects.filter(run=run, logical_id__startswith="d").count() == 11

    def test_end_the_slice_like_those_that_are_there(self, linked, provider, monkeypatch):
        monkeypatch.setattr(running, "SLICE", timedelta(0))
        run = sync(linked)
        turns = []
        while not run.outcome:
            before = len(provider.asked)
            assert syncing.advance_next(at=AT)
            run.refresh_from_db()
            turns.append(len(provider.asked) - before)
        assert max(turns) < 10
        assert len(turns) < 15
