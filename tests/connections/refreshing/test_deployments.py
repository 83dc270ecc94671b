"""Refreshing at SMART deployments: what is sent (S4), what is stored, and how often (specification 8)."""

from datetime import timedelta
from urllib.parse import parse_qs

import pytest
from django.utils import timezone

from apps.connections import refreshing
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.refreshing import token_columns

pytestmark = pytest.mark.django_db


@pytest.fixture
def linked(deploy, patient):
    """A confirmed connection, and its place with an empty recorder."""

    def link(**columns):
        place = deploy(**columns)
        connection = patient.found(place)
        patient.confirm(connection)
        place.sandbox.delete("/control/requests")
        return place, Connection.objects.get(pk=connection.pk)

    return link


def run_out() -> None:
    StoredTokenSet.objects.update(access_expires_at=timezone.now())


class TestRefreshing:
    @pytest.mark.conformance("C34", "C39")
    @pytest.mark.parametrize(
        ("authentication", "proof"),
        [
            ("none", {"client_id"}),
            ("client_secret_basic", set()),
            ("client_secret_post", {"client_id", "client_secret"}),
            ("private_key_jwt", {"client_id", "client_assertion", "client_assertion_type"}),
        ],
    )
    def test_sends_grant_type_and_token_with_the_client_s_own_proof(self, linked, authentication, proof):
        place, connection = linked(authentication=authentication, minimum_refresh_seconds=0)
        run_out()
        refreshing.usable_token(connection, at=timezone.now())
        (request,) = place.sent(to="/token")
        form = parse_qs(request["body"])
        assert form.keys() == {"grant_type", "refresh_token"} | proof
        assert form["grant_type"] == ["refresh_token"]
        assert request["query"] == ""
        names = {name.lower() for name in request["headers"]}
        assert ("authorization" in names) is (authentication == "client_secret_basic")

    @pytest.mark.conformance("C17", "C39")
    def test_keeps_the_token_there_was_where_none_returns(self, linked):
        """Specification 2.3: the answer to a refresh has none."""
        _place, connection = linked(minimum_refresh_seconds=0)
        before = _refresh_token(connection)
        run_out()
        refreshing.usable_token(connection, at=timezone.now())
        assert _refresh_token(connection) == before
        run_out()
        refreshing.usable_token(connection, at=timezone.now())

    @pytest.mark.conformance("C41")
    def test_waits_for_a_minute_to_pass(self, linked):
        place, connection = linked()
        assert place.registration.minimum_refresh_seconds is None  # the dialect says sixty
        run_out()
        with pytest.raises(refreshing.NotYet) as waits:
            refreshing.usable_token(connection, at=timezone.now())
        assert timedelta(seconds=50) < waits.value.until - timezone.now() <= timedelta(seconds=61)
        assert place.sent(to="/token") == []

    @pytest.mark.conformance("C42")
    def test_that_is_throttled_keeps_everything(self, linked, sandbox):
        place, connection = linked(minimum_refresh_seconds=0)
        sandbox.post("/control/faults", route="token", kind="throttled")
        run_out()
        with pytest.raises(Exception, match="slow down"):
            refreshing.usable_token(connection, at=timezone.now())
        with pytest.raises(refreshing.NotYet):
            refreshing.usable_token(connection, at=timezone.now())
        connection.refresh_from_db()
        assert connection.status == Connection.Status.ACTIVE
        assert len(place.sent(to="/token")) == 1

    def test_ends_with_the_session_where_access_was_online(self, linked, sandbox, patient):
        _place, connection = linked(minimum_refresh_seconds=0, refresh_scope="online_access")
        sandbox.post("/control/grants/end")
        run_out()
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=timezone.now())
        connection.refresh_from_db()
        assert connection.status == Connection.Status.NEEDS_REAUTHORIZATION


def _refresh_token(connection: Connection) -> str:
    stored = StoredTokenSet.objects.get(pk=connection.pk)
    found = token_columns.refresh_token(connection, stored)
    assert found is not None
    return found.reveal()
