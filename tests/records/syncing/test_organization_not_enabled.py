"""A provider refuses everything: the patient and staff read one cause in one sentence."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.link_health import overview
from apps.connections.link_health.findings import What
from apps.directory.models import Enablement
from tests.records.linked import AT, give_tokens
from tests.records.people import R4_PATIENT, allergy, bundle
from tests.records.provider import ALLERGIES, PATIENT, TOKEN
from tests.records.runs import step, sync
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

LATER = AT + timedelta(minutes=9)


@pytest.fixture
def refusing(provider):
    """The provider, which answers every question about this patient with 403."""
    provider.answers.update({PATIENT: http(403), ALLERGIES: http(403)})
    return provider


class TestAProviderThatRefusesEverything:
    def test_is_one_reason_of_the_whole_run(self, linked, refusing):
        run = sync(linked)
        assert run.outcome == "failed"
        assert {step(run, name).gap for name in ("Patient", "AllergyIntolerance")} == {"not_enabled"}

    def test_is_asked_again_as_one_that_was_not_checked(self, linked, refusing):
        sync(linked)
        linked.refresh_from_db()
        assert (linked.status, linked.last_checked_at) == ("active", None)

    def test_is_told_to_staff_once(self, linked, refusing, caplog):
        sync(linked)
        assert caplog.text.count("has not enabled this application") == 1
        sync(linked, at=LATER)
        assert caplog.text.count("has not enabled this application") == 1
        found = [finding.what for finding in overview.examine(at=LATER).findings]
        assert found.count(What.NOT_ENABLED) == 1

    def test_keeps_nobody_else_from_linking(self, linked, refusing):
        sync(linked)
        assert Enablement.objects.get().refused_at is None

    def test_is_over_when_something_comes(self, linked, refusing):
        sync(linked)
        refusing.answers.update({PATIENT: http(body=R4_PATIENT), ALLERGIES: http(body=bundle(allergy("a1")))})
        assert sync(linked, at=LATER).outcome == "complete"
        assert Enablement.objects.get().is_enabled

    def test_is_not_one_that_refuses_the_patient_alone(self, linked, refusing):
        refusing.answers[ALLERGIES] = http(body=bundle(allergy("a1")))
        run = sync(linked)
        assert step(run, "Patient").gap == "not_shared"
        assert not Enablement.objects.exists()

    def test_is_said_once_on_the_page(self, linked, refusing, hers):
        give_tokens(linked, issued_at=timezone.now())
        sync(linked, at=timezone.now())
        text = hers.get(reverse("record", args=[linked.pk])).content.decode()
        assert text.count("does not let this app in") == 1
        assert f'<a href="{reverse("help")}#not-let-in">What to ask them</a>' in text
        assert "What came" not in text
        assert "No access" not in text


class TestAnOrganizationThatDoesNotLetUsRenewTheToken:
    @pytest.fixture(autouse=True)
    def expired(self, linked, provider):
        give_tokens(linked, issued_at=AT - timedelta(hours=2))

    @pytest.mark.parametrize("answer", [http(403), http(400, body={"error": "unauthorized_client"})])
    def test_is_one_reason_of_the_whole_run_which_does_not_wait_for_it(self, linked, provider, answer):
        provider.answers[TOKEN] = answer
        run = sync(linked)
        assert run.outcome == "failed"
        assert {step(run, name).gap for name in ("Patient", "AllergyIntolerance")} == {"not_enabled"}
        linked.refresh_from_db()
        assert (linked.status, linked.last_checked_at) == ("active", None)

    def test_is_said_of_what_it_kept_back_where_something_came_before(self, linked, provider, hers, client, sam):
        give_tokens(linked, issued_at=timezone.now())
        provider.answers |= {ALLERGIES: http(401), TOKEN: http(403)}
        assert sync(linked, at=timezone.now()).outcome == "partial"
        text = hers.get(reverse("record", args=[linked.pk])).content.decode()
        assert "What came" in text
        assert text.count("does not let this app in") == 1
        assert "They refused everything" not in text
        client.force_login(sam)
        assert client.get(reverse("record", args=[linked.pk])).status_code == 404
