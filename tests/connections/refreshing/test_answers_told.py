"""What else the answer to a refresh may say: what is shared now, and whose tokens these are."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.connections import refreshing, revoking
from apps.connections.models import Connection, PendingRevocation, StoredTokenSet
from apps.directory.models import ClientRegistration, Endpoint
from apps.wire.errors import UnexpectedAnswer
from tests.connections.provider_stand_in import PERSON, REFRESH, tokens

pytestmark = pytest.mark.django_db

BOTH = "offline_access patient/Patient.read patient/Observation.read"


@pytest.fixture
def refresh(connection, issued_at, stand_in):
    """The connection, of a SMART deployment, after a refresh an hour on with these fields in its answer."""
    Endpoint.objects.update(interface="smart", dialect="smart")
    ClientRegistration.objects.update(token_parameters="query")
    Connection.objects.update(requested_scope=BOTH, granted_scope=BOTH)

    def refreshed(**fields) -> Connection:
        stand_in.token = tokens(**{"access_token": "a2", "refresh_token": "r2", **fields})
        refreshing.usable_token(Connection.objects.get(), at=issued_at + timedelta(hours=1))
        return Connection.objects.get()

    return refreshed


class TestTheScopeOfAnAnswer:
    def test_is_what_counts_as_shared_from_then_on(self, refresh):
        assert refresh(scope="patient/Patient.read").granted_scope == "offline_access patient/Patient.read"

    def test_keeps_apart_a_session_and_a_lasting_permission_where_it_is_silent(self, refresh):
        Connection.objects.update(granted_scope=BOTH.replace("offline", "online"))
        assert "online_access" in refresh(scope="patient/Patient.read").granted_scope

    @pytest.mark.parametrize("fields", [{}, {"scope": ""}, {"scope": "openid"}, {"scope": BOTH}])
    def test_changes_nothing_where_it_names_no_other_resources(self, refresh, fields):
        assert refresh(**fields).granted_scope == BOTH


class TestThePatientOfAnAnswer:
    def test_is_refused_where_it_is_another(self, refresh):
        before = bytes(StoredTokenSet.objects.get().sealed_access_token)
        with pytest.raises(UnexpectedAnswer):
            refresh(patient="p-9999")
        row = StoredTokenSet.objects.get()
        assert (bytes(row.sealed_access_token), row.generation) == (before, 1)
        assert Connection.objects.get().status == "active"

    @pytest.mark.parametrize(("returned", "ended"), [("r2", "r2"), (REFRESH, "a2"), (None, "a2")])
    def test_that_is_another_costs_the_tokens_that_came_with_it(self, refresh, stand_in, returned, ended):
        """And not the refresh token that we hold, where it came back."""
        at = datetime.now(UTC)
        with pytest.raises(UnexpectedAnswer):
            refresh(patient="p-9999", refresh_token=returned)
        assert stand_in.revocations == []  # not within the attempt's lease
        assert PendingRevocation.objects.get().connection_id is None
        revoking.tell_providers(at=at + timedelta(hours=3))
        (request,) = stand_in.revocations
        assert dict(request.form)["token"] == ended

    def test_is_accepted_where_it_is_the_one_confirmed(self, refresh):
        refresh(patient=PERSON["id"])
        assert StoredTokenSet.objects.get().generation == 2

    def test_says_nothing_on_interface_a(self, refresh):
        Endpoint.objects.update(interface="patient-access")
        refresh(patient="p-9999")
        assert StoredTokenSet.objects.get().generation == 2
