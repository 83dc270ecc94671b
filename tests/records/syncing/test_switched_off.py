"""Syncs of a provider that staff switched off: nothing is requested, nothing is lost, and they continue afterwards."""

import contextlib
import re
from datetime import timedelta

import pytest
from django.db import connection as database
from django.urls import reverse
from django.utils import timezone

from apps.audit.recording import Actor
from apps.connections.models import StoredTokenSet
from apps.connections.refreshing import SwitchedOff
from apps.directory import switching
from apps.directory.models import ClientRegistration, Endpoint
from apps.records import syncing
from apps.records.models import SyncRun
from apps.records.syncing import due
from apps.records.syncing.fetching import Source
from apps.records.syncing.workers import leasing
from tests.records.linked import AT, give_tokens
from tests.records.people import allergy, bundle
from tests.records.provider import ALLERGIES, TOKEN
from tests.records.runs import resume, step, stored, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")
SECOND = "GET /fhir/r4/AllergyIntolerance?page=2"


@pytest.fixture(params=["registration", "endpoint"])
def switch(request):
    """Turns one of the two switches."""

    def turn(*, is_on: bool):
        if request.param == "endpoint":
            switching.switch_endpoint(Endpoint.objects.get(), is_on=is_on, actor=ACTOR, at=AT)
        else:
            switching.switch_registration(ClientRegistration.objects.get(), is_on=is_on, actor=ACTOR, at=AT)

    return turn


class TestARunOfAProviderThatIsSwitchedOff:
    def test_waits_without_a_worker_and_goes_on_when_it_is_on_again(self, linked, provider, switch):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        switch(is_on=False)
        syncing.advance(run.pk, at=AT)
        assert not syncing.advance_next(at=AT)
        assert not leasing.resumable().exists()
        assert provider.asked == []
        switch(is_on=True)
        assert syncing.advance_next(at=AT)
        run.refresh_from_db()
        assert (run.outcome, stored()) == ("complete", {"a1", "a2"})

    @pytest.mark.django_db(transaction=True)
    def test_stops_before_its_next_page_and_loses_none(self, linked, provider, switch):
        def first_page(_request):
            try:
                switch(is_on=False)
            finally:
                database.close()
            return http(body=bundle(allergy("a1"), total=2, next_url=provider.next_url(2)))

        provider.answers[ALLERGIES] = first_page
        provider.answers[SECOND] = http(body=bundle(allergy("a2"), total=2))
        run = sync(linked)
        assert (run.outcome, run.claim_id, stored()) == ("", None, {"a1"})
        assert provider.sent(SECOND) == []
        switch(is_on=True)
        resume(run)
        assert (run.outcome, run.pauses, stored()) == ("complete", 0, {"a1", "a2"})
        assert len(provider.sent(ALLERGIES)) == 1

    def test_that_a_worker_took_a_moment_before_asks_not_even_what_the_server_offers(self, linked, provider, switch):
        source = Source(linked, lambda: AT)
        switch(is_on=False)
        with contextlib.closing(source), pytest.raises(SwitchedOff):
            source.capability()
        assert provider.asked == []

    def test_is_closed_where_the_patient_ended_the_connection(self, linked, provider, switch):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        switch(is_on=False)
        linked.disconnect(at=AT)
        syncing.advance(run.pk, at=AT)
        run.refresh_from_db()
        assert run.finished_at is not None
        assert provider.asked == []

    def test_refreshes_nothing(self, linked, provider, switch):
        StoredTokenSet.objects.update(access_expires_at=AT)
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        switch(is_on=False)
        resume(run, at=AT + timedelta(hours=1))
        assert provider.sent(TOKEN) == []


class TestAConnectionThatIsDue:
    def test_is_not_while_it_is_switched_off(self, linked, switch):
        at = AT + timedelta(days=2)
        switch(is_on=False)
        assert not due.due_for_sync(at).exists()
        switch(is_on=True)
        assert due.due_for_sync(at).get() == linked


class TestTheRecordPage:
    @pytest.fixture
    def shown(self, hers, linked):
        def show():
            page = hers.get(reverse("record", args=[linked.pk]))
            assert page.status_code == 200
            return re.sub(r"\s+", " ", page.content.decode())

        return show

    @pytest.fixture
    def run(self, linked):
        give_tokens(linked, issued_at=timezone.now())
        return syncing.start(linked, cause=SyncRun.Cause.PATIENT, at=timezone.now())

    def test_says_so_and_asks_nothing_of_anybody(self, shown, run, switch):
        assert "http-equiv" in shown()
        switch(is_on=False)
        page = shown()
        assert "Turned off for now" in page
        assert "We have turned off access to Harbor Family Practice for now. Your copy stays as it is." in page
        for moving in ("http-equiv", "Check for updates", "about once a day", "We keep going"):
            assert moving not in page

    def test_says_of_no_kind_that_it_is_being_fetched(self, shown, run, switch):
        run.steps.update(status="getting")
        assert "Getting" in shown()
        switch(is_on=False)
        assert "Getting" not in shown()

    def test_does_not_open_a_run_for_a_patient_who_asks(self, hers, linked, shown, switch):
        switch(is_on=False)
        answer = hers.post(reverse("check_again", args=[linked.pk]), follow=True)
        assert "Turned off for now" in answer.content.decode()
        assert not SyncRun.objects.exists()


class TestAStep:
    def test_keeps_its_place_while_it_waits(self, linked, provider, switch):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=2, next_url=provider.next_url(2)))
        provider.answers[SECOND] = http(503)
        run = sync(linked)
        switch(is_on=False)
        resume(run)
        assert (step(run).status, step(run).pages) == ("getting", 1)
