"""Signing in again, before or after a link ended, repairs the same connection, and never with another person's
record."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.connections.lapse_warnings import lapsed_links
from apps.connections.models import Connection, LapseWarning, StoredTokenSet
from apps.connections.presenting import standing
from apps.connections.reasons import Reason
from tests.connections.conftest import page_after
from tests.connections.lapse_warnings.conftest import beat, choose, end
from tests.connections.provider_stand_in import CHILD, CODE, tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def sign_in_again(traveller, place, connection, stand_in):
    """Signs in for the connection there is, and gives back what is read in the end."""

    def sign_in() -> str:
        stand_in.token = tokens(access_token="second-access", refresh_token="second-refresh")
        departed = traveller.leave(place, url=f"/connections/{connection.pk}/sign-in/")
        return page_after(traveller, traveller.come_back(place, code=CODE, state=departed.state))

    return sign_in


def lapse(connection: Connection) -> None:
    now = timezone.now()
    end(connection, at=now - HOUR, signed_in_at=now - 49 * HOUR)
    StoredTokenSet.objects.update(access_expires_at=now - HOUR)
    assert lapsed_links.mark(at=now) == 1


class TestASignIn:
    @pytest.mark.parametrize("reason", [None, Reason.SESSION_OVER, Reason.IDLE_LIMIT_OVER, Reason.GRANT_ENDED])
    def test_after_the_end_repairs_the_same_connection(self, connection, sign_in_again, reason):
        if reason is None:
            lapse(connection)
        else:
            connection.require_reauthorization(reason, at=timezone.now(), more_url="https://harbor.example/why")
        before = Connection.objects.values("pk", "confirmed_at", "created_at", "fhir_patient_id").get()
        assert "We renewed the connection and kept everything." in sign_in_again()
        row = Connection.objects.get()
        assert Connection.objects.values("pk", "confirmed_at", "created_at", "fhir_patient_id").get() == before
        assert (row.status, row.reason, row.reason_at, row.more_url) == ("active", "", None, "")
        assert not standing.of_connection(row, at=timezone.now()).needs_you

    def test_of_another_person_leaves_an_ended_connection_as_it_was(self, connection, sign_in_again, stand_in):
        lapse(connection)
        before = Connection.objects.values().get()
        tokens_before = StoredTokenSet.objects.values().get()
        stand_in.patient = http(body=CHILD)
        assert "This is a different person" in sign_in_again()
        assert Connection.objects.values().get() == before
        assert StoredTokenSet.objects.values().get() == tokens_before
        assert dict(stand_in.revocations[0].form)["token"] == "second-refresh"

    def test_withdraws_the_warnings_that_are_pending(self, connection, sign_in_again, alice):
        now = timezone.now()
        choose(alice, 24, 12, 3, at=now - 30 * HOUR)
        ends_at = now + 20 * HOUR
        end(connection, at=ends_at, signed_in_at=now - 28 * HOUR)
        beat(now - 28 * HOUR)
        assert LapseWarning.objects.filter(ends_at=ends_at, sent_at=None).count() == 3
        sign_in_again()
        assert not any(beat(now + hours * HOUR) for hours in range(21))
        assert not LapseWarning.objects.filter(ends_at=ends_at).exists()

    def test_withdraws_word_of_an_unexpected_end(self, connection, sign_in_again):
        now = timezone.now()
        connection.require_reauthorization(Reason.GRANT_ENDED, at=now)
        beat(now)
        assert LapseWarning.objects.filter(hours_before=LapseWarning.ENDED).exists()
        sign_in_again()
        assert not any(beat(now + hours * HOUR) for hours in range(24))
