"""A session ends at the practice provider, a permission is removed in its portal, or it has yet to hear of a
disconnect: what the patient reads."""

from datetime import datetime, timedelta
from urllib.parse import parse_qs

import pytest
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections import refreshing, revoking
from apps.connections.models import Connection, PendingRevocation, StoredTokenSet
from apps.directory.models import AuthorizationServer
from apps.records.models import Record
from tests.faults.practice import Visit
from tests.faults.travelling import within_the_site

pytestmark = pytest.mark.django_db
TENANT = "/b/authorization/tenants/5c2d9c1a-7e64-4b0f-9d53-0f8a6b1e2c37/personas/patient"
LATER = timedelta(minutes=20)


@pytest.fixture
def linked(deploy, patient):
    """A confirmed connection, its place, and the browser in which the patient signed in there."""

    def link(**columns):
        place = deploy(minimum_refresh_seconds=0, **columns)
        visit = Visit()
        patient.get(within_the_site(visit.answer(patient.leave(place))))
        connection = Connection.objects.get()
        patient.confirm(connection)
        place.sandbox.delete("/control/requests")
        return place, Connection.objects.get(), visit

    return link


def page_of(patient, connection):
    return " ".join(patient.get(f"/connections/{connection.pk}/").html.split())


class TestASessionThere:
    @pytest.mark.conformance("C43")
    def test_that_ends_ends_the_link_and_its_page_says_so(self, linked, patient):
        place, connection, visit = linked(refresh_scope="online_access")
        assert "while you are signed in there" in page_of(patient, connection)
        visit.press(f"{place.sandbox.origin}{TENANT}/sign-out", "Sign out")
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=timezone.now() + LATER)
        page = page_of(patient, connection)
        assert f"The session at {place.provider.name} ended" in page
        assert "Everything we had until then is still here." in page
        link = f'<a class="as-link" href="{place.sandbox.origin}/b/authorization/errors/'
        assert link in page
        assert f"More from {place.provider.name}" in page


class TestAPermissionRemovedThere:
    @pytest.mark.parametrize("noticed_by", ["refresh", "data"])
    def test_is_noticed_and_said_in_words(self, linked, patient, noticed_by):
        place, connection, visit = linked(refresh_scope="offline_access")
        kept = Record.objects.count()
        manage = f"{place.sandbox.origin}{TENANT}/my-authorizations"
        visit.press(manage, "Sign in", User_name="ruth", Password="ruth-pass-1")
        visit.press(manage, "Remove")
        at = timezone.now()
        refused = None
        if noticed_by == "data":  # a server that answers 401 to the access token: one refresh, and its refusal
            refused = refreshing.usable_token(connection, at=at)
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=at if refused else at + LATER, refused=refused)
        page = page_of(patient, connection)
        assert f"{place.provider.name} ended the permission, or you ended it there. We noticed on" in page
        assert "Everything we had until then is still here." in page
        assert Record.objects.count() == kept
        (event,) = AuditEvent.objects.filter(event="connection.needs_reauthorization")
        assert event.facts["reason"] == "grant_ended"


class TestADisconnect:
    def hours_of_tries(self, connection, *, since: datetime, hours: int) -> None:
        for minutes in range(0, hours * 60, 10):
            assert revoking.tell_providers(at=since + timedelta(minutes=minutes)) == 0

    @pytest.mark.conformance("C65")
    def test_is_told_to_a_provider_that_answers_hours_later(self, linked, patient, sandbox):
        place, connection, _visit = linked(refresh_scope="offline_access")
        sandbox.post("/control/faults", route="revoke", kind="unavailable", count=None)
        patient.post(f"/connections/{connection.pk}/disconnect/", copy="keep")
        assert not StoredTokenSet.objects.exists()
        at = timezone.now() + timedelta(minutes=1)
        self.hours_of_tries(connection, since=at, hours=6)
        assert "We are telling" in page_of(patient, connection)
        sandbox.delete("/control/faults")
        assert revoking.tell_providers(at=at + timedelta(hours=7)) == 1
        assert "has confirmed that our permission ended" in page_of(patient, connection)
        assert not PendingRevocation.objects.exists()
        tries = place.sent(to="/token/revoke")
        assert [request["status"] for request in tries] == [503] * (len(tries) - 1) + [200]
        assert len(tries) > 6
        assert {tuple(parse_qs(request["body"])["token"]) for request in tries} == {
            tuple(parse_qs(tries[0]["body"])["token"])
        }

    @pytest.mark.conformance("C65")
    def test_is_forgotten_after_a_day_of_silence_and_its_page_says_how_to_be_sure(self, linked, patient, sandbox):
        _place, connection, _visit = linked(refresh_scope="offline_access")
        sandbox.post("/control/faults", route="revoke", kind="unavailable", count=None)
        patient.post(f"/connections/{connection.pk}/disconnect/", copy="keep")
        at = timezone.now() + timedelta(minutes=1)
        for hours in range(26):
            revoking.tell_providers(at=at + timedelta(hours=hours))
        assert not PendingRevocation.objects.exists()
        page = page_of(patient, connection)
        assert "did not confirm that our permission ended" in page
        assert "remove Holdfast in their portal under connected apps" in page

    @pytest.mark.conformance("C65")
    def test_is_told_to_nobody_where_nothing_is_advertised(self, linked, patient):
        place, connection, _visit = linked(refresh_scope="offline_access")
        AuthorizationServer.objects.update(revocation_url="")
        page = patient.post(f"/connections/{connection.pk}/disconnect/", copy="keep")
        assert "They gave us no way to tell them" in page.html
        assert not StoredTokenSet.objects.exists()
        assert not PendingRevocation.objects.exists()
        assert revoking.tell_providers(at=timezone.now() + timedelta(minutes=1)) == 0
        assert place.sent(to="revoke") == []
        assert "did not confirm that our permission ended" in page_of(patient, connection)
