"""Rows with words that only a newer release knows, as while it is rolled out beside this one, and after going back."""

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.models import AuthorizationRequest
from apps.records.models import SyncRun, SyncStep
from apps.sharing.models import Opening
from tests.portal import leavers
from tests.sharing import giving

pytestmark = pytest.mark.django_db

TOMORROW = "of_tomorrow"


@pytest.fixture
def strangers(sam):
    return leavers.sign_in(sam)


class TestACopy:
    @pytest.fixture(autouse=True)
    def _copied(self, linked):
        SyncStep.objects.exclude(resource_type="Patient").update(status="gap", gap=TOMORROW, finished_at=timezone.now())
        SyncRun.objects.update(outcome=TOMORROW)

    def test_shows_that_something_is_missing_and_not_why(self, alice, linked, strangers):
        page = reverse("record", args=[linked.pk])
        told = leavers.sign_in(alice).get(page).content.decode()
        assert "Not complete" in told
        assert "We could not get this on" in told
        assert TOMORROW not in told
        assert strangers.get(page).status_code == 404

    def test_shows_so_on_a_list(self, alice, linked, strangers):
        page = reverse("subject", args=["conditions"])
        told = leavers.sign_in(alice).get(page).content.decode()
        assert "We could not get this on" in told
        assert "We could not get this on" not in strangers.get(page).content.decode()


class TestAShare:
    def test_tells_its_owner_who_came_and_not_how(self, alice, stella, endpoint, provider, strangers):
        browser = leavers.give_everything(alice, stella, endpoint, provider)
        Opening.objects.update(way=TOMORROW[:8])
        page = reverse("share", args=[alice.shares.get().pk])
        told = browser.get(page).content.decode()
        assert giving.NAME in told
        assert TOMORROW[:8] not in told
        assert strangers.get(page).status_code == 404


class TestASignIn:
    def test_that_ended_in_an_unknown_way_offers_another(self, alice, stella, endpoint, provider, strangers):
        browser = leavers.give_everything(alice, stella, endpoint, provider)
        AuthorizationRequest.objects.update(outcome=TOMORROW, claimed_at=timezone.now())
        page = reverse("attempt", args=[alice.authorization_requests.get().pk])
        assert "The sign-in could not be finished" in browser.get(page).content.decode()
        assert strangers.get(page).status_code == 404
