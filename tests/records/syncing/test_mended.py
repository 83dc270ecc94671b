"""A provider no longer accepts our registration: that is reported, syncs wait, and it is fixed without touching a
patient's tokens (specification 5.2.8)."""

import base64
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.audit.recording import Actor
from apps.connections import refreshing
from apps.connections.models import StoredTokenSet
from apps.connections.presenting import standing
from apps.directory import registering
from apps.directory.models import ClientRegistration, Endpoint
from apps.records import syncing
from apps.records.models import SyncRun
from apps.wire.secret import Secret
from tests.records.linked import give_tokens, make_connection
from tests.records.provider import TOKEN
from tests.records.runs import resume, stored
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")
TOKENS = ("sealed_refresh_token", "refresh_issued_at", "refresh_deadline_at", "generation")


def parameters(request):
    """What a token request says, wherever it says it."""
    return dict(request.query) | dict(request.form)


@pytest.fixture(params=["patient-access", "smart"])
def rotated(request, linked, provider):
    """The provider accepts the new secret alone, in the address on interface A and in a header on interface B."""
    if request.param == "smart":
        found = {"discovered_at": timezone.now(), "discovery_tried_at": timezone.now()}
        Endpoint.objects.update(interface="smart", dialect="smart", **found)
        ClientRegistration.objects.update(authentication="client_secret_basic")
        linked.refresh_from_db()

    def answer(request):
        basic = base64.b64decode(request.headers.get("authorization", "").removeprefix("Basic "))
        if "new-canary" not in {parameters(request).get("client_secret"), basic.decode().rpartition(":")[2]}:
            return http(401, {"error": "invalid_client"})
        return http(body={"access_token": "fresh-canary", "expires_in": 3600})

    provider.answers[TOKEN] = answer


@pytest.fixture
def run(linked, rotated):
    """A check that needs new tokens, and finds our secret refused."""
    at = timezone.now()
    give_tokens(linked, issued_at=at - timedelta(hours=2))
    found = syncing.start(linked, cause=SyncRun.Cause.SCHEDULE, at=at)
    syncing.advance(found.pk, at=at)
    found.refresh_from_db()
    return found


def store(secret: str) -> None:
    registration = ClientRegistration.objects.get()
    registering.store_credentials(
        registration, client_id="holdfast", secret=Secret(secret), actor=ACTOR, at=timezone.now()
    )


class TestASecretThatTheProviderRotatedFirst:
    @pytest.mark.conformance("C70")
    def test_is_named_as_our_trouble_and_costs_no_patient_anything(self, linked, run):
        registration = ClientRegistration.objects.get()
        assert (registration.trouble, registration.trouble_at is not None) == ("invalid_client", True)
        linked.refresh_from_db()
        assert (linked.status, linked.reason) == ("active", "")
        assert StoredTokenSet.objects.get().is_refreshable
        assert run.outcome == ""
        assert not run.steps.filter(status="gap").exclude(gap="not_offered").exists()
        shown = standing.of_connection(linked, at=timezone.now())
        assert (shown.word, shown.needs_you) == ("Problem on our side", False)

    @pytest.mark.conformance("C70")
    def test_is_mended_by_storing_the_new_one_and_links_go_on(self, linked, provider, run):
        before = StoredTokenSet.objects.values(*TOKENS).get()
        store("new-canary")
        assert ClientRegistration.objects.get().trouble == ""
        assert StoredTokenSet.objects.values(*TOKENS).get() == before
        resume(run, at=timezone.now() + timedelta(minutes=1))
        assert (run.outcome, run.pauses, stored()) == ("complete", 0, {"a1", "a2"})
        assert not standing.of_connection(linked, at=timezone.now()).is_stopped
        sent = [parameters(request)["refresh_token"] for request in provider.sent(TOKEN)]
        assert sent == ["refresh-canary", "refresh-canary"]

    @pytest.mark.conformance("C70")
    def test_stays_broken_in_words_where_a_wrong_one_is_stored(self, linked, run):
        store("old-canary")
        resume(run, at=timezone.now() + timedelta(minutes=1))
        assert run.outcome == ""
        assert ClientRegistration.objects.get().trouble == "invalid_client"
        assert standing.of_connection(linked, at=timezone.now()).word == "Problem on our side"

    def test_keeps_every_other_link_from_asking_in_vain(self, alice, linked, provider, run):
        other = make_connection(alice, linked.endpoint, fhir_patient_id="another")
        give_tokens(other, issued_at=timezone.now() - timedelta(hours=2))
        syncing.start(other, cause=SyncRun.Cause.PATIENT, at=timezone.now())
        asked = len(provider.asked)
        assert not syncing.advance_next(at=timezone.now())
        with pytest.raises(refreshing.RegistrationBroken):
            refreshing.usable_token(other, at=timezone.now())
        assert len(provider.asked) == asked

    def test_lets_a_link_try_that_has_no_later(self, alice, linked, provider, run):
        ClientRegistration.objects.update(refresh_window_hours=48)
        other = make_connection(alice, linked.endpoint, fhir_patient_id="another")
        give_tokens(other, issued_at=timezone.now() - timedelta(hours=47, minutes=55))
        asked = len(provider.sent(TOKEN))
        with pytest.raises(Exception, match="registration"):
            refreshing.usable_token(other, at=timezone.now())
        assert len(provider.sent(TOKEN)) == asked + 1

    def test_is_tried_again_by_itself_after_a_while(self, linked, provider, run):
        ClientRegistration.objects.update(trouble_seen_at=timezone.now() - registering.TRY_AGAIN_AFTER)
        provider.answers[TOKEN] = http(body={"access_token": "fresh-canary", "expires_in": 3600})
        resume(run, at=timezone.now() + timedelta(minutes=1))
        assert run.outcome == "complete"
        assert ClientRegistration.objects.get().trouble == ""
